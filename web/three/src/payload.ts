import type { BufferAttribute, BufferGeometry, InterleavedBufferAttribute } from "three";
import { Fnv1a } from "./hash.js";
import { Content, contentOf } from "./method.js";
import { entryNumbers, type PrimitiveRows } from "./rows.js";

/** `PELT_direct_delta_mush` of a primitive; docs/payload.md is its description. */
export interface PayloadObject {
  version: number;
  variant: string;
  encoding: string;
  positionHash: string;
  jointsHash: string;
  bufferView: number;
  vertexOffset: number;
  entryOffset: number;
  space?: number[];
}

/** A payload that cannot be used: the plain skin plays. */
export class PayloadError extends Error {}

const variants = ["v0", "v1", "v2", "v3", "v4", "v5"];

export function checkObject(object: PayloadObject): void {
  if (![1, 2, 3].includes(object.version))
    throw new PayloadError(`its version is ${object.version}, this reader knows 1 to 3`);
  if (!variants.includes(object.variant)) throw new PayloadError(`its variant "${object.variant}" is not known`);
  if (object.encoding !== "float" && object.encoding !== "q16")
    throw new PayloadError(`its encoding "${object.encoding}" is not known`);
  const { space } = object;
  if (space !== undefined && !(Array.isArray(space) && space.length === 16 && space.every(Number.isFinite)))
    throw new PayloadError("its space is not 16 numbers");
}

/** The numbers of its records: from version 3 on, those that the variant reads. */
export const recordsOf = ({ version, variant }: PayloadObject): Content =>
  version < 3 ? Content.full : contentOf(variant);

export function positionHash(position: BufferAttribute | InterleavedBufferAttribute): string {
  const numbers = new Float32Array(3 * position.count);
  for (let v = 0; v < position.count; ++v) {
    numbers[3 * v] = position.getX(v);
    numbers[3 * v + 1] = position.getY(v);
    numbers[3 * v + 2] = position.getZ(v);
  }
  return new Fnv1a().floats(numbers).digits();
}

export function jointsHash(joints: { name: string; inverseBind: ArrayLike<number> }[]): string {
  const hash = new Fnv1a(),
    text = new TextEncoder();
  for (const joint of joints) hash.bytes(text.encode(joint.name)).bytes(Uint8Array.of(0)).floats(joint.inverseBind);
  return hash.digits();
}

/** The rows of a primitive with `count` vertices, decoded and centered. */
export function readRows(object: PayloadObject, view: ArrayBuffer, count: number, joints: number): PrimitiveRows {
  const layout = layoutOf(object),
    { short, vertexBytes, entryBytes } = layout;
  const { vertexOffset, entryOffset } = object;
  if (!isOffset(vertexOffset) || !isOffset(entryOffset) || vertexOffset + vertexBytes * count > view.byteLength)
    throw new PayloadError("its vertex records reach past their buffer view");
  const data = new DataView(view);
  const counts = new Uint32Array(count);
  let total = 0;
  for (let v = 0; v < count; ++v) {
    const at = vertexOffset + vertexBytes * (v + 1) - 4;
    counts[v] = short ? data.getUint16(at, true) : data.getUint32(at, true);
    if (counts[v] === 0) throw new PayloadError(`vertex ${v} has no entry`);
    total += counts[v];
  }
  if (entryOffset + entryBytes * total > view.byteLength)
    throw new PayloadError("its entry records reach past their buffer view");
  if (total >= 1 << 24) throw new PayloadError(`it has ${total} entries, at most ${(1 << 24) - 1} fit a texture`);

  const rows: PrimitiveRows = {
    centers: new Float32Array(3 * count),
    counts,
    pivots: new Uint32Array(count),
    entries: new Float32Array(entryNumbers * total),
  };
  const row: Entry[] = [];
  for (let v = 0, first = 0; v < count; first += counts[v++]) {
    while (row.length < counts[v])
      row.push({ joint: 0, w: new Float64Array(6), chi: new Float64Array(3), omega: 0, psi: 0 });
    const p = vertexOffset + vertexBytes * v,
      entries = entryOffset + entryBytes * first;
    if (short) readShort(layout, data, p + vertexBytes - 4, entries, counts[v], row);
    else readFloat(layout, data, entries, counts[v], row);
    if (layout.center) for (let i = 0; i < 3; ++i) rows.centers[3 * v + i] = data.getFloat32(p + 4 * i, true);
    for (let e = 0; e < counts[v]; ++e)
      if (row[e].joint >= joints) throw new PayloadError(`vertex ${v} names joint ${row[e].joint} of ${joints}`);
    store(row, counts[v], rows, v, first);
  }
  if (!rows.entries.every(Number.isFinite) || !rows.centers.every(Number.isFinite))
    throw new PayloadError("it has numbers that are not finite");
  return rows;
}

const isOffset = (n: number) => Number.isInteger(n) && n >= 0 && n % 4 === 0;

interface Entry {
  joint: number;
  /** xx xy xz yy yz zz */
  w: Float64Array;
  chi: Float64Array;
  omega: number;
  psi: number;
}

/** Which numbers records have, in the order of docs/payload.md, and their sizes. */
interface RecordLayout {
  short: boolean;
  center: boolean;
  second: boolean;
  first: boolean;
  psi: boolean;
  vertexBytes: number;
  entryBytes: number;
}

