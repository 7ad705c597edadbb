// Reads the rows of vertices back from a packed rig. The layouts are those of src/internal/rigs/lbs_layout.h and
// ddm_layout.h: blocks of sixteen vertices that share a list of joints, without the part of each vertex's base joint,
// which follows from what all parts sum up to.

const lanes = 16,
  window = 2048;
/** By DdmForm; the printed form of v1 is in no shader. */
const methods = ["ddm", "ddm-v0", "ddm-v1", null, "ddm-v2", "ddm-v3", "ddm-v4", "eddm"];

export type Visit = (row: Row) => void;

export class Rig {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;

  constructor(given: Uint8Array) {
    const bytes = given.byteOffset % 4 === 0 ? given : given.slice(); // arrays of numbers start at multiples of 4
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** How @pelt/three calls the method; null where it has no shader for it. */
  get method(): string | null {
    const kind = this.word(16);
    return kind === 1 ? "lbs" : kind === 3 ? methods[this.word(60)] : null;
  }

  get vertexCount(): number {
    return this.word(32);
  }

  /** Calls `visit` with the row of each vertex, in any order; the row is valid until it returns. */
  visit(visit: Visit): void {
    if (this.method === "lbs") visitLinear(this, visit);
    else visitMush(this, visit);
  }

  /** Sizes are 64-bit numbers whose upper half is 0. */
  word(at: number): number {
    return this.view.getUint32(at, true);
  }

  float(at: number): number {
    return this.view.getFloat32(at, true);
  }

  at(header: number): number {
    return this.word(header);
  }

  size(header: number): number {
    return this.word(header + 8);
  }

  words(header: number, each = 1): Uint32Array {
    return this.array(Uint32Array, header, each);
  }

  floats(header: number): Float32Array {
    return this.array(Float32Array, header, lanes);
  }

  shorts(at: number, count: number): Uint16Array {
    return new Uint16Array(this.bytes.buffer, this.bytes.byteOffset + at, count);
  }

  private array<T>(type: new (buffer: ArrayBufferLike, at: number, count: number) => T, header: number, each: number) {
    return new type(this.bytes.buffer, this.bytes.byteOffset + this.at(header), each * this.size(header));
  }
}

/** The row of one vertex: the base comes first. Reused for the next vertex. */
export class Row {
  vertex = 0;
  length = 0;
  readonly center = [0, 0, 0];
  readonly bones: number[] = [];
  /** Ten numbers an entry: xx xy xz yy yz zz, χ, ω. */
  readonly blocks: number[] = [];
  readonly psi: number[] = [];

  begin(vertex: number, bone: number): void {
    this.vertex = vertex;
    this.length = 0;
    this.add(bone);
    this.blocks[9] = this.psi[0] = 1;
  }

  /** An entry of zeros; where its numbers start. */
  add(bone: number): number {
    const at = 10 * this.length;
    this.bones[this.length] = bone;
    this.psi[this.length++] = 0;
    for (let i = 0; i < 10; ++i) this.blocks[at + i] = 0;
    return at;
  }

  /** All entries sum up to W = P, χ = 0, ω = ψ = 1: what the others leave is the base's. */
  takeFromBase(): void {
    const entry = this.length - 1,
      { blocks, psi } = this;
    for (let i = 0; i < 10; ++i) blocks[i] -= blocks[10 * entry + i];
    psi[0] -= psi[entry];
  }
}

/** Where LbsHeader has its arrays; bridge/bones.cpp checks it. */
const linear = {
  differences: 48,
  offsets: 64,
  entries: 80,
  rows: 96,
  compactEntries: 112,
  rowOffsets: 128,
  runs: 160,
  bases: 176,
};

/** Calls `visit` with the weight in this lane and its difference, for each entry of a block that has one there. */
type Weights = (block: number, lane: number, visit: (weight: number, difference: number) => void) => void;

function fullWeights(rig: Rig): Weights {
  const offsets = rig.words(linear.offsets),
    entries = rig.words(linear.entries),
    rows = rig.floats(linear.rows);
  return (block, lane, visit) => {
    for (let e = offsets[block]; e < offsets[block + 1]; ++e)
      if (rows[lanes * e + lane] !== 0) visit(rows[lanes * e + lane], entries[e]);
  };
}

/** Of a compact rig: an entry is a difference, the lanes that use it, and the row of its block with their weights. */
function compactWeights(rig: Rig): Weights {
  const offsets = rig.words(linear.offsets),
    entries = rig.shorts(rig.at(linear.compactEntries), 3 * rig.size(linear.compactEntries)),
    rowOffsets = rig.words(linear.rowOffsets),
    rows = rig.floats(linear.rows);
  return (block, lane, visit) => {
    for (let e = offsets[block]; e < offsets[block + 1]; ++e) {
      const [difference, used, row] = entries.subarray(3 * e, 3 * e + 3);
      if ((used >> lane) & 1) visit(rows[lanes * (rowOffsets[block] + row) + lane], difference);
    }
  };
}

function visitLinear(rig: Rig, visit: Visit): void {
  const differences = rig.words(linear.differences, 2),
    runs = rig.words(linear.runs, 2),
    bases = rig.words(linear.bases, 2),
    weightsOf = rig.size(linear.compactEntries) > 0 ? compactWeights(rig) : fullWeights(rig);
  const count = rig.vertexCount,
    row = new Row();
  const add = (weight: number, difference: number) => {
    row.blocks[row.add(differences[2 * difference + 1]) + 9] = weight;
    row.psi[row.length - 1] = weight;
    row.takeFromBase();
  };
  for (let run = 0; run + 1 < runs.length / 2; ++run) {
    const [first, base, end, baseEnd] = runs.subarray(2 * run, 2 * run + 4);
    for (let vertex = lanes * first; vertex < Math.min(lanes * end, count); ++vertex) {
      const lane = vertex % lanes;
      let at = base;
      while (at + 1 < baseEnd && ((bases[2 * at + 1] >> lane) & 1) === 0) ++at;
      row.begin(vertex, bases[2 * at]);
      weightsOf((vertex - lane) / lanes, lane, add);
      visit(row);
    }
  }
}

/** Where the numbers of a block are. */
interface Block {
  kind: number;
  base: number;
  vertices: Uint16Array;
  entry: number;
  entryEnd: number;
  /** Index of its first number. */
  row: number;
}

const followed = 0,
  blended = 1;

function visitMush(rig: Rig, visit: Visit): void {
  const windows = rig.words(64),
    reader = new MushReader(rig);
  for (let w = 0; w + 1 < windows.length; ++w)
    for (let b = windows[w]; b < windows[w + 1]; ++b) reader.block(b, window * w, visit);
}

class MushReader {
  private readonly method: string;
  private readonly entries: Uint32Array;
  private readonly rows: Float32Array;
  private readonly joints: Uint32Array;
  private readonly bases: Uint32Array;
  private readonly pairs: Uint32Array;
  private readonly row = new Row();

