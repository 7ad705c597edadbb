// `pelt studio` with a browser that has opened its page, for scripts that look at it.
import { join } from "node:path";
import { launch } from "../../tools/chromium.mjs";
import { pelt, work } from "../../tools/program.mjs";
import { startStudio } from "../../tools/studio.mjs";

/** A generated character in the scripts' own folder. */
export function sample(name, file, ...options) {
  const out = join(work, file);
  pelt("sample", name, ...options, "-o", out);
  return out;
}

/** Starts both; `close` ends them. Options are those of Playwright's newPage; `gpu`: drawn by the machine's own driver. */
export async function openPage(files, { gpu = false, ...options } = {}) {
  const server = await startStudio(files),
    browser = await launch({ gpu }),
    page = await browser.newPage({ viewport: { width: 1280, height: 720 }, ...options });
  page.setDefaultTimeout(120_000); // both cores of a small machine may be busy
  await page.goto(server.address);
  await page.waitForFunction("window.studio !== undefined");
  if (files.length > 0) await page.waitForFunction("studio.state().vertices > 0");
  const close = async () => {
    await browser.close();
    server.close();
  };
  return { page, close };
}

/** Opens files through the page's own button. */
export async function choose(page, ...files) {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Open a file" }).first().click(),
  ]);
  await chooser.setFiles(files);
}