function layoutOf(object: PayloadObject): RecordLayout {
  const content = recordsOf(object),
    short = object.encoding === "q16";
  const second = content === Content.full,
    first = content <= Content.centered,
    psi = content <= Content.weighted;
  const numbers = 2 + Number(psi) + 6 * Number(second) + 3 * Number(first);
  return { short, center: psi, second, first, psi, vertexBytes: psi ? 16 : 4, entryBytes: (short ? 2 : 4) * numbers };
}

function readFloat(layout: RecordLayout, data: DataView, at: number, count: number, row: Entry[]): void {
  const next = () => data.getFloat32((at += 4) - 4, true);
  for (let e = 0; e < count; ++e) {
    const entry = row[e];
    entry.joint = data.getUint32((at += 4) - 4, true);
    if (layout.second) for (let i = 0; i < 6; ++i) entry.w[i] = next();
    if (layout.first) for (let i = 0; i < 3; ++i) entry.chi[i] = next();
    entry.omega = next();
    entry.psi = layout.psi ? next() : entry.omega;
  }
}

/** `exponents`: where the last four bytes of the vertex are, its count and two exponents. */
function readShort(
  layout: RecordLayout,
  data: DataView,
  exponents: number,
  at: number,
  count: number,
  row: Entry[],
): void {
  const w = 2 ** data.getInt8(exponents + 2),
    chi = 2 ** data.getInt8(exponents + 3);
  const next = () => data.getUint16((at += 2) - 2, true),
    signed = () => data.getInt16((at += 2) - 2, true);
  let omegas = 0,
    psis = 0;
  for (let e = 0; e < count; ++e) {
    const entry = row[e];
    entry.joint = next();
    if (layout.psi) entry.psi = next();
    if (layout.second) for (let i = 0; i < 6; ++i) entry.w[i] = signed() * w;
    if (layout.first) for (let i = 0; i < 3; ++i) entry.chi[i] = signed() * chi;
    entry.omega = next();
    if (!layout.psi) entry.psi = entry.omega;
    omegas += entry.omega;
    psis += entry.psi;
  }
  for (let e = 0; e < count; ++e) {
    row[e].omega /= omegas;
    row[e].psi /= psis;
  }
}

/** About the center where Σ χ = 0: p + Σ χ, and T(−s) Ω' T(−s)ᵀ with s = Σ χ. */
function store(row: Entry[], count: number, rows: PrimitiveRows, v: number, first: number): void {
  const s = [0, 0, 0];
  let pivot = 0;
  for (let e = 0; e < count; ++e) {
    for (let i = 0; i < 3; ++i) s[i] += row[e].chi[i];
    const heavier = row[e].psi - row[pivot].psi;
    if (heavier > 0 || (heavier === 0 && row[e].joint < row[pivot].joint)) pivot = e;
  }
  for (let i = 0; i < 3; ++i) rows.centers[3 * v + i] += s[i];
  rows.pivots[v] = row[pivot].joint;
  for (let e = 0; e < count; ++e) {
    const { joint, w, chi, omega, psi } = row[e];
    const moved = (value: number, k: number, l: number) => value - s[k] * chi[l] - chi[k] * s[l] + omega * s[k] * s[l];
    rows.entries.set(
      [
        joint,
        omega,
        psi,
        moved(w[5], 2, 2),
        chi[0] - omega * s[0],
        chi[1] - omega * s[1],
        chi[2] - omega * s[2],
        moved(w[4], 1, 2),
        moved(w[0], 0, 0),
        moved(w[1], 0, 1),
        moved(w[2], 0, 2),
        moved(w[3], 1, 1),
      ],
      entryNumbers * (first + e),
    );
  }
}

/**
 * Plain weights as rows: what a geometry with JOINTS_1 and more needs, of which three.js reads JOINTS_0 alone.
 * `first`: the first four weights as the file has them, before GLTFLoader made them sum to 1.
 */
export function weightRows(geometry: BufferGeometry, first?: Float64Array): PrimitiveRows | null {
  const sets: { joints: BufferAttribute; weights: BufferAttribute }[] = [];
  for (let n = 0; ; ++n) {
    const joints = geometry.getAttribute(n === 0 ? "skinIndex" : `joints_${n}`) as BufferAttribute | undefined;
    const weights = geometry.getAttribute(n === 0 ? "skinWeight" : `weights_${n}`) as BufferAttribute | undefined;
    if (!joints || !weights) break;
    sets.push({ joints, weights });
  }
  if (sets.length < 2) return null;
  const count = sets[0].joints.count,
    counts = new Uint32Array(count),
    pivots = new Uint32Array(count);
  const entries: number[] = [];
  for (let v = 0; v < count; ++v) {
    const row = new Map<number, number>();
    let sum = 0;
    for (const [n, { joints, weights }] of sets.entries())
      for (let k = 0; k < 4; ++k) {
        const weight = n === 0 && first ? first[4 * v + k] : weights.getComponent(v, k),
          joint = joints.getComponent(v, k);
        if (!(weight > 0)) continue;
        row.set(joint, (row.get(joint) ?? 0) + weight);
        sum += weight;
      }
    if (row.size === 0) row.set(sets[0].joints.getX(v), (sum = 1));
    for (const [joint, weight] of row) entries.push(joint, weight / sum, weight / sum, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    counts[v] = row.size;
    pivots[v] = entries[entries.length - entryNumbers * row.size];
  }
  return { centers: new Float32Array(3 * count), counts, pivots, entries: Float32Array.from(entries) };
}
