// Makes the parts of the page's module smaller: optimise.mjs BINARYEN FOLDER SMALLER; without folders, sees that Binaryen can be loaded.
// One process for all of them, with a thread for each core: what several parts share is in hundreds of small pieces, and to start
// anew for each takes longer than the pieces do: the command `wasm-opt`, started for each of three hundred, took five times as long.
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

const [binaryenPath, large, small] = isMainThread ? process.argv.slice(2) : workerData;

if (isMainThread && large) {
  // The largest first, so that no thread is left with it at the end.
  const size = (name) => statSync(join(large, name)).size;
  const names = readdirSync(large).filter((name) => name.endsWith(".wasm")).sort((a, b) => size(a) - size(b));
  const fail = (name, error) => {
    console.error(name ? `${name}: ${error}` : `${error}`);
    process.exit(1);
  };
  for (let left = Math.min(availableParallelism(), names.length); left > 0; left -= 1) {
    const worker = new Worker(new URL(import.meta.url), { workerData: [binaryenPath, large, small] });
    let name;
    const next = () => worker.postMessage((name = names.pop()));
    worker.on("message", (error) => (error ? fail(name, error) : next()));
    worker.on("error", (error) => fail(name, error));
    next();
  }
} else {
  const { default: binaryen } = await import(pathToFileURL(binaryenPath));
  const enabled = ["BulkMemory", "BulkMemoryOpt", "Multivalue", "MutableGlobals", "NontrappingFPToInt", "ReferenceTypes", "SignExt"];
  const features = enabled.reduce((all, name) => all | binaryen.Features[name], 0);
  binaryen.setOptimizeLevel(3);
  binaryen.setShrinkLevel(0);
  // The compiler has inlined what is worth it: to inline more makes the file larger, and nothing faster.
  binaryen.setAlwaysInlineMaxSize(1);
  binaryen.setFlexibleInlineMaxSize(1);
  binaryen.setOneCallerInlineMaxSize(1);
  parentPort?.on("message", (name) => {
    if (name === undefined) return parentPort.close();
    const module = binaryen.readBinary(readFileSync(join(large, name)));
    module.setFeatures(features);
    module.optimize();
    const valid = module.validate();
    if (valid) writeFileSync(join(small, name), module.emitBinary());
    module.dispose();
    parentPort.postMessage(valid ? "" : "Binaryen made no valid module of it");
  });
}
