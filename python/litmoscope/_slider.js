// A slider through an exploration. What is seen at a position comes from Python.

/** A picture of an SVG: as an image, whatever is in it can do nothing. */
function picture(theme) {
  const image = document.createElement("img");
  image.className = `litmoscope-${theme}`;
  return image;
}

function button(text, title, press) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.title = title;
  made.setAttribute("aria-label", title);
  made.addEventListener("click", press);
  return made;
}

function render({ model, el }) {
  el.classList.add("litmoscope-steps");
  const bar = document.createElement("div");
  bar.className = "litmoscope-bar";
  const slider = document.createElement("input");
  slider.type = "range";
  slider.min = "0";
  slider.setAttribute("aria-label", "Step");
  const place = document.createElement("output");
  const words = document.createElement("p");
  words.setAttribute("aria-live", "polite");
  const pictures = { light: picture("light"), dark: picture("dark") };

  const go = (position) => {
    model.set("position", Math.max(0, Math.min(position, model.get("last"))));
    model.save_changes();
  };
  const step = (by) => () => go(model.get("position") + by);
  slider.addEventListener("input", () => go(Number(slider.value)));
  const show = () => {
    const last = model.get("last");
    const position = model.get("position");
    slider.max = String(last);
    slider.value = String(position);
    place.textContent = model.get("whole") ? `Step ${position} of ${last}` : `Step ${position} of the first ${last}`;
    const seen = model.get("seen");
    if (seen.position === undefined) return;
    const name = document.createElement("b");
    name.textContent = seen.name;
    words.replaceChildren(name, ` ${seen.words}`);
    for (const [theme, image] of Object.entries(pictures)) {
      image.src = `data:image/svg+xml,${encodeURIComponent(seen[theme])}`;
      image.alt = seen.words;
    }
  };
  bar.append(button("◀", "One step back", step(-1)), slider, button("▶", "One step forward", step(1)), place);
  el.append(bar, words, pictures.light, pictures.dark);
  const names = ["position", "last", "whole", "seen"];
  for (const name of names) model.on(`change:${name}`, show);
  show();
  return () => {
    for (const name of names) model.off(`change:${name}`, show);
  };
}

export default { render };
