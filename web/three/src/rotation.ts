// 3x3 matrices in double precision: nine numbers by columns.

export type Mat3 = Float64Array;

export function mat3(): Mat3 {
  return new Float64Array(9);
}

export function cofactor(m: Mat3, out: Mat3): Mat3 {
  for (let c = 0; c < 3; ++c) {
    const a = 3 * ((c + 1) % 3),
      b = 3 * ((c + 2) % 3);
    out[3 * c] = m[a + 1] * m[b + 2] - m[a + 2] * m[b + 1];
    out[3 * c + 1] = m[a + 2] * m[b] - m[a] * m[b + 2];
    out[3 * c + 2] = m[a] * m[b + 1] - m[a + 1] * m[b];
  }
  return out;
}

function squaredNorm(m: Mat3): number {
  let sum = 0;
  for (let i = 0; i < 9; ++i) sum += m[i] * m[i];
  return sum;
}

const firstColumn = (m: Mat3, c: Mat3) => m[0] * c[0] + m[1] * c[1] + m[2] * c[2];

export function determinant(m: Mat3): number {
  return firstColumn(m, cofactor(m, scratch));
}

/** out = a · s + b · t */
function combine(a: Mat3, s: number, b: Mat3, t: number, out: Mat3): Mat3 {
  for (let i = 0; i < 9; ++i) out[i] = a[i] * s + b[i] * t;
  return out;
}

function newtonStep(r: Mat3): void {
  const c = cofactor(r, scratch);
  combine(r, 0.5, c, 0.5 / firstColumn(r, c), r);
}

const scratch = mat3(),
  unit = mat3(),
  cof = mat3(),
  x = mat3(),
  cofX = mat3();
const noGap = 1e-7;

interface Nearest {
  largest: number;
  /** (s₂ ± s₃) / s₁; next to 0 there is no nearest rotation, and `out` is left as it was */
  gap: number;
}

/** The rotation nearest to s, as web/shaders/pelt_skin.glsl finds it. */
export function nearestRotation(s: Mat3, out: Mat3): Nearest {
  const norm = Math.sqrt(squaredNorm(s));
  if (!(norm > 1e-150 && norm < 1e150)) return { largest: 0, gap: 0 };
  for (let i = 0; i < 9; ++i) unit[i] = s[i] / norm;
  cofactor(unit, cof);
  const det = firstColumn(unit, cof),
    minors = squaredNorm(cof);
  const p = Math.sqrt(Math.max(1 - 3 * minors, 1e-30));
  const cosine = (2 - 9 * minors + 27 * det * det) / (2 * p * p * p);
  const squared = (1 + 2 * p * Math.cos(Math.acos(Math.min(Math.max(cosine, -1), 1)) / 3)) / 3;
  const s1 = Math.sqrt(squared);
  combine(unit, 1, cof, 1 / s1, x);
  cofactor(x, cofX);
  const a = Math.max(s1 + det / squared, Math.sqrt(squaredNorm(x) / 3));
  const rough = Math.max(0, 1 - squared + (2 * det) / s1);
  const g = Math.sqrt(squaredNorm(cofX) / (2 * a * a + rough));
  if (!(g > noGap * s1)) return { largest: s1 * norm, gap: g / s1 };
  combine(x, 1 / (a + g), cofX, 1 / (g * (a + g)), out);
  for (let i = 0; i < 3; ++i) newtonStep(out);
  return { largest: s1 * norm, gap: g / s1 };
}

/** Whether AᵀA is the identity but for the rounding of a file's numbers, and A does not mirror. */
export function isRigid(a: Mat3): boolean {
  for (let c = 0; c < 3; ++c)
    for (let r = 0; r <= c; ++r) {
      const product = a[3 * c] * a[3 * r] + a[3 * c + 1] * a[3 * r + 1] + a[3 * c + 2] * a[3 * r + 2];
      if (!(Math.abs(product - (r === c ? 1 : 0)) < 2e-6)) return false;
    }
  return determinant(a) > 0;
}

