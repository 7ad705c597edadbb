// What a GPU needs to skin the vertices of a character by a prepared method.
import type { Instance, Scope } from "./instance.js";

/** What each vertex is skinned by; entries as web/shaders/pelt_skin.glsl reads them. */
export interface Rows {
  /** How @pelt/three calls it: `ddm` (v0, or Enhanced DDM where bones scale), `ddm-v0` to `ddm-v4`, `eddm` or `lbs`. */
  method: string;
  /** p, three numbers per vertex. */
  centers: Float32Array;
  /** The number of entries, per vertex. */
  counts: Uint32Array;
  /** The base joint, one per vertex; read by v2 and v4 alone, where it has the largest ψ. */
  pivots: Uint32Array;
  /** Twelve numbers per entry: bone ω ψ zz, χ yz, xx xy xz yy. */
  entries: Float32Array;
}

/** Null where the method has no form on the GPU. `bytes` are those of a deformer of the character. */
export function readRows(
  instance: Instance,
  scope: Scope,
  character: number,
  bytes: Uint8Array,
  vertexCount: number,
): Rows | null {
  const { module } = instance,
    out = scope.slot();
  instance.check(module._pelt_web_rows_make(character, scope.array(bytes), bytes.length, out));
  const rows = scope.filled(out);
  if (rows === 0) return null;
  try {
    const [method, centers, counts, pivots, entries, length] = instance.integers(rows, 6);
    return {
      method: instance.text(method),
      centers: instance.floats(centers, 3 * vertexCount),
      counts: instance.integers(counts, vertexCount),
      pivots: instance.integers(pivots, vertexCount),
      entries: instance.floats(entries, length),
    };
  } finally {
    module._pelt_web_rows_free(rows);
  }
}
