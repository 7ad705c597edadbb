// npm run bench: what a mushed character of 20k vertices costs in WebGL, next to three.js's own skinning of the file.
//   node bench/bench.mjs [--gpu]   --gpu: the machine's own Vulkan driver instead of SwiftShader
import { pelt } from "../../tools/program.mjs";
import { open } from "./open.mjs";

const variants = ["v0", "v1", "v2", "v3", "v4", "v5"],
  gpu = process.argv.includes("--gpu");
pelt("sample", "biped", "-o", "biped.glb");
for (const variant of variants) pelt("mush", "biped.glb", "--variant", variant, "-o", `${variant}.glb`);

const { page, close } = await open("/three/bench/index.html", { gpu });
await page.waitForFunction("window.measure !== undefined");
const [count, rounds] = gpu ? [64, 60] : [2, 21];
const { gpu: name, ms } = await page.evaluate(`measure(${JSON.stringify(variants)}, ${count}, ${rounds})`);
console.log(`${name}\nbiped, 20315 vertices, 40626 triangles; median of a frame, for one character`);
for (const kind of Object.keys(ms))
  console.log(`  ${kind.padEnd(24)} ${ms[kind].toFixed(3).padStart(8)} ms  ${(ms[kind] / ms["three.js"]).toFixed(2)}x`);
await close();