/** The rotation of a mirroring bone whose two smallest singular values tie; a mirror has many nearest ones. */
function mirroredRotation(a: Mat3, largest: number, out: Mat3): void {
  const negative = mat3(),
    o = mat3(),
    stretch = mat3();
  for (let i = 0; i < 9; ++i) negative[i] = -a[i];
  nearestRotation(negative, o);
  for (let i = 0; i < 9; ++i) o[i] = -o[i];
  for (let c = 0; c < 3; ++c)
    for (let r = 0; r < 3; ++r)
      stretch[3 * c + r] = o[3 * r] * a[3 * c] + o[3 * r + 1] * a[3 * c + 1] + o[3 * r + 2] * a[3 * c + 2];
  const smallest = (stretch[0] + stretch[4] + stretch[8] - largest) / 2;
  const projector = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
  if (largest - smallest > noGap * largest)
    for (let i = 0; i < 9; ++i)
      projector[i] = projector[i] * (1 + smallest / (largest - smallest)) - stretch[i] / (largest - smallest);
  let axis = 0;
  for (let i = 1; i < 3; ++i) if (projector[4 * i] > projector[4 * axis] + 1e-3) axis = i;
  const n = projector.subarray(3 * axis, 3 * axis + 3),
    length = Math.hypot(n[0], n[1], n[2]) || 1;
  for (let r = 0; r < 3; ++r) {
    const along = (o[r] * n[0] + o[3 + r] * n[1] + o[6 + r] * n[2]) / length;
    for (let c = 0; c < 3; ++c) out[3 * c + r] = o[3 * c + r] - (2 * along * n[c]) / length;
  }
}

/** R of the right polar decomposition a = R S. Returns whether a was rigid to begin with. */
export function boneRotation(a: Mat3, out: Mat3): boolean {
  for (let i = 0; i < 9; ++i) out[i] = i % 4 === 0 ? 1 : 0;
  if (!a.every(Number.isFinite)) return false;
  if (isRigid(a)) {
    out.set(a);
    newtonStep(out);
    return true;
  }
  const { gap, largest } = nearestRotation(a, out);
  if (gap <= noGap && largest > 0 && determinant(a) < 0) mirroredRotation(a, largest, out);
  return false;
}

/** The quaternion (x, y, z, w) of a rotation, w ≥ 0 where it is the largest part. */
export function toQuaternion(r: Mat3, out: Float64Array): Float64Array {
  const trace = r[0] + r[4] + r[8];
  if (trace > 0) {
    const s = 0.5 / Math.sqrt(trace + 1);
    out[0] = (r[5] - r[7]) * s;
    out[1] = (r[6] - r[2]) * s;
    out[2] = (r[1] - r[3]) * s;
    out[3] = 0.25 / s;
    return out;
  }
  let i = r[4] > r[0] ? 1 : 0;
  if (r[8] > r[4 * i]) i = 2;
  const j = (i + 1) % 3,
    k = (i + 2) % 3;
  const s = 2 * Math.sqrt(1 + r[4 * i] - r[4 * j] - r[4 * k]);
  out[i] = 0.25 * s;
  out[3] = (r[3 * j + k] - r[3 * k + j]) / s;
  out[j] = (r[3 * j + i] + r[3 * i + j]) / s;
  out[k] = (r[3 * k + i] + r[3 * i + k]) / s;
  return out;
}

/** r = the rotation of a quaternion (x, y, z, w) of unit length. */
export function fromQuaternion(q: ArrayLike<number>, r: Mat3): Mat3 {
  const [qx, qy, qz, qw] = [q[0], q[1], q[2], q[3]];
  r[0] = 1 - 2 * (qy * qy + qz * qz);
  r[1] = 2 * (qx * qy + qw * qz);
  r[2] = 2 * (qx * qz - qw * qy);
  r[3] = 2 * (qx * qy - qw * qz);
  r[4] = 1 - 2 * (qx * qx + qz * qz);
  r[5] = 2 * (qy * qz + qw * qx);
  r[6] = 2 * (qx * qz + qw * qy);
  r[7] = 2 * (qy * qz - qw * qx);
  r[8] = 1 - 2 * (qx * qx + qy * qy);
  return r;
}
