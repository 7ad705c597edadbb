import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import {
  diagonal, distance, hasShared, made, pelt, program, readNpy as readArray, shared, web, work,
} from "../../three/test/support.js";

export { hasShared, made, pelt, program, shared, work };

if (!existsSync(join(web, "studio/dist/index.html"))) throw new Error("the page is not built: npm run build -w studio");

export const biped = () =>
  made("biped.glb", (out) => pelt("sample", "biped", "--skin", "smooth", "--resolution", "4000", "-o", out));
export const bar = () => made("bar.glb", (out) => pelt("sample", "bar", "--skin", "smooth", "-o", out));

export const readNpy = (path: string): Float32Array => readArray(path).data;

/** What the program computes: one frame, or all of a clip. */
export function deform(file: string, ...options: string[]): Float32Array {
  const out = join(work, "native.npy");
  pelt("deform", file, "-o", out, ...options);
  return readNpy(out);
}

/** The largest distance between points of two lists, in diagonals of the first. */
export const apart = (a: Float32Array, b: Float32Array): number => distance(a, b) / diagonal(a);

const { validateBytes } = createRequire(import.meta.url)("gltf-validator");

/** The Khronos validator finds no error in a file. */
export async function expectValid(bytes: Uint8Array): Promise<void> {
  const report: any = await validateBytes(bytes);
  expect(report.issues.messages.filter((message: any) => message.severity === 0)).toEqual([]);
}

// SwiftShader for WebGL; the rest keeps Chromium from calling home.
const flags = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--ignore-gpu-blocklist",
];

/** `pelt studio` and a browser that has opened it. */
export class Session {
  readonly messages: string[] = [];

  private constructor(
    private readonly server: ChildProcess,
    private readonly browser: Browser,
    readonly context: BrowserContext,
    readonly address: string,
  ) {}

  page!: Page;

  static async open(...files: string[]): Promise<Session> {
    const server = spawn(program, ["studio", "--no-open", ...files], { stdio: ["ignore", "pipe", "pipe"] });
    const address = await new Promise<string>((found, fail) => {
      let said = "";
      server.stdout!.on("data", (text) => {
        said += text;
        const match = /http:\S+/.exec(said);
        if (match) found(match[0]);
      });
      server.stderr!.on("data", (text) => fail(new Error(String(text))));
    });
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });
    const context = await browser.newContext({
      viewport: { width: 1280, height: 720 },
      acceptDownloads: true,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const session = new Session(server, browser, context, address);
    try {
      session.page = await session.newPage();
      if (files.length > 0) await session.shown();
    } catch (error) {
      await session.close();
      throw error;
    }
    return session;
  }

  async newPage(address = this.address): Promise<Page> {
    const page = await this.context.newPage();
    page.setDefaultTimeout(100_000); // both cores of a small machine may be busy
    page.on("console", (message) => {
      if (message.type() === "warning" || message.type() === "error") this.messages.push(message.text());
    });
    page.on("pageerror", (error) => this.messages.push(String(error)));
    await page.goto(address);
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
    await this.browser.close();
    this.server.kill("SIGINT");
  }
}
