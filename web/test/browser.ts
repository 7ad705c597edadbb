// One Chromium and one web server for all test files that run in this process.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { launch } from "../tools/chromium.mjs";
import { serve } from "../tools/serve.mjs";

// A test file is a module of its own, what it imports is shared: see vitest.config.ts.
let browser: Promise<Browser> | undefined;
let server: ReturnType<typeof serve> | undefined;

/** A window with storage of its own. */
export async function newContext(options: BrowserContextOptions): Promise<BrowserContext> {
  return (await (browser ??= launch())).newContext(options);
}

/** The address of a file of web/, or of the tests: see serve.mjs. */
export async function addressOf(path: string): Promise<string> {
  return (await (server ??= serve())).url(path);
}

/** Keeps the warnings and errors of a page. */
export function listen(page: Page, messages: string[]): void {
  page.on("console", (message) => {
    if (message.type() === "warning" || message.type() === "error") messages.push(message.text());
  });
  page.on("pageerror", (error) => messages.push(String(error)));
}
