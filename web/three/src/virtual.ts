import { Matrix4 } from "three";

/** An input of a virtual joint (kind `ddm` of `PELT_driven_joints`): matrices by columns, 3x4 and 4x4. */
export interface VirtualInput {
  place: number[];
  block: number[];
}

const x = new Matrix4(),
  sum = new Float64Array(12),
  stretch = new Float64Array(9);

/** The symmetric 4x4 matrix whose largest eigenvector is the quaternion of the rotation nearest to `s` (3x3 by columns). */
function hornMatrix(s: ArrayLike<number>): number[][] {
  const at = (r: number, c: number) => s[3 * c + r];
  const d = [at(2, 1) - at(1, 2), at(0, 2) - at(2, 0), at(1, 0) - at(0, 1)];
  const n = [[at(0, 0) + at(1, 1) + at(2, 2), ...d]];
  for (let i = 0; i < 3; ++i)
    n.push([d[i], ...[0, 1, 2].map((j) => (i === j ? 2 * at(i, i) - n[0][0] : at(i, j) + at(j, i)))]);
  return n;
}

/** Cyclic Jacobi: the eigenvector of the largest eigenvalue. */
function largestEigenvector(a: number[][]): number[] {
  const v: number[][] = a.map((_, i) => a.map((__, j) => (i === j ? 1 : 0)));
  for (let sweep = 0; sweep < 12; ++sweep) {
    let off = 0;
    for (let p = 0; p < 4; ++p)
      for (let q = p + 1; q < 4; ++q) {
        off += a[p][q] * a[p][q];
        if (Math.abs(a[p][q]) < 1e-300) continue;
        const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const c = 1 / Math.hypot(t, 1),
          s = t * c;
        for (let k = 0; k < 4; ++k) [a[k][p], a[k][q]] = [c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]];
        for (let k = 0; k < 4; ++k) [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]];
        for (let k = 0; k < 4; ++k) [v[k][p], v[k][q]] = [c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]];
      }
    if (off < 1e-28) break;
  }
  const best = [0, 1, 2, 3].reduce((b, i) => (a[i][i] > a[b][b] ? i : b), 0);
  return v.map((row) => row[best]);
}

/** The rotation nearest to `s`, both 3x3 by columns. */
export function nearestRotation(s: ArrayLike<number>): number[] {
  let size = 0;
  for (let i = 0; i < 9; ++i) size = Math.max(size, Math.abs(s[i]));
  if (!(size > 0) || !Number.isFinite(size)) return [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const [w, a, b, c] = largestEigenvector(hornMatrix(Array.from({ length: 9 }, (_, i) => s[i] / size)));
  return [
    1 - 2 * (b * b + c * c), 2 * (a * b + w * c), 2 * (a * c - w * b),
    2 * (a * b - w * c), 1 - 2 * (a * a + c * c), 2 * (b * c + w * a),
    2 * (a * c + w * b), 2 * (b * c - w * a), 1 - 2 * (a * a + b * b),
  ]; // prettier-ignore
}

const isRigid = (m: number[]) => {
  const dot = (a: number, b: number) => m[4 * a] * m[4 * b] + m[4 * a + 1] * m[4 * b + 1] + m[4 * a + 2] * m[4 * b + 2];
  return [0, 1, 2].every((i) => Math.abs(dot(i, i) - 1) < 1e-5 && Math.abs(dot(i, (i + 1) % 3)) < 1e-5);
};

/**
 * The frame of a virtual joint, in the space that `frames` map the inputs to: docs/driven_joints.md, kind `ddm`. X is
 * the frame that it would have if it followed one input; [S q] is the sum of X · block.
 */
export function followVirtual(inputs: VirtualInput[], frames: Matrix4[], scale: number, out: Matrix4): void {
  sum.fill(0);
  stretch.fill(0);
  inputs.forEach(({ place, block }, i) => {
    x.set(
      place[0], place[3], place[6], place[9], place[1], place[4], place[7], place[10],
      place[2], place[5], place[8], place[11], 0, 0, 0, 1,
    ); // prettier-ignore
    const m = x.premultiply(frames[i]).elements as unknown as number[];
    if (!isRigid(m)) {
      const r = nearestRotation([m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]]);
      for (let k = 0; k < 9; ++k) {
        const at = 4 * Math.floor(k / 3) + (k % 3);
        stretch[k] += block[15] * (m[at] - r[k]);
        m[at] = r[k];
      }
    }
    for (let c = 0; c < 4; ++c)
      for (let r = 0; r < 3; ++r) for (let k = 0; k < 4; ++k) sum[3 * c + r] += m[4 * k + r] * block[4 * c + k];
  });
  const r = nearestRotation(sum).map((value, k) => scale * (value + stretch[k]));
  out.set(r[0], r[3], r[6], sum[9], r[1], r[4], r[7], sum[10], r[2], r[5], r[8], sum[11], 0, 0, 0, 1);
}
