// A page of web/ in Chromium, for the benchmark and the pictures.
import { launch } from "../../tools/chromium.mjs";
import { serve } from "../../tools/serve.mjs";

/** Opens it; `gpu`: drawn by the machine's own driver. */
export async function open(path, { gpu = false, viewport = { width: 800, height: 600 } } = {}) {
  const server = await serve(),
    browser = await launch({ gpu }),
    page = await browser.newPage({ viewport });
  page.on("pageerror", (error) => console.error(String(error)));
  await page.goto(server.url(path));
  const close = async () => {
    await browser.close();
    server.close();
  };
  return { page, close };
}
