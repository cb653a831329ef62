// Starts a web worker: it is the page's own module, which sees that there is no window. Its name has a hash, and so is
// told in the address.
const { default: init } = await import(`./${location.search.slice(1)}.js`);
await init({ module_or_path: new URL(`./${location.search.slice(1)}_bg.wasm`, location) });
