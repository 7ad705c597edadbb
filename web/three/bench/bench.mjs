// npm run bench: what a mushed character of 20k vertices costs in WebGL, next to three.js's own skinning of the same file.
// node bench/bench.mjs [--gpu]   --gpu: Chromium's own choice of driver instead of SwiftShader
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const web = resolve(fileURLToPath(new URL("../..", import.meta.url)));
const program = process.env.PELT ?? resolve(web, "../build/release/apps/pelt/pelt");
const work = mkdtempSync(join(tmpdir(), "pelt-bench-"));
execFileSync(program, ["sample", "biped", "-o", join(work, "biped.glb")], { stdio: "ignore" });
const variants = ["v0", "v1", "v2", "v3", "v4", "v5"];
for (const variant of variants)
  execFileSync(program, ["mush", join(work, "biped.glb"), "--variant", variant, "-o", join(work, `${variant}.glb`)], { stdio: "ignore" });

const types = { ".html": "text/html", ".js": "text/javascript" };
const server = createServer((request, response) => {
  const path = new URL(request.url, "http://x").pathname;
  const file = path.startsWith("/work/") ? join(work, path.slice(6)) : join(web, path);
  if (path.includes("..") || !existsSync(file)) return void response.writeHead(404).end();
  response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));

const gpu = process.argv.includes("--gpu");
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--ignore-gpu-blocklist",
         ...(gpu ? ["--use-angle=vulkan", "--enable-features=Vulkan"] : ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"])],
});
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/three/bench/index.html`);
await page.waitForFunction("window.measure !== undefined");
const [count, rounds] = gpu ? [64, 60] : [2, 21];
const { gpu: name, ms } = await page.evaluate(`measure(${JSON.stringify(variants)}, ${count}, ${rounds})`);
console.log(`${name}\nbiped, 20315 vertices, 40626 triangles; median of a frame, for one character`);
for (const kind of Object.keys(ms))
  console.log(`  ${kind.padEnd(24)} ${ms[kind].toFixed(3).padStart(8)} ms  ${(ms[kind] / ms["three.js"]).toFixed(2)}x`);
await browser.close();
server.close();
rmSync(work, { recursive: true });
