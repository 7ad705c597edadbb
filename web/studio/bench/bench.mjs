// How the page responds while it plays a character of 20k vertices: npm run bench -w studio [-- FILE.glb] [--gpu]
// For each change: the time until it is shown, and meanwhile the poses that were shown a second and the longest time
// the page itself was busy. --gpu: the machine's own Vulkan driver; without it the pictures are drawn by the processor,
// on the cores that the workers need, so that fewer are drawn.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = resolve(fileURLToPath(new URL("../../../", import.meta.url)));
const program = process.env.PELT ?? join(root, "build/release/apps/pelt/pelt");
const work = mkdtempSync(join(tmpdir(), "pelt-bench-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
const words = process.argv.slice(2),
  gpu = words.includes("--gpu"),
  file = words.find((word) => !word.startsWith("--")) ?? join(work, "biped.glb");
if (file.startsWith(work))
  execFileSync(program, ["sample", "biped", "--skin", "smooth", "--resolution", "20000", "-o", file], {
    stdio: "ignore",
  });

const server = spawn(program, ["studio", "--no-open", file], { stdio: ["ignore", "pipe", "ignore"] });
const address = await new Promise((found) =>
  server.stdout.on("data", (text) => {
    const match = /http:\S+/.exec(String(text));
    if (match) found(match[0]);
  }),
);
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-background-networking",
    ...(gpu
      ? ["--use-angle=vulkan", "--enable-features=Vulkan", "--ignore-gpu-blocklist"]
      : ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]),
  ],
});
const page = await browser.newPage({ viewport: { width: 640, height: 480 } });
const opened = performance.now();
await page.goto(address);
await page.waitForFunction("window.studio?.state().vertices > 0");
const first = performance.now() - opened;
await page.evaluate("studio.set({})");
const prepared = performance.now() - opened;

/** Runs in the page: what happens between a change and the moment when it is shown. */
const measure = async (change) => {
  let poses = 0,
    pictures = 0,
    last = 0,
    busy = 0,
    done = false;
  const watch = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) busy = Math.max(busy, duration);
  });
  watch.observe({ type: "longtask" });
  const look = () => {
    const now = studio.positions(0).reduce((sum, x, i) => (i % 97 === 0 ? sum + x : sum), 0);
    if (now !== last) ++poses;
    last = now;
    ++pictures;
    if (!done) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  const began = performance.now();
  if (typeof change === "number") await new Promise((resolve) => setTimeout(resolve, change));
  else await studio.set(change);
  const ms = performance.now() - began;
  done = true;
  await new Promise((resolve) => setTimeout(resolve, 100));
  watch.disconnect();
  return { ms, poses: (1000 * poses) / ms, pictures: (1000 * pictures) / ms, busy };
};
const run = (change) => page.evaluate(`(${measure})(${JSON.stringify(change)})`);

await page.evaluate("studio.set({ clip: studio.state().clips[0] ?? '@range', playing: true })");
const rows = [["playing", await run(3000), "60 poses a second"]];
await run({ kappa: 5 }); // the first change also smooths
for (const [name, change, goal] of [
  ["κ", { kappa: 10 }, "0.3 s"],
  ["κ", { kappa: 20 }, "0.3 s"],
  ["α", { alpha: 0.6 }, "0.3 s"],
  ["α", { alpha: 0.4 }, "0.3 s"],
  ["λ", { lambda: 8 }, "2 s"],
  ["bind", { bind: "keep" }, "2 s"],
])
  rows.push([name, await run(change), goal]);

const { vertices } = await page.evaluate("studio.state()");
console.log(`${vertices} vertices; load of the machine ${loadavg()[0].toFixed(1)}; ${gpu ? "GPU" : "drawn by the processor"}`);
console.log(`first picture after ${(first / 1000).toFixed(2)} s, Direct Delta Mush after ${(prepared / 1000).toFixed(2)} s`);
console.log("change    shown after   goal               poses/s   pictures/s   page busy at most");
for (const [name, { ms, poses, pictures, busy }, goal] of rows)
  console.log(
    name.padEnd(9),
    name === "playing" ? "".padStart(11) : `${(ms / 1000).toFixed(2)} s`.padStart(11),
    ` ${goal.padEnd(18)}`,
    poses.toFixed(0).padStart(7),
    pictures.toFixed(0).padStart(12),
    (busy ? `${busy.toFixed(0)} ms` : "< 50 ms").padStart(19),
  );
await browser.close();
server.kill("SIGINT");
