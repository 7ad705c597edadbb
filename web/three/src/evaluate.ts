// web/shaders/pelt_skin.glsl in double precision, for rays and boxes; docs/payload.md has the formulas.
import { Form } from "./method.js";
import { cofactor, determinant, fromQuaternion, type Mat3, mat3, nearestRotation } from "./rotation.js";
import { entryNumbers } from "./rows.js";
import type { PeltSkeleton } from "./skeleton.js";

export interface VertexRow {
  first: number;
  count: number;
  pivot: number;
  /** p */
  center: ArrayLike<number>;
}

const s = mat3(),
  turned = mat3(),
  covariance = mat3(),
  other = mat3();
const q = new Float64Array(3),
  d = new Float64Array(3),
  c = new Float64Array(3),
  blend = new Float64Array(4);

/** Where vertex u goes, in root space. */
export function evaluateVertex(skeleton: PeltSkeleton, row: VertexRow, u: ArrayLike<number>, out: Float64Array): void {
  const { form } = skeleton;
  for (let i = 0; i < 3; ++i) d[i] = u[i] - row.center[i];
  if (form === Form.lbs) return linear(skeleton, row, u, out);
  if (row.count === 1) return follow(skeleton, row, u, out);
  if (form === Form.v2 || form === Form.v3 || form === Form.v4) blendRotations(skeleton, row);
  else solve(skeleton, row, u);
  for (let i = 0; i < 3; ++i) out[i] = turned[i] * d[0] + turned[3 + i] * d[1] + turned[6 + i] * d[2];
  const keepsLength = form === Form.v3 || form === Form.v1;
  const moved = Math.hypot(out[0], out[1], out[2]);
  const scale = keepsLength && moved > 0 ? Math.hypot(d[0], d[1], d[2]) / moved : 1;
  for (let i = 0; i < 3; ++i) out[i] = q[i] + scale * out[i];
}

function transform(m: Float64Array, at: number, v: ArrayLike<number>, out: Float64Array): void {
  for (let r = 0; r < 3; ++r, at += 4) out[r] = m[at] * v[0] + m[at + 1] * v[1] + m[at + 2] * v[2] + m[at + 3];
}

function linear(skeleton: PeltSkeleton, row: VertexRow, u: ArrayLike<number>, out: Float64Array): void {
  const { data } = skeleton.skin.rows;
  out.fill(0);
  for (let e = row.first; e < row.first + row.count; ++e) {
    transform(skeleton.matrices, 12 * data[entryNumbers * e], u, c);
    for (let i = 0; i < 3; ++i) out[i] += data[entryNumbers * e + 1] * c[i];
  }
}

function follow(skeleton: PeltSkeleton, row: VertexRow, u: ArrayLike<number>, out: Float64Array): void {
  const joint = skeleton.skin.rows.data[entryNumbers * row.first];
  if (skeleton.form === Form.eddm) return transform(skeleton.matrices, 12 * joint, u, out);
  transform(skeleton.matrices, 12 * joint, row.center, out);
  fromQuaternion(skeleton.rotations.subarray(4 * joint, 4 * joint + 4), turned);
  for (let i = 0; i < 3; ++i) out[i] += turned[i] * d[0] + turned[3 + i] * d[1] + turned[6 + i] * d[2];
}

/** q and the rotation of v2 to v4. */
function blendRotations(skeleton: PeltSkeleton, row: VertexRow): void {
  const { form, matrices, rotations } = skeleton,
    { data } = skeleton.skin.rows;
  q.fill(0);
  blend.fill(0);
  turned.fill(0);
  for (let e = row.first; e < row.first + row.count; ++e) {
    const at = entryNumbers * e,
      joint = data[at],
      psi = data[at + 2];
    transform(matrices, 12 * joint, row.center, c);
    for (let r = 0; r < 3; ++r) {
      q[r] += data[at + 1] * c[r];
      if (form === Form.v4) continue;
      for (let k = 0; k < 3; ++k) q[r] += matrices[12 * joint + 4 * r + k] * data[at + 4 + k];
    }
    if (form === Form.v3) {
      fromQuaternion(rotations.subarray(4 * joint, 4 * joint + 4), other);
      for (let i = 0; i < 9; ++i) turned[i] += psi * other[i];
      continue;
    }
    let side = 0;
    for (let i = 0; i < 4; ++i) side += rotations[4 * joint + i] * rotations[4 * row.pivot + i];
    for (let i = 0; i < 4; ++i) blend[i] += (side < 0 ? -psi : psi) * rotations[4 * joint + i];
  }
  if (form === Form.v3) return;
  const length = Math.hypot(blend[0], blend[1], blend[2], blend[3]);
  for (let i = 0; i < 4; ++i) blend[i] /= length;
  fromQuaternion(blend, turned);
}

