// Speed as ratios to the native library on one thread, in one run. Prints the tables of docs/web.md.
//   npm run bench [-- FILE.glb]
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { pelt as program, root, work } from "../../tools/program.mjs";
import { createPelt } from "../dist/index.js";

const library = process.env.PELT_LIBRARY ?? join(root, "build/release/bindings/c/libpelt.so");
const file = process.argv[2] ?? join(work, "biped.glb");
if (!process.argv[2]) program("sample", "biped", "--skin", "smooth", "--resolution", "20000", "-o", file);

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/** Seconds of processor time, so that a busy machine does not count. */
function seconds(work, times = 5) {
  return median(
    Array.from({ length: times }, () => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1e6;
    }),
  );
}

const pelt = await createPelt();
const hero = pelt.loadCharacter(new Uint8Array(readFileSync(file)));
const matrices = hero.skinMatrices("@range", 1.3),
  positions = new Float32Array(3 * hero.vertexCount);
const joint = hero.joints[hero.joints.length >> 1].name;
const native = JSON.parse(
  execFileSync(
    "python3",
    [fileURLToPath(new URL("native.py", import.meta.url)), library, file, "@range", "1.3", joint],
    { encoding: "utf8" },
  ),
);
const rows = [];
const row = (what, web, other, goal) =>
  rows.push([
    what,
    `${(1000 * web).toFixed(2)} ms`,
    other ? `${(1000 * other).toFixed(2)} ms` : "",
    other ? (web / other).toFixed(2) : "",
    goal,
  ]);

for (const method of ["lbs", "dqs", "ddm"]) {
  const deformer = hero.deformer(method);
  const frames = () => {
    for (let i = 0; i < 200; ++i) deformer.evaluate(matrices, positions);
  };
  frames();
  await new Promise((done) => setTimeout(done, 500)); // the engine compiles it better meanwhile
  const web = seconds(frames, 9) / 200;
  row(`${method}, one frame`, web, native[method], "4");
  deformer.dispose();
}

const bytes = readFileSync(file);
const prepare = seconds(() => {
  const fresh = pelt.loadCharacter(bytes);
  fresh.deformer("ddm").dispose();
  fresh.dispose();
});
row("ddm, load and prepare", prepare, native.prepare, "3");

const mushed = [];
for (let i = 0; i < 3; ++i) {
  const before = process.cpuUsage();
  await hero.mush();
  mushed.push(process.cpuUsage(before).user / 1e6);
}
row("mush", median(mushed), native.mush, "3; 2 s");
let turn = 0;
hero.deformer("ddm").dispose();
row(
  "α changed",
  seconds(() => hero.deformer("ddm", { alpha: 0.3 + 0.01 * ++turn }).dispose()),
  0,
  "0.3 s",
);
row(
  "κ changed",
  seconds(() => hero.deformer("ddm", { kappa: 3 + 0.1 * ++turn }).dispose()),
  0,
  "0.3 s",
);

const poser = hero.poser();
const drag = () => {
  ++turn;
  const offset = [0.05 * (turn % 3), 0.05 + 0.02 * (turn % 2), 0];
  poser.setHandles([{ joint, constraint: "position", offset }]);
  poser.step(30);
};
drag();
const drags =
  seconds(() => {
    for (let i = 0; i < 20; ++i) drag();
  }) / 20;
row("posing, 30 iterations", drags, native.posing, "4");

const control = new AbortController();
let aborted = 0;
const onProgress = (fraction) => {
  if (!aborted && fraction > 0.3) {
    aborted = performance.now();
    control.abort();
  }
};
await hero.mush({ signal: control.signal, onProgress }).catch(() => {});
row("abort", (performance.now() - aborted) / 1000, 0, "100 ms");

console.log(`${hero.vertexCount} vertices, ${hero.joints.length} joints; Node ${process.version}\n`);
console.log("| | WebAssembly | native | ratio | goal |\n| --- | --- | --- | --- | --- |");
for (const cells of rows) console.log(`| ${cells.join(" | ")} |`);
const wasm = readFileSync(new URL("../dist/pelt.wasm", import.meta.url));
const small = brotliCompressSync(wasm, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: wasm.length } });
console.log(`\npelt.wasm: ${(wasm.length / 1e6).toFixed(2)} MB, ${(small.length / 1e6).toFixed(2)} MB by Brotli`);
