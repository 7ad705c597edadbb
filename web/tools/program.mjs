// The native program and a folder of its own, for tests, benchmarks and the scripts that make pictures.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const web = resolve(fileURLToPath(new URL("..", import.meta.url)));
export const root = resolve(web, "..");
export const program = process.env.PELT ?? join(root, "build/release/apps/pelt/pelt");
if (!existsSync(program)) throw new Error(`no ${program}: build Pelt first, or name the program in PELT`);

/** Characters that are not part of the repository, beside the checkout. */
export const shared = resolve(root, "../shared/data");
export const hasShared = existsSync(join(shared, "rigged"));

/** Removed when the process ends. */
export const work = mkdtempSync(join(tmpdir(), "pelt-web-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));

/** What the program prints. */
export function pelt(...words) {
  return execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], cwd: work });
}

/** A folder in `work`, and a function that makes a file there unless it is there already. */
export function filesIn(name) {
  const folder = join(work, name);
  mkdirSync(folder, { recursive: true });
  const made = (file, make) => {
    const path = join(folder, file);
    if (!existsSync(path)) make(path);
    return path;
  };
  return { folder, made };
}
