// A page of web/ in Chromium, and the native program, for the benchmark and the pictures.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const web = resolve(fileURLToPath(new URL("../..", import.meta.url)));
const program = process.env.PELT ?? resolve(web, "../build/release/apps/pelt/pelt");
export const work = mkdtempSync(join(tmpdir(), "pelt-three-"));

export function pelt(...words) {
  execFileSync(program, words, { stdio: "ignore", cwd: work });
}

const types = { ".html": "text/html", ".js": "text/javascript", ".png": "image/png" };
const drivers = {
  swiftshader: ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  gpu: ["--use-angle=vulkan", "--enable-features=Vulkan"],
};

/** Serves web/, and `work` under /files/. */
export async function open(path, driver = "swiftshader", viewport = { width: 800, height: 600 }) {
  const server = createServer((request, response) => {
    const asked = new URL(request.url, "http://x").pathname;
    const file = asked.startsWith("/files/") ? join(work, asked.slice(7)) : join(web, asked);
    if (asked.includes("..") || !existsSync(file)) return void response.writeHead(404).end();
    response
      .writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" })
      .end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--ignore-gpu-blocklist",
      ...drivers[driver],
    ],
  });
  const page = await browser.newPage({ viewport });
  page.on("pageerror", (error) => console.error(String(error)));
  await page.goto(`http://127.0.0.1:${server.address().port}${path}`);
  const close = async () => {
    await browser.close();
    server.close();
    rmSync(work, { recursive: true });
  };
  return { page, close };
}
