import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { addressOf, listen, newContext } from "../../test/browser.js";
import { readNpy } from "../../test/numbers.js";
import { filesIn, pelt } from "../../tools/program.mjs";

export { diagonal, distance, readNpy } from "../../test/numbers.js";
export { hasShared, pelt, program, shared, web } from "../../tools/program.mjs";

export const { folder: work, made } = filesIn("three");

export const biped = () => made("biped.glb", (out) => pelt("sample", "biped", "--resolution", "1500", "-o", out));

export function mushed(from: string, name: string, ...options: string[]): string {
  return made(name, (out) => pelt("mush", from, "-o", out, ...options));
}

/** A page with a renderer of a kind, or without one. */
export class Session {
  readonly messages: string[] = [];

  private constructor(
    private readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  static async open(
    kind: "webgl" | "webgpu" | "nodes-webgl" | "bare",
    path = "/three/test/page/index.html",
    size = 64,
  ): Promise<Session> {
    const context = await newContext({ viewport: { width: 800, height: 600 } }),
      session = new Session(context, await context.newPage()),
      { page } = session;
    listen(page, session.messages);
    await page.goto(await addressOf(path));
    if (kind === "bare") return session;
    await page.waitForFunction("window.harness !== undefined");
    await page.evaluate(`harness.start("${kind}", ${size})`);
    return session;
  }

  load(file: string): Promise<{ name: string; pelt: boolean; skinned: boolean; vertices: number }[]> {
    return this.page.evaluate(`harness.load("/file${file}")`);
  }

  async floats(script: string): Promise<Float32Array> {
    const bytes = Buffer.from((await this.page.evaluate(script)) as string, "base64");
    return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  }

  close(): Promise<void> {
    return this.context.close();
  }
}

/** The native program's answer for one time of a clip: time = frame / 30. */
export function native(file: string, method: string, clip: string | number, frame: number, ...options: string[]) {
  const out = join(work, "native.npy"),
    normals = join(work, "normals.npy"),
    at = ["--clip", String(clip), "--frames", `${frame}:${frame + 1}`];
  pelt("deform", file, "--method", method, ...at, "--normals", normals, "--no-props", "-o", out, ...options);
  const tangents = options.includes("--tangents") ? readNpy(join(work, "tangents.npy")).data : new Float32Array(0);
  return { positions: readNpy(out).data, normals: readNpy(normals).data, tangents };
}
