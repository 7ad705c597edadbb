import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { listen, newContext } from "../../test/browser.js";
import { diagonal, distance, readNpy as readArray } from "../../test/numbers.js";
import { filesIn, pelt, web } from "../../tools/program.mjs";
import { startStudio } from "../../tools/studio.mjs";

export { hasShared, pelt, program, shared } from "../../tools/program.mjs";
export const { folder: work, made } = filesIn("studio");

if (!existsSync(join(web, "studio/dist/index.html"))) throw new Error("the page is not built: npm run build -w studio");

export const biped = (resolution = 1500) =>
  made(resolution === 1500 ? "biped.glb" : `biped${resolution}.glb`, (out) =>
    pelt("sample", "biped", "--skin", "smooth", "--resolution", String(resolution), "-o", out),
  );
export const bar = () =>
  made("bar.glb", (out) => pelt("sample", "bar", "--skin", "smooth", "--resolution", "400", "-o", out));

export const readNpy = (path: string): Float32Array => readArray(path).data;

/** What the program computes: one frame, or all of a clip. */
export function deform(file: string, ...options: string[]): Float32Array {
  const out = join(work, "native.npy");
  pelt("deform", file, "-o", out, ...options);
  return readNpy(out);
}

/** The largest distance between points of two lists, in diagonals of the first. */
export const apart = (a: Float32Array, b: Float32Array): number => distance(a, b) / diagonal(a);

const require = createRequire(import.meta.url);
const { validateBytes } = require("gltf-validator");

/** The Khronos validator finds no error in a file. */
export async function expectValid(bytes: Uint8Array): Promise<void> {
  const report: any = await validateBytes(bytes);
  expect(report.issues.messages.filter((message: any) => message.severity === 0)).toEqual([]);
}

const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** What axe calls serious on a page. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate("window.axe !== undefined"))) await page.evaluate(axe);
  const found: any = await page.evaluate("axe.run()");
  const serious = found.violations.filter((v: any) => ["serious", "critical"].includes(v.impact));
  expect(serious.map((v: any) => `${v.id}: ${v.nodes.map((n: any) => n.html).join(" ")}`)).toEqual([]);
}

interface Options {
  /** Pictures are looked at: a pixel of the page is one of the screen. Otherwise fewer are drawn. */
  pictures?: boolean;
}

/** `pelt studio` and a window that has opened it. */
export class Session {
  readonly messages: string[] = [];
  page!: Page;
  private server: { address: string; close(): void } | undefined;
  private context: BrowserContext | undefined;

  async open(files: string[], { pictures = false }: Options): Promise<void> {
    this.server = await startStudio(files);
    this.context = await newContext({
      viewport: { width: 1280, height: 720 },
      deviceScaleFactor: pictures ? 1 : 0.25,
      acceptDownloads: true,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    this.page = await this.newPage();
    if (files.length > 0) await this.shown();
  }

  async newPage(): Promise<Page> {
    const page = await this.context!.newPage();
    page.setDefaultTimeout(100_000); // both cores of a small machine may be busy
    listen(page, this.messages);
    await page.goto(this.server!.address);
    await page.waitForFunction("window.studio !== undefined");
    return page;
  }

  /** Waits until a character is shown. */
  async shown(page = this.page): Promise<void> {
    await page.waitForFunction("studio.state().vertices > 0");
    await page.evaluate("studio.set({})");
  }

  async load(file: string, name = "test.glb"): Promise<void> {
    const bytes = readFileSync(file).toString("base64");
    await this.page.evaluate(`studio.load(Uint8Array.from(atob("${bytes}"), (c) => c.charCodeAt(0)), "${name}")`);
  }

  async drop(...files: string[]): Promise<void> {
    const [chooser] = await Promise.all([
      this.page.waitForEvent("filechooser"),
      this.page.getByRole("button", { name: "Open a file" }).first().click(),
    ]);
    await chooser.setFiles(files);
  }

  /** Changes settings and waits until what they say is shown. */
  set(settings: object): Promise<void> {
    return this.page.evaluate(`studio.set(${JSON.stringify(settings)})`);
  }

  state(): Promise<any> {
    return this.page.evaluate("studio.state()");
  }

  async positions(view = 0): Promise<Float32Array> {
    return new Float32Array((await this.bytes(`new Uint8Array(studio.positions(${view}).buffer)`)).buffer);
  }

  /** An expression's Uint8Array, out of the page. */
  async bytes(expression: string): Promise<Uint8Array> {
    const text = await this.page.evaluate(`(async () => {
      const bytes = await (${expression});
      let text = "";
      for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
      return btoa(text);
    })()`);
    return Uint8Array.from(Buffer.from(text as string, "base64"));
  }

  /** Clicks and gives what the page downloads. */
  async download(button: string): Promise<Uint8Array> {
    const [event] = await Promise.all([
      this.page.waitForEvent("download"),
      this.page.getByRole("button", { name: button, exact: true }).click(),
    ]);
    return new Uint8Array(readFileSync(await event.path()));
  }

  async tab(name: string): Promise<void> {
    await this.page.getByRole("tab", { name }).click();
    await this.set({});
  }

  async close(): Promise<void> {
    await this.context?.close();
    this.server?.close();
  }
}

/** A window for all tests of a file. */
export function openStudio(files: () => string[] = () => [], options: Options = {}): Session {
  const session = new Session();
  beforeAll(() => session.open(files(), options));
  afterAll(() => session.close());
  return session;
}
