// Keeps the whole site, so that it works without a network. The build (`site/`) puts three constants in front of this:
// VERSION, made from the contents of all files; FILES, the hash of each file by its name relative to the site; and PAGES_TO_READ, the
// same for the book and the atlas, which are many and large and come when all else is there.
//
// Each version has a cache of its own. A version is there only if all of its files are, which the hashes see to, whatever
// the server answers while it is being updated. A page gets all of its files from the version that it was opened
// with, until it is gone; the next page gets the newest version. A new version takes over at once: one that waited until all tabs are
// closed might wait for ever. Files with a hash in their names are right from any version.

// Other programs may live at the same origin, and other copies of this one.
const OWN = `litmoscope ${registration.scope} `;
// Which version each open page is of, because this script forgets when it is idle.
const PAGES = `${OWN}pages`;
const address = (name) => registration.scope + name;
const page = (id) => address(`page/${id}`);

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("message", (event) => event.waitUntil(event.data === "read" ? keepPagesToRead().catch(() => {}) : tidy()));
addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(registration.scope)) return;
  const path = request.url.slice(registration.scope.length).split(/[?#]/)[0];
  const name = nameOf(path);
  event.respondWith(request.mode === "navigate" ? open(event, name) : find(event, name));
});

// A server may redirect index.html to its folder or the other way round, and browsers refuse a redirection that was kept.
function nameOf(path) {
  if (path === "index.html") return "";
  return path.endsWith("/") ? `${path}index.html` : path;
}

async function install() {
  const cache = await caches.open(OWN + VERSION);
  await Promise.all(Object.entries(FILES).map(([name, integrity]) => keep(cache, name, integrity)));
  await skipWaiting();
}

async function keep(cache, name, integrity) {
  const response = await fetch(address(name), { cache: "no-cache", integrity });
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  await cache.put(address(name), response);
}

// One after the other, so that nothing else waits. What does not come is asked for again at the next visit.
async function keepPagesToRead() {
  const cache = await caches.open(OWN + VERSION);
  const there = new Set((await cache.keys()).map(({ url }) => url));
  for (const [name, integrity] of Object.entries(PAGES_TO_READ)) {
    if (!there.has(address(name))) await keep(cache, name, integrity);
  }
}

async function activate() {
  const pages = await caches.open(PAGES);
  for (const { id, url } of await clients.matchAll({ type: "window", includeUncontrolled: true })) {
    // The first page of all was opened before there was anybody to remember its version.
    if (url.startsWith(registration.scope) && !(await pages.match(page(id)))) await remember(id);
  }
  await tidy();
  await clients.claim();
}

// A page is opened in the newest version.
async function open(event, name) {
  const kept = await caches.match(address(name), { cacheName: OWN + VERSION });
  if (!kept) return fetch(event.request);
  await remember(event.resultingClientId);
  return kept;
}

async function find(event, name) {
  const version = await versionOf(event.clientId);
  const kept = await caches.match(address(name), { cacheName: OWN + version });
  // What a web worker asks for has a hash in its name, and so is right from any version.
  const found = kept ?? (await caches.match(address(name)));
  if (!found) return fetch(event.request);
  // What is kept has an address without a query, which a web worker would take for its own.
  return event.request.url.includes("?") ? new Response(found.body, found) : found;
}

async function remember(id) {
  await (await caches.open(PAGES)).put(page(id), new Response(VERSION));
}

async function versionOf(id) {
  const remembered = await caches.match(page(id), { cacheName: PAGES });
  return remembered ? remembered.text() : VERSION;
}

// Forgets the pages that are gone, and deletes the versions that no page is of any more.
async function tidy() {
  const pages = await caches.open(PAGES);
  const kept = [PAGES, OWN + VERSION];
  for (const request of await pages.keys()) {
    const id = request.url.slice(page("").length);
    // Waits for a page that is about to open.
    if (await clients.get(id)) kept.push(OWN + (await versionOf(id)));
    else await pages.delete(request);
  }
  const old = (await caches.keys()).filter((name) => name.startsWith(OWN) && !kept.includes(name));
  await Promise.all(old.map((name) => caches.delete(name)));
}
