// Loads parts of the page's module, in the page as in web workers. The build (`site/`) puts lines in front of this: MAIN, what is
// shared of what was loaded first; FILES, the files of what several parts need and their sizes; and behind it one line for each part, with the
// name, the names of what it needs, its own file and the size of that.

// Each part is told where memory and functions of the others are.
let shared;
const imports = () => (shared ??= { __wasm_split: MAIN(initSync(undefined, undefined)) });
const instantiate = async (module) => WebAssembly.instantiate(module, imports());

// What is there or on its way, by name: nothing is made twice. What failed is tried again when it is next needed.
const there = new Map();
function once(name, load) {
  if (!there.has(name)) {
    const coming = load();
    coming.catch(() => there.delete(name));
    there.set(name, coming);
  }
  return there.get(name);
}

async function compile(file, came) {
  const response = await fetch(new URL(file, import.meta.url));
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  const pieces = [];
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    came(value.length);
  }
  // Whatever the server calls its type.
  return WebAssembly.compile(await new Blob(pieces).arrayBuffer());
}

// What several parts need is in files of its own where it is large, and in each of the parts where it is small. How much of all
// has come is told in per cent: of the sizes that the build knows, since servers that compress tell other ones.
async function load(name, needed, file, size) {
  const apart = needed.filter((other) => other in FILES);
  const all = apart.filter((other) => !there.has(other)).reduce((sum, other) => sum + FILES[other][1], size);
  let sum = 0;
  const came = (bytes) => {
    sum += bytes;
    const share = Math.min(100, Math.floor((100 * sum) / all));
    dispatchEvent(new CustomEvent("part", { detail: { name, share } }));
  };
  const own = compile(file, came);
  own.catch(() => {}); // it is waited for later
  await Promise.all(apart.map((other) => once(other, async () => instantiate(await compile(FILES[other][0], came)))));
  const module = await own;
  for (const other of needed.filter((other) => !(other in FILES))) {
    await once(other, () => instantiate(WebAssembly.Module.customSections(module, other)[0]));
  }
  await instantiate(module);
}

// Says whether it is there by calling back.
const part = (name, needed, file, size) => async (callback, data) => {
  let success = true;
  try {
    await once(file, () => load(name, needed, file, size));
  } catch (error) {
    console.warn(error);
    success = false;
  }
  imports().__wasm_split.__indirect_function_table.get(callback)(data, success);
};
