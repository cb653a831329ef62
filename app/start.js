// Starts the page, from a file because the content security policy forbids scripts within index.html. Both files of the
// page's module have a hash in their names, which are in the links that preload them.
const link = (rel) => document.querySelector(`link[rel="${rel}"]`).href;
// A step that somebody asks for before there is one to take is taken as soon as there is.
const early = [];
const keep = ({ target, key, shiftKey, altKey, ctrlKey, metaKey }) => {
  const steps = ["ArrowLeft", "ArrowRight", "Home", "End"].includes(key);
  if (steps && target === document.body && !altKey && !ctrlKey && !metaKey) early.push({ key, shiftKey });
};
const begun = new MutationObserver(() => {
  const { lab, ready, busy } = document.body.dataset;
  const able = document.querySelector("#forward")?.getAttribute("aria-disabled") === "false";
  const never = lab && lab !== "stepping" && ready && !busy;
  if (!able && !never) return;
  begun.disconnect();
  removeEventListener("keydown", keep);
  if (!able) return;
  for (const key of early) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { ...key, bubbles: true, cancelable: true }));
  }
});
addEventListener("keydown", keep);
begun.observe(document.body, { attributes: true, childList: true, subtree: true });
// What index.html says is painted first; browsers paint no tab that is in the background.
const painted = new Promise((done) => {
  requestAnimationFrame(() => setTimeout(done));
  setTimeout(done, document.hidden ? 0 : 1000);
});
try {
  const { default: init } = await import(link("modulepreload"));
  await painted;
  await init({ module_or_path: link("preload") });
  document.querySelector("#opening")?.remove();
} catch (error) {
  const words = document.querySelector("#opening [role=status]");
  if (words) words.textContent = `Litmoscope could not be loaded (${error}). Please load the page again.`;
  throw error;
}

// From then on, no network is needed: all files are loaded that were not, as soon as the page has begun its work. Not for what
// stands in another page, which keeps nothing; nor where the browser has no service workers or wants none here: then
// everything is fetched each time.
const embedded = self !== top || new URLSearchParams(location.search).has("embed");
if (!embedded && "serviceWorker" in navigator) {
  const { serviceWorker } = navigator;
  const idle = self.requestIdleCallback ?? setTimeout;
  const { body } = document;
  const watch = new MutationObserver(() => look());
  const look = () => {
    if (!("ready" in body.dataset) || "busy" in body.dataset) return;
    watch.disconnect();
    idle(() => serviceWorker.register("service-worker.js").catch(() => {}));
    // What there is to read comes last.
    serviceWorker.ready.then(({ active }) => idle(() => active.postMessage("read")));
  };
  watch.observe(body, { attributes: true });
  look();
  // The page before this one is gone: its version may go too.
  serviceWorker.controller?.postMessage("opened");
}
