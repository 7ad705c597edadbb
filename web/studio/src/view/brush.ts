import type { MapName } from "../state/settings.js";
import type { Model } from "./model.js";

/** Paints values at vertices. Distances are those of the rest pose, so that both sides of a mirror agree. */
export class Brush {
  map: MapName | null = null;
  mode: "add" | "reduce" | "smooth" | "erase" = "add";
  /** The radius, as a part of the diagonal. */
  size = 0.06;
  strength = 0.4;
  mirror = false;
  private neighbors: { offsets: Uint32Array; vertices: Uint32Array } | null = null;
  private model: Model | null = null;

  /** One touch at a vertex. Changes `values`. */
  touch(model: Model, vertex: number, values: Float32Array): void {
    if (this.model !== model) [this.model, this.neighbors] = [model, null];
    const { positions } = model.loaded,
      at = 3 * vertex;
    this.touchAt(positions[at], positions[at + 1], positions[at + 2], values);
    const offCenter = Math.abs(positions[at]) > 1e-6 * model.diagonal;
    if (this.mirror && offCenter) this.touchAt(-positions[at], positions[at + 1], positions[at + 2], values);
  }

  private touchAt(x: number, y: number, z: number, values: Float32Array): void {
    const { positions } = this.model!.loaded,
      radius = this.size * this.model!.diagonal;
    const before = this.mode === "smooth" ? values.slice() : values;
    for (let v = 0; v < values.length; ++v) {
      const d = Math.hypot(positions[3 * v] - x, positions[3 * v + 1] - y, positions[3 * v + 2] - z) / radius;
      if (d >= 1) continue;
      const amount = this.strength * (1 - d * d) ** 2;
      values[v] = Math.min(2, Math.max(0, this.changed(before, v, amount)));
    }
  }

  private changed(values: Float32Array, v: number, amount: number): number {
    if (this.mode === "add") return values[v] + 0.5 * amount;
    if (this.mode === "reduce") return values[v] - 0.5 * amount;
    if (this.mode === "erase") return values[v] + amount * (1 - values[v]);
    const { offsets, vertices } = (this.neighbors ??= neighborsOf(this.model!));
    let sum = values[v],
      count = 1;
    for (let k = offsets[v]; k < offsets[v + 1]; ++k, ++count) sum += values[vertices[k]];
    return values[v] + amount * (sum / count - values[v]);
  }
}

/** The vertices that share an edge with each vertex, one entry per triangle. */
function neighborsOf(model: Model): { offsets: Uint32Array; vertices: Uint32Array } {
  const { triangles, vertexCount } = model.loaded,
    offsets = new Uint32Array(vertexCount + 1);
  for (const v of triangles) offsets[v + 1] += 2;
  for (let v = 0; v < vertexCount; ++v) offsets[v + 1] += offsets[v];
  const vertices = new Uint32Array(offsets[vertexCount]),
    next = offsets.slice();
  for (let f = 0; f < triangles.length; f += 3)
    for (let c = 0; c < 3; ++c) {
      const v = triangles[f + c];
      vertices[next[v]++] = triangles[f + ((c + 1) % 3)];
      vertices[next[v]++] = triangles[f + ((c + 2) % 3)];
    }
  return { offsets, vertices };
}
