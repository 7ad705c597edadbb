// Direct Delta Mush [LeLewis19], its variants and Enhanced DDM [Kalentchouk20] in a vertex or compute shader: WGSL.
// docs/payload.md has the formulas and the file format that the data comes from.
//
//     let m = peltSkin(peltRows, peltJoints, 0, PELT_V0, first, count, pivot, center, u);
//     let x = (m * vec4f(u, 1.0)).xyz;                                      // posed position
//     let n = peltNormalMatrix(m, PELT_V0) * normal;                        // posed normal, not of unit length
//     let t = peltLinearPart(m) * tangent.xyz;                              // posed tangent
//
// u is the rest position with morph targets added, in the payload's space (N u if the file has a `space`). Per vertex:
// center (vec3f), the row's first entry and count of entries, and pivot, the joint of the entry with the largest psi
// (the lowest joint on ties; only v2 and v4 read it). Rows are centered: the sum of a row's chi is 0. If it is not 0 in
// the file, add it to center and shift W and chi accordingly.
//
// peltRows, texture_2d<f32> of format rgba32float, 1536 texels wide. Entry e is (3 (e % 512) + k, e / 512):
//     k = 0: joint, omega, psi, W.zz      k = 1: chi.x, chi.y, chi.z, W.yz      k = 2: W.xx, W.xy, W.xz, W.yy
// v4 and v5 read the first texel of an entry, v2 and v3 the first two.
//
// peltJoints, the same format, 64 texels wide, each frame. Joint j is four texels, (4 (j % 16) + k, firstRow + j / 16):
//     k = 0..2: the rows of M_j, which takes rest space to posed space       k = 3: the rotation of M_j, a quaternion
// The rotation is R of the right polar decomposition A = R S of M's 3x3 part; v0 and v1 use it only if a patch does not
// determine a rotation.

const PELT_V0: i32 = 0;
const PELT_V1: i32 = 1;
const PELT_V2: i32 = 2;
const PELT_V3: i32 = 3;
const PELT_V4: i32 = 4;
const PELT_LBS: i32 = 5;   // v5, and any linear blend skin with omega for weights
const PELT_EDDM: i32 = 6;  // v0's form for joints that scale or shear

fn peltEntry(rows: texture_2d<f32>, entry: i32, k: i32) -> vec4f {
  return textureLoad(rows, vec2i(3 * (entry & 511) + k, entry >> 9), 0);
}

fn peltJoint(joints: texture_2d<f32>, firstRow: i32, joint: i32, k: i32) -> vec4f {
  return textureLoad(joints, vec2i(4 * (joint & 15) + k, firstRow + (joint >> 4)), 0);
}

fn peltLinearPart(m: mat4x4f) -> mat3x3f {
  return mat3x3f(m[0].xyz, m[1].xyz, m[2].xyz);
}

fn peltCofactor(m: mat3x3f) -> mat3x3f {
  return mat3x3f(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1]));
}

fn peltFromQuaternion(q: vec4f) -> mat3x3f {
  let x = 2.0 * q.x * q.xyz;
  let y = 2.0 * q.y * q.xyz;
  let z = 2.0 * q.z * q.xyz;
  let w = 2.0 * q.w * q.xyz;
  return mat3x3f(1.0 - y.y - z.z, x.y + w.z, x.z - w.y,
                 x.y - w.z, 1.0 - x.x - z.z, y.z + w.x,
                 x.z + w.y, y.z - w.x, 1.0 - x.x - y.y);
}

fn peltSquaredNorm(m: mat3x3f) -> f32 {
  return dot(m[0], m[0]) + dot(m[1], m[1]) + dot(m[2], m[2]);
}

// The largest eigenvalue of S^T S, whose trace is 1, by the trigonometric formula; cos(acos(x) / 3) is a polynomial in
// sqrt((1 + x) / 2), within 1.4e-6.
fn peltLargestSquared(minors: f32, det: f32) -> f32 {
  let squared = max(1.0 - 3.0 * minors, 1e-12);
  let p = sqrt(squared);
  let cosine = clamp((1.0 - 4.5 * minors + 13.5 * det * det) / (squared * p), -1.0, 1.0);
  let t = sqrt(0.5 + 0.5 * cosine);
  var f = 0.0041208033 * t - 0.0191218285;
  f = f * t + 0.047634507;
  f = f * t - 0.10988446;
  f = f * t + 0.577250405;
  f = f * t + 0.500001373;
  return (1.0 + 2.0 * p * f) / 3.0;
}

