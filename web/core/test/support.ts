import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Character, Report } from "../dist/index.js";
import { diagonal, distance, readNpy } from "../../test/numbers.js";
import { filesIn, pelt, program } from "../../tools/program.mjs";

export { diagonal, distance, readNpy } from "../../test/numbers.js";
export { hasShared, pelt, shared, web } from "../../tools/program.mjs";

export const { folder: work, made } = filesIn("core");

export const read = (path: string) => new Uint8Array(readFileSync(path));

export const sample = (name: string, ...options: string[]) =>
  made(`${[name, ...options].join("")}.glb`, (out) => pelt("sample", name, "-o", out, ...options));

export const json = (...words: string[]): Report => JSON.parse(pelt(...words, "--json"));

/** What the program says when it refuses, without its own name. */
export function refusal(...words: string[]): { status: number; sentence: string } {
  const { status, stderr } = spawnSync(program, words, { encoding: "utf8" });
  const line = stderr.split("\n").find((one) => one.startsWith("pelt: ") && !one.startsWith("pelt: warning: ")) ?? "";
  return { status: status ?? -1, sentence: line.slice(6) };
}

/** Positions and normals of a frame, of the program and of this package. */
export function bothAt(
  hero: Character,
  file: string,
  method: string,
  clip: number | string,
  frame: number,
  options: Record<string, unknown> = {},
) {
  const out = join(work, "native.npy"),
    normals = join(work, "normals.npy");
  const words = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
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
    "-o",
    out,
    ...words,
  );
  const deformer = hero.deformer(method, options);
  const positions = new Float32Array(3 * hero.vertexCount),
    turned = new Float32Array(3 * hero.vertexCount);
  deformer.evaluate(hero.skinMatrices(clip, hero.clipTimes(clip, 30)[frame]), positions, turned);
  deformer.dispose();
  return { native: { positions: readNpy(out).data, normals: readNpy(normals).data }, positions, normals: turned };
}

/** The same surface as the program's, within the contract's 2e-6 of the diagonal. */
export function expectSame(
  hero: Character,
  file: string,
  method: string,
  clip: number | string,
  frame: number,
  options: Record<string, unknown> = {},
): void {
  const both = bothAt(hero, file, method, clip, frame, options);
  expect(distance(both.native.positions, both.positions) / diagonal(hero.positions())).toBeLessThan(2e-6);
  expect(distance(both.native.normals, both.normals)).toBeLessThan(1e-3);
}

/** The names of everything in a report, at any depth. */
export function keys(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return value.length > 0 ? keys(value[0], `${path}[]`) : [];
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([name, inner]) => keys(inner, `${path}.${name}`));
}
