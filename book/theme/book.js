// The book's search and its keys. Without this script the book can be read all the same.
"use strict";

// The index, which is loaded when somebody begins to search, puts itself here.
window.search = {};
const { root, index: indexFile } = document.currentScript.dataset;
const box = document.querySelector("#search");
const panel = document.querySelector("#found");
const [status, list] = panel.children;
const contents = document.querySelector("#contents");
let index;

// Beside the text there is room for the contents, above it there is not.
const narrow = matchMedia("(max-width: 60rem)");
const fold = () => (contents.open = !narrow.matches);
narrow.addEventListener("change", fold);
fold();
contents.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
scrollTo(0, 0);
if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();

function load() {
  if (index !== undefined) return;
  index = null;
  const script = document.createElement("script");
  script.src = indexFile;
  script.onload = () => {
    index = elasticlunr.Index.load(window.search.index);
    find();
  };
  script.onerror = () => {
    index = undefined;
    say("The search could not be loaded. Please try again.");
  };
  document.head.append(script);
}

function say(text) {
  panel.hidden = !box.value.trim();
  status.textContent = text;
}

function find() {
  list.replaceChildren();
  const wanted = box.value.trim();
  if (!wanted) return say("");
  if (!index) return say("Loading…");
  const { search_options: options, results_options: limits, doc_urls: addresses } = window.search;
  const results = index.search(wanted, options);
  const shown = results.slice(0, limits.limit_results);
  const places = (count) => `${count} place${count === 1 ? "" : "s"}`;
  if (shown.length === results.length) say(results.length ? places(results.length) : `“${wanted}” is not in the book.`);
  else say(`${places(results.length)}, of which the first ${shown.length} are shown`);
  const words = wanted.toLowerCase().split(/\s+/);
  for (const { ref, doc } of shown) {
    const link = document.createElement("a");
    link.href = root + addresses[ref];
    link.textContent = doc.breadcrumbs.replaceAll(" » ", " › ");
    const excerpt = document.createElement("p");
    excerpt.append(...marked(around(doc.body, words), words));
    const item = document.createElement("li");
    item.append(link, excerpt);
    list.append(item);
  }
}

// Where the first of the words stands in a text, with what is around it.
function around(text, words) {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const at = places.length ? Math.min(...places) : 0;
  const start = at < 60 ? 0 : text.indexOf(" ", at - 60) + 1;
  return (start ? "… " : "") + text.slice(start, start + 180) + (start + 180 < text.length ? " …" : "");
}

// A text with the words brought out.
function marked(text, words) {
  const lower = text.toLowerCase();
  const pieces = [];
  let from = 0;
  while (from < text.length) {
    const next = words.map((word) => [lower.indexOf(word, from), word.length]).filter(([at]) => at >= 0);
    if (!next.length) break;
    const [at, length] = next.reduce((first, other) => (other[0] < first[0] ? other : first));
    const mark = document.createElement("mark");
    mark.textContent = text.slice(at, at + length);
    pieces.push(text.slice(from, at), mark);
    from = at + length;
  }
  return [...pieces, text.slice(from)];
}

box.addEventListener("focus", load);
box.addEventListener("input", find);
addEventListener("click", (event) => {
  if (!panel.contains(event.target) && event.target !== box) panel.hidden = true;
});
box.addEventListener("click", find);

addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const { key, target } = event;
  const links = [...list.querySelectorAll("a")];
  const at = links.indexOf(target);
  if (key === "Escape") {
    panel.hidden = true;
    box.blur();
  } else if (!panel.hidden && (target === box || at >= 0)) {
    if (key === "ArrowDown") (links[at + 1] ?? target).focus();
    else if (key === "ArrowUp") (links[at - 1] ?? box).focus();
    else if (key === "Enter" && target === box) links[0]?.click();
    else return;
  } else if (target === box) return;
  else if (key === "/" || key === "s") box.focus();
  else if (key === "ArrowLeft") document.querySelector("[rel=prev]")?.click();
  else if (key === "ArrowRight") document.querySelector("[rel=next]")?.click();
  else return;
  event.preventDefault();
});