// The rotation nearest to S = U diag(s1, s2, s3) V^T, R = U diag(1, 1, det(U V^T)) V^T, never a mirror.
// X = S + cof(S) / s1 has the singular values a, g, ±g, so that R = (X + cof(X) / g) / (a + g); only s1 is solved for,
// and Newton's iteration removes its rounding error. If g is too small for single precision, the given rotation is
// rotated toward S instead.
fn peltNearestRotation(given: mat3x3f, fallback: vec4f) -> mat3x3f {
  let s = given * inverseSqrt(max(peltSquaredNorm(given), 1e-36));
  var c = peltCofactor(s);
  var det = dot(s[0], c[0]);
  let squared = peltLargestSquared(peltSquaredNorm(c), det);
  let inverse1 = inverseSqrt(squared);
  let x = s + c * inverse1;
  let cx = peltCofactor(x);
  let ratio = det * inverse1;
  let a = squared * inverse1 + ratio * inverse1;
  let g = sqrt(peltSquaredNorm(cx) / (2.0 * a * a + max(1.0 - squared + 2.0 * ratio, 0.0)));
  var r = (x * g + cx) * (1.0 / max(a * g + g * g, 1e-30));
  for (var i = 0; i < 2; i++) {
    c = peltCofactor(r);
    det = dot(r[0], c[0]);
    r = 0.5 * r + c * (0.5 / det);
  }
  if (abs(det - 1.0) <= 1e-3) {
    return r;
  }
  r = peltFromQuaternion(fallback);
  for (var i = 0; i < 16; i++) {
    let sine = cross(r[0], s[0]) + cross(r[1], s[1]) + cross(r[2], s[2]);
    let turn = sine / (abs(dot(r[0], s[0]) + dot(r[1], s[1]) + dot(r[2], s[2])) + 1e-9);
    let angle = length(turn);
    if (!(angle > 1e-6)) {
      break;
    }
    r = peltFromQuaternion(vec4f(turn * (sin(0.5 * angle) / angle), cos(0.5 * angle))) * r;
  }
  return r;
}

// A patch whose covariance has no extent in one direction: single precision cannot determine how its normal rotates.
fn peltIsFlat(p: mat3x3f) -> bool {
  let c = peltCofactor(p);
  let minors = c[0].x + c[1].y + c[2].z;
  let trace = p[0].x + p[1].y + p[2].z;
  return !(dot(p[0], c[0]) > 1e-4 * minors * trace);
}

// The affine map that takes u to q + X d.
fn peltAffine(x: mat3x3f, q: vec3f, d: vec3f, u: vec3f) -> mat4x4f {
  return mat4x4f(vec4f(x[0], 0.0), vec4f(x[1], 0.0), vec4f(x[2], 0.0), vec4f(q + x * d - x * u, 1.0));
}

// X with the length of d restored, as in v1 and v3.
fn peltKeepLength(x: mat3x3f, d: vec3f) -> mat3x3f {
  let moved = length(x * d);
  return x * select(1.0, length(d) / moved, moved > 0.0);
}

// v0, v1 and Enhanced DDM.
fn peltSolved(rows: texture_2d<f32>, joints: texture_2d<f32>, firstRow: i32, form: i32, first: i32, count: i32,
              p: vec3f, u: vec3f) -> mat4x4f {
  let d = u - p;
  var origin = vec3f();
  var sum = mat3x4f();  // columns: the rows of (S, q)
  var covariance = mat3x3f();
  for (var e = first; e < first + count; e++) {
    let t0 = peltEntry(rows, e, 0);
    let t1 = peltEntry(rows, e, 1);
    let t2 = peltEntry(rows, e, 2);
    let omega = mat4x4f(vec4f(t2.xyz, t1.x), vec4f(t2.y, t2.w, t1.w, t1.y), vec4f(t2.z, t1.w, t0.w, t1.z),
                        vec4f(t1.xyz, t0.y));
    let j = i32(t0.x);
    let m0 = peltJoint(joints, firstRow, j, 0);
    let m1 = peltJoint(joints, firstRow, j, 1);
    let m2 = peltJoint(joints, firstRow, j, 2);
    var a = mat3x3f(m0.xyz, m1.xyz, m2.xyz);  // its columns are the rows
    var at = vec4f(p, 1.0);
    if (form == PELT_EDDM) {
      a = transpose(peltFromQuaternion(peltJoint(joints, firstRow, j, 3)));
      at = vec4f(u, 1.0);
    }
    var c = vec3f(dot(m0, at), dot(m1, at), dot(m2, at));
    if (form == PELT_EDDM) {
      c -= d * a;
    }
    if (e == first) {
      origin = c;  // sums are about it, which costs nothing and keeps far figures exact
    }
    c -= origin;
    sum += omega * mat3x4f(vec4f(a[0], c.x), vec4f(a[1], c.y), vec4f(a[2], c.z));
    if (form == PELT_V1) {
      covariance += peltLinearPart(omega);
    }
  }
  let s = transpose(mat3x3f(sum[0].xyz, sum[1].xyz, sum[2].xyz));
  let q = origin + vec3f(sum[0].w, sum[1].w, sum[2].w);
  if (form == PELT_V1 && !peltIsFlat(covariance)) {
    let c = peltCofactor(covariance);  // the inverse times the determinant: it is symmetric
    let x = peltCofactor(s * (c * (1.0 / dot(covariance[0], c[0]))));
    return peltAffine(peltKeepLength(x, d), q, d, u);
  }
  let fallback = peltJoint(joints, firstRow, i32(peltEntry(rows, first, 0).x), 3);
  return peltAffine(peltNearestRotation(s, fallback), q, d, u);
}