/** q and the rotation of v0 and Enhanced DDM, or X of v1. */
function solve(skeleton: PeltSkeleton, row: VertexRow, u: ArrayLike<number>): void {
  const { form, matrices, rotations } = skeleton,
    { data } = skeleton.skin.rows;
  q.fill(0);
  s.fill(0);
  covariance.fill(0);
  for (let e = row.first; e < row.first + row.count; ++e) {
    const at = entryNumbers * e,
      joint = data[at],
      omega = data[at + 1];
    const chi = data.subarray(at + 4, at + 7);
    symmetric(data, at, other);
    for (let i = 0; i < 9; ++i) covariance[i] += other[i];
    bone(form, matrices, rotations, joint, row, u);
    for (let r = 0; r < 3; ++r) {
      const a0 = turned[r],
        a1 = turned[3 + r],
        a2 = turned[6 + r];
      q[r] += a0 * chi[0] + a1 * chi[1] + a2 * chi[2] + omega * c[r];
      for (let k = 0; k < 3; ++k)
        s[3 * k + r] += a0 * other[3 * k] + a1 * other[3 * k + 1] + a2 * other[3 * k + 2] + c[r] * chi[k];
    }
  }
  if (form === Form.v1 && !isFlat(covariance)) return withoutRotation();
  const joint = data[entryNumbers * row.first];
  fromQuaternion(rotations.subarray(4 * joint, 4 * joint + 4), turned);
  nearestRotation(s, turned);
}

/** A_j into `turned` and c_j into `c`; R_j and M_j u − R_j (u − p) in Enhanced DDM. */
function bone(
  form: Form,
  matrices: Float64Array,
  rotations: Float64Array,
  joint: number,
  row: VertexRow,
  u: ArrayLike<number>,
): void {
  if (form !== Form.eddm) {
    for (let i = 0; i < 9; ++i) turned[i] = matrices[12 * joint + 4 * (i % 3) + Math.floor(i / 3)];
    return transform(matrices, 12 * joint, row.center, c);
  }
  fromQuaternion(rotations.subarray(4 * joint, 4 * joint + 4), turned);
  transform(matrices, 12 * joint, u, c);
  for (let r = 0; r < 3; ++r) c[r] -= turned[r] * d[0] + turned[3 + r] * d[1] + turned[6 + r] * d[2];
}

function symmetric(data: Float32Array, at: number, m: Mat3): void {
  m[0] = data[at + 8];
  m[1] = m[3] = data[at + 9];
  m[2] = m[6] = data[at + 10];
  m[4] = data[at + 11];
  m[5] = m[7] = data[at + 7];
  m[8] = data[at + 3];
}

function isFlat(p: Mat3): boolean {
  cofactor(p, other);
  return !(determinant(p) > 1e-4 * (other[0] + other[4] + other[8]) * (p[0] + p[4] + p[8]));
}

/** turned = cofactor(S P⁻¹) */
function withoutRotation(): void {
  const det = determinant(covariance);
  cofactor(covariance, other); // P⁻¹ times det: P is symmetric
  const product = mat3();
  for (let k = 0; k < 3; ++k)
    for (let r = 0; r < 3; ++r)
      product[3 * k + r] = (s[r] * other[3 * k] + s[3 + r] * other[3 * k + 1] + s[6 + r] * other[3 * k + 2]) / det;
  cofactor(product, turned);
}