  constructor(private readonly rig: Rig) {
    this.method = rig.method!;
    this.entries = rig.words(96);
    this.rows = rig.floats(112);
    this.joints = rig.words(144);
    this.bases = rig.words(160);
    this.pairs = rig.words(176, 2);
  }

  block(index: number, firstVertex: number, visit: Visit): void {
    const at = this.rig.at(80) + 52 * index,
      block: Block = {
        row: lanes * this.rig.word(at),
        entry: this.rig.word(at + 4),
        entryEnd: this.rig.word(at + 52 + 4),
        base: this.joints[this.bases[this.rig.word(at + 8)]],
        kind: this.rig.word(at + 12) & 255,
        vertices: this.rig.shorts(at + 20, lanes),
      };
    for (let lane = 0; lane < lanes; ++lane) {
      if (lane > 0 && block.vertices[lane] === block.vertices[lane - 1]) break; // unused lanes repeat the last one
      this.lane(block, lane, firstVertex + block.vertices[lane]);
      visit(this.row);
    }
  }

  private lane(block: Block, lane: number, vertex: number): void {
    const { row, rows } = this,
      number = (k: number) => rows[block.row + lanes * k + lane];
    row.begin(vertex, block.base);
    const fromOrigin = [number(3), number(4), number(5)];
    for (let i = 0; i < 3; ++i) row.center[i] = fromOrigin[i] + this.rig.float(48 + 4 * i);
    if (block.kind === followed) return;
    const solved = !["ddm-v2", "ddm-v3", "ddm-v4"].includes(this.method);
    if (solved) for (let i = 0; i < 6; ++i) row.blocks[i] = number(6 + i);
    if (this.method === "ddm-v1" && block.kind === blended) invert(row.blocks);
    const each = solved ? 10 : this.method === "ddm-v4" ? 2 : 5;
    for (let e = block.entry, k = solved ? 12 : 6; e < block.entryEnd; ++e, k += each) {
      let used = false;
      for (let i = 0; i < each; ++i) used ||= number(k + i) !== 0;
      if (!used) continue;
      const to = row.add(this.joints[this.pairs[2 * this.entries[e] + 1]]);
      if (solved) for (let i = 0; i < 10; ++i) row.blocks[to + i] = number(k + i);
      else this.blendedEntry(to, fromOrigin, each, (i) => number(k + i));
      row.takeFromBase();
    }
  }

  /** χ about the origin (not in v4), ω, ψ. */
  private blendedEntry(to: number, center: number[], each: number, number: (i: number) => number): void {
    const { row } = this,
      omega = number(each - 2);
    if (each === 5) for (let i = 0; i < 3; ++i) row.blocks[to + 6 + i] = number(i) - omega * center[i];
    row.blocks[to + 9] = omega;
    row.psi[row.length - 1] = number(each - 1);
  }
}

/** The inverse of a symmetric matrix xx xy xz yy yz zz, in place. */
function invert(m: number[]): void {
  const [xx, xy, xz, yy, yz, zz] = m;
  const a = yy * zz - yz * yz,
    b = xz * yz - xy * zz,
    c = xy * yz - xz * yy,
    scale = 1 / (xx * a + xy * b + xz * c);
  const inverse = [a, b, c, xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy];
  for (let i = 0; i < 6; ++i) m[i] = scale * inverse[i];
}

