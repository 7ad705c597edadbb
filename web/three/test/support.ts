import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, normalize, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";

export const web = resolve(fileURLToPath(new URL("../../", import.meta.url)));
export const shared = resolve(web, "../../shared/data");
export const hasShared = existsSync(join(shared, "rigged"));
export const work = mkdtempSync(join(tmpdir(), "pelt-three-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));

export const program = process.env.PELT ?? resolve(web, "../build/release/apps/pelt/pelt");
if (!existsSync(program)) throw new Error(`no ${program}: build Pelt first, or name the program in PELT`);

export function pelt(...args: string[]): string {
  return execFileSync(program, [...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** A file in the tests' own folder, made once. */
export function made(name: string, make: (path: string) => void): string {
  const path = join(work, name);
  if (!existsSync(path)) make(path);
  return path;
}

export const biped = () => made("biped.glb", (out) => pelt("sample", "biped", "--resolution", "4000", "-o", out));

export function mushed(from: string, name: string, ...options: string[]): string {
  return made(name, (out) => pelt("mush", from, "-o", out, ...options));
}

export interface Array3 {
  shape: number[];
  data: Float32Array;
}

export function readNpy(path: string): Array3 {
  const file = readFileSync(path);
  const length = file.readUInt16LE(8),
    header = file.toString("latin1", 10, 10 + length);
  const shape = /'shape': \(([^)]*)\)/
    .exec(header)![1]
    .split(",")
    .filter((s) => s.trim())
    .map(Number);
  if (!header.includes("<f4")) throw new Error(`${path}: ${header}`);
  return {
    shape,
    data: new Float32Array(file.buffer.slice(file.byteOffset + 10 + length, file.byteOffset + file.length)),
  };
}

export function diagonal(points: Float32Array): number {
  const low = [Infinity, Infinity, Infinity],
    high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; ++i) {
    low[i % 3] = Math.min(low[i % 3], points[i]);
    high[i % 3] = Math.max(high[i % 3], points[i]);
  }
  return Math.hypot(...low.map((x, i) => high[i] - x));
}

/** The largest distance between points of two lists. */
export function distance(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) throw new Error(`${a.length / 3} points and ${b.length / 3}`);
  let largest = 0;
  for (let i = 0; i < a.length; i += 3) {
    const apart = Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]);
    if (!(apart <= largest)) largest = apart;
  }
  return largest;
}

const types: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".json": "application/json",
  ".glb": "model/gltf-binary",
  ".gltf": "model/gltf+json",
  ".wasm": "application/wasm",
};

/** Serves web/, and the tests' files under /files/. */
function serve(): Promise<Server> {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url!, "http://x").pathname));
    const file = path.startsWith("/files/")
      ? join(work, path.slice(7))
      : path.startsWith("/file/")
        ? path.slice(5)
        : join(web, path);
    if (path === "/favicon.ico") return void response.writeHead(204).end();
    if (!existsSync(file)) return void response.writeHead(404).end();
    response
      .writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" })
      .end(readFileSync(file));
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

// SwiftShader for WebGL and WebGPU; the rest keeps Chromium from calling home.
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
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
];

export class Session {
  readonly messages: string[] = [];

  private constructor(
    private readonly server: Server,
    private readonly browser: Browser,
    readonly page: Page,
  ) {}

  static async open(
    kind: "webgl" | "webgpu" | "nodes-webgl" | "bare",
    path = "/three/test/page/index.html",
    size = 64,
  ): Promise<Session> {
    const server = await serve();
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });
    const page = await browser.newPage({ viewport: { width: 800, height: 600 } });
    const session = new Session(server, browser, page);
    page.on("console", (message) => {
      if (message.type() === "warning" || message.type() === "error") session.messages.push(message.text());
    });
    page.on("pageerror", (error) => session.messages.push(String(error)));
    await page.goto(session.url(path));
    if (kind === "bare") return session;
    await page.waitForFunction("window.harness !== undefined");
    await page.evaluate(`harness.start("${kind}", ${size})`);
    return session;
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  load(file: string): Promise<{ name: string; pelt: boolean; skinned: boolean; vertices: number }[]> {
    return this.page.evaluate(`harness.load("/file${file}")`);
  }

  async floats(script: string): Promise<Float32Array> {
    const bytes = Buffer.from((await this.page.evaluate(script)) as string, "base64");
    return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.server.close();
  }
}

/** The native program's answer for one time of a clip: time = frame / 30. */
export function native(file: string, method: string, clip: string | number, frame: number, ...options: string[]) {
  const out = join(work, "native.npy"),
    normals = join(work, "normals.npy");
  pelt(
    "deform",
    file,
    "--method",
    method,
    "--clip",
    String(clip),
    "--frames",
    `${frame}:${frame + 1}`,
    "--normals",
    normals,
    "--no-props",
    "-o",
    out,
    ...options,
  );
  const tangents = options.includes("--tangents") ? readNpy(join(work, "tangents.npy")).data : new Float32Array(0);
  return { positions: readNpy(out).data, normals: readNpy(normals).data, tangents };
}
