// Starts the page. Trunk would write this into index.html, where the content security policy forbids it; the names
// with their hashes are in the links that Trunk adds to preload both files.
const link = (rel) => document.querySelector(`link[rel="${rel}"]`).href;
const { default: init } = await import(link("modulepreload"));
await init({ module_or_path: link("preload") });