// v2, v3 and v4.
fn peltBlended(rows: texture_2d<f32>, joints: texture_2d<f32>, firstRow: i32, form: i32, first: i32, count: i32,
               pivot: i32, p: vec3f, u: vec3f) -> mat4x4f {
  let hemisphere = peltJoint(joints, firstRow, pivot, 3);
  let d = u - p;
  var quaternion = vec4f();
  var q = vec3f();
  var origin = vec3f();
  var x = mat3x3f();
  for (var e = first; e < first + count; e++) {
    let t0 = peltEntry(rows, e, 0);
    let j = i32(t0.x);
    let m0 = peltJoint(joints, firstRow, j, 0);
    let m1 = peltJoint(joints, firstRow, j, 1);
    let m2 = peltJoint(joints, firstRow, j, 2);
    let r = peltJoint(joints, firstRow, j, 3);
    let c = vec3f(dot(m0, vec4f(p, 1.0)), dot(m1, vec4f(p, 1.0)), dot(m2, vec4f(p, 1.0)));
    if (e == first) {
      origin = c;
    }
    q += t0.y * (c - origin);
    if (form != PELT_V4) {
      let chi = peltEntry(rows, e, 1).xyz;
      q += vec3f(dot(m0.xyz, chi), dot(m1.xyz, chi), dot(m2.xyz, chi));
    }
    if (form == PELT_V3) {
      x += peltFromQuaternion(r) * t0.z;
    } else {
      quaternion += r * select(t0.z, -t0.z, dot(hemisphere, r) < 0.0);
    }
  }
  if (form == PELT_V3) {
    x = peltKeepLength(x, d);
  } else {
    x = peltFromQuaternion(normalize(quaternion));
  }
  return peltAffine(x, origin + q, d, u);
}

fn peltLinear(rows: texture_2d<f32>, joints: texture_2d<f32>, firstRow: i32, first: i32, count: i32) -> mat4x4f {
  var sum = mat3x4f();
  for (var e = first; e < first + count; e++) {
    let t0 = peltEntry(rows, e, 0);
    let j = i32(t0.x);
    sum += t0.y * mat3x4f(peltJoint(joints, firstRow, j, 0), peltJoint(joints, firstRow, j, 1),
                          peltJoint(joints, firstRow, j, 2));
  }
  return transpose(mat4x4f(sum[0], sum[1], sum[2], vec4f(0.0, 0.0, 0.0, 1.0)));
}

fn peltSkin(rows: texture_2d<f32>, joints: texture_2d<f32>, firstRow: i32, form: i32, first: i32, count: i32,
            pivot: i32, center: vec3f, u: vec3f) -> mat4x4f {
  if (form == PELT_LBS) {
    return peltLinear(rows, joints, firstRow, first, count);
  }
  if (count == 1) {  // the vertex follows its joint
    let j = i32(peltEntry(rows, first, 0).x);
    let at = vec4f(select(center, u, form == PELT_EDDM), 1.0);
    let q = vec3f(dot(peltJoint(joints, firstRow, j, 0), at), dot(peltJoint(joints, firstRow, j, 1), at),
                  dot(peltJoint(joints, firstRow, j, 2), at));
    return peltAffine(peltFromQuaternion(peltJoint(joints, firstRow, j, 3)), q, u - at.xyz, u);
  }
  if (form >= PELT_V2 && form <= PELT_V4) {
    return peltBlended(rows, joints, firstRow, form, first, count, pivot, center, u);
  }
  return peltSolved(rows, joints, firstRow, form, first, count, center, u);
}

// The matrix for normals: that of the map itself; for a linear blend, A^-T (up to its length).
fn peltNormalMatrix(skin: mat4x4f, form: i32) -> mat3x3f {
  let a = peltLinearPart(skin);
  if (form != PELT_LBS) {
    return a;
  }
  let c = peltCofactor(a);
  return c * select(1.0, -1.0, dot(a[0], c[0]) < 0.0);
}
