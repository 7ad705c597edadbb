// What a GPU needs to skin the vertices of a character by a prepared method.
import { Rig, Row, type Visit } from "./packed_rig.js";

/** What each vertex is skinned by; entries as web/shaders/pelt_skin.glsl reads them. */
export interface Rows {
  /** How @pelt/three calls it: `ddm` (v0, or Enhanced DDM where bones scale), `ddm-v0` to `ddm-v4`, `eddm` or `lbs`. */
  method: string;
  /** p, three numbers a vertex. */
  centers: Float32Array;
  /** Entries a vertex. */
  counts: Uint32Array;
  /** The base, one a vertex; read by v2 and v4 alone, where it has the largest ψ. */
  pivots: Uint32Array;
  /** Twelve numbers an entry: bone ω ψ zz, χ yz, xx xy xz yy. */
  entries: Float32Array;
}

/** The rigid parts after the skin: a bone and so many vertices each. */
export interface Followers {
  firstBone: number;
  vertices: number[];
  /** Positions of all vertices, those of the skin first. */
  rest: Float32Array;
}

/** Numbers of an entry. */
const numbers = 12;

/** Null where the method has no form on the GPU. */
export function readRows(bytes: Uint8Array, followers: Followers): Rows | null {
  const rig = new Rig(bytes);
  if (rig.method === null) return null;
  const out = new RowWriter(rig.method, followers.rest.length / 3);
  for (const step of [(row: Row) => out.count(row), (row: Row) => out.write(row)]) {
    rig.visit(step);
    follow(followers, rig.vertexCount, step);
  }
  return out.rows;
}

/** A part's vertices have its bone alone. */
function follow({ firstBone, vertices, rest }: Followers, vertex: number, visit: Visit): void {
  const row = new Row();
  vertices.forEach((count, part) => {
    for (const end = vertex + count; vertex < end; ++vertex) {
      row.begin(vertex, firstBone + part);
      for (let i = 0; i < 3; ++i) row.center[i] = rest[3 * vertex + i];
      visit(row);
    }
  });
}

/** Counts all rows, then writes them in the order of the vertices. */
class RowWriter {
  readonly rows: Rows;
  private first = new Uint32Array(0);

  constructor(method: string, count: number) {
    this.rows = {
      method,
      centers: new Float32Array(3 * count),
      counts: new Uint32Array(count),
      pivots: new Uint32Array(count),
      entries: new Float32Array(0),
    };
  }

  count({ vertex, length }: Row): void {
    this.rows.counts[vertex] = length;
  }

  private begin(): void {
    const { counts } = this.rows;
    this.first = new Uint32Array(counts.length);
    let total = 0;
    for (let v = 0; v < counts.length; total += counts[v++]) this.first[v] = total;
    this.rows.entries = new Float32Array(numbers * total);
  }

  write({ vertex, length, center, bones, blocks, psi }: Row): void {
    if (this.first.length === 0) this.begin();
    const { centers, pivots, entries } = this.rows;
    for (let i = 0; i < 3; ++i) centers[3 * vertex + i] = center[i];
    pivots[vertex] = bones[0];
    for (let e = 0, at = numbers * this.first[vertex], b = 0; e < length; ++e, at += numbers, b += 10) {
      entries[at] = bones[e];
      entries[at + 1] = blocks[b + 9];
      entries[at + 2] = psi[e];
      entries[at + 3] = blocks[b + 5];
      for (let i = 0; i < 3; ++i) entries[at + 4 + i] = blocks[b + 6 + i];
      entries[at + 7] = blocks[b + 4];
      for (let i = 0; i < 4; ++i) entries[at + 8 + i] = blocks[b + i];
    }
  }
}
