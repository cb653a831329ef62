// Loads parts of the page's module, in the page as in web workers. The build (`site/`) puts lines in front of this: MAIN, what is
// shared of what was loaded first; FILES, the files of what several parts need; and behind it one line for each part, with the
// names of what it needs and its own file.

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

async function compile(file) {
  const response = await fetch(new URL(file, import.meta.url));
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  // Whatever the server calls its type.
  return WebAssembly.compile(await response.arrayBuffer());
}

// What several parts need is in files of its own where it is large, and in each of the parts where it is small.
async function load(needed, file) {
  const own = compile(file);
  own.catch(() => {}); // it is waited for later
  const apart = needed.filter((name) => name in FILES);
  await Promise.all(apart.map((name) => once(name, async () => instantiate(await compile(FILES[name])))));
  const module = await own;
  for (const name of needed.filter((name) => !(name in FILES))) {
    await once(name, () => instantiate(WebAssembly.Module.customSections(module, name)[0]));
  }
  await instantiate(module);
}

// Says whether it is there by calling back.
const part = (needed, file) => async (callback, data) => {
  let success = true;
  try {
    await once(file, () => load(needed, file));
  } catch (error) {
    console.warn(error);
    success = false;
  }
  imports().__wasm_split.__indirect_function_table.get(callback)(data, success);
};
