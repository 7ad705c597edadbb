// `pelt studio` with a browser that has opened its page, for scripts that look at it.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const root = resolve(fileURLToPath(new URL("../../../", import.meta.url)));
export const program = process.env.PELT ?? join(root, "build/release/apps/pelt/pelt");
if (!existsSync(program)) throw new Error(`no ${program}: build Pelt first, or name the program in PELT`);

export const work = mkdtempSync(join(tmpdir(), "pelt-studio-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));

/** A generated character in the scripts' own folder. */
export function sample(name, file, ...options) {
  const out = join(work, file);
  execFileSync(program, ["sample", name, ...options, "-o", out], { stdio: "ignore" });
  return out;
}

const drivers = {
  processor: ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  gpu: ["--use-angle=vulkan", "--enable-features=Vulkan", "--ignore-gpu-blocklist"],
};

/** Starts both; `close` ends them. Options are those of Playwright's newPage; `gpu`: drawn by the machine's own driver. */
export async function openPage(files, { gpu = false, ...options } = {}) {
  const server = spawn(program, ["studio", "--no-open", ...files]);
  const address = await new Promise((found, fail) => {
    server.stdout.on("data", (text) => /http:\S+/.test(String(text)) && found(/http:\S+/.exec(String(text))[0]));
    server.stderr.on("data", (text) => fail(new Error(String(text))));
  });
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-background-networking", ...drivers[gpu ? "gpu" : "processor"]],
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, ...options });
  page.setDefaultTimeout(120_000); // both cores of a small machine may be busy
  await page.goto(address);
  await page.waitForFunction("window.studio !== undefined");
  if (files.length > 0) await page.waitForFunction("studio.state().vertices > 0");
  const close = async () => {
    await browser.close();
    server.kill("SIGINT");
  };
  return { page, browser, address, close };
}

/** Opens files through the page's own button. */
export async function choose(page, ...files) {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Open a file" }).first().click(),
  ]);
  await chooser.setFiles(files);
}
