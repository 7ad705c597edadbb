// Vertices as the program writes them, and how far two lists of them are apart.
import { readFileSync } from "node:fs";

export function readNpy(path: string): { shape: number[]; data: Float32Array } {
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
    if (!(apart <= largest)) largest = apart; // also where it is not a number
  }
  return largest;
}
