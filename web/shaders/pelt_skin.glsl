// Direct Delta Mush [LeLewis19], its variants and Enhanced DDM [Kalentchouk20] in a vertex shader: GLSL ES 3.00.
// Paste it above main(). docs/payload.md has the formulas and the file format that the data comes from.
//
//     mat4 m = peltSkin(peltRows, peltJoints, 0, PELT_V0, first, count, pivot, center, u);
//     vec3 x = (m * vec4(u, 1.0)).xyz;                                      // posed position
//     vec3 n = peltNormalMatrix(m, PELT_V0) * normal;                       // posed normal, not of unit length
//     vec3 t = mat3(m) * tangent.xyz;                                       // posed tangent
//
// u is the rest position with morph targets added, in the payload's space (N u if the file has a `space`). Per vertex:
// center (vec3), the row's first entry and count of entries, and pivot, the joint of the entry with the largest psi
// (the lowest joint on ties; only v2 and v4 read it). Rows are centered: the sum of a row's chi is 0. If it is not 0 in
// the file, add it to center and shift W and chi accordingly.
//
// peltRows, RGBA32F with filter NEAREST, 1536 texels wide. Entry e is three texels, (3 (e % 512) + k, e / 512):
//     k = 0: joint, omega, psi, W.zz      k = 1: chi.x, chi.y, chi.z, W.yz      k = 2: W.xx, W.xy, W.xz, W.yy
// v4 and v5 read the first texel of an entry, v2 and v3 the first two.
//
// peltJoints, the same format, 64 texels wide, each frame. Joint j is four texels, (4 (j % 16) + k, firstRow + j / 16):
//     k = 0..2: the rows of M_j, which takes rest space to posed space       k = 3: the rotation of M_j, a quaternion
// The rotation is R of the right polar decomposition A = R S of M's 3x3 part; v0 and v1 use it only if a patch does not
// determine a rotation.

const int PELT_V0 = 0, PELT_V1 = 1, PELT_V2 = 2, PELT_V3 = 3, PELT_V4 = 4;
const int PELT_LBS = 5;   // v5, and any linear blend skin with omega for weights
const int PELT_EDDM = 6;  // v0's form for joints that scale or shear

vec4 peltEntry(highp sampler2D rows, int entry, int k) {
  return texelFetch(rows, ivec2(3 * (entry & 511) + k, entry >> 9), 0);
}

vec4 peltJoint(highp sampler2D joints, int firstRow, int joint, int k) {
  return texelFetch(joints, ivec2(4 * (joint & 15) + k, firstRow + (joint >> 4)), 0);
}

mat3 peltCofactor(mat3 m) {
  return mat3(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1]));
}

mat3 peltFromQuaternion(vec4 q) {
  vec3 x = 2.0 * q.x * q.xyz, y = 2.0 * q.y * q.xyz, z = 2.0 * q.z * q.xyz, w = 2.0 * q.w * q.xyz;
  return mat3(1.0 - y.y - z.z, x.y + w.z, x.z - w.y,  //
              x.y - w.z, 1.0 - x.x - z.z, y.z + w.x,  //
              x.z + w.y, y.z - w.x, 1.0 - x.x - y.y);
}

float peltSquaredNorm(mat3 m) {
  return dot(m[0], m[0]) + dot(m[1], m[1]) + dot(m[2], m[2]);
}

// The largest eigenvalue of S^T S, whose trace is 1, by the trigonometric formula; cos(acos(x) / 3) is a polynomial in
// sqrt((1 + x) / 2), within 1.4e-6.
float peltLargestSquared(float minors, float det) {
  float squared = max(1.0 - 3.0 * minors, 1e-12), p = sqrt(squared);
  float cosine = clamp((1.0 - 4.5 * minors + 13.5 * det * det) / (squared * p), -1.0, 1.0);
  float t = sqrt(0.5 + 0.5 * cosine);
  float f = 0.0041208033 * t - 0.0191218285;
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
mat3 peltNearestRotation(mat3 s, vec4 fallback) {
  s *= inversesqrt(max(peltSquaredNorm(s), 1e-36));
  mat3 c = peltCofactor(s);
  float det = dot(s[0], c[0]);
  float squared = peltLargestSquared(peltSquaredNorm(c), det), inverse1 = inversesqrt(squared);
  mat3 x = s + c * inverse1, cx = peltCofactor(x);
  float ratio = det * inverse1, a = squared * inverse1 + ratio * inverse1;
  float g = sqrt(peltSquaredNorm(cx) / (2.0 * a * a + max(1.0 - squared + 2.0 * ratio, 0.0)));
  mat3 r = (x * g + cx) * (1.0 / max(a * g + g * g, 1e-30));
  for (int i = 0; i < 2; ++i) {
    c = peltCofactor(r);
    det = dot(r[0], c[0]);
    r = 0.5 * r + c * (0.5 / det);
  }
  if (abs(det - 1.0) <= 1e-3) return r;

  r = peltFromQuaternion(fallback);
  for (int i = 0; i < 16; ++i) {
    vec3 turn = cross(r[0], s[0]) + cross(r[1], s[1]) + cross(r[2], s[2]);
    turn /= abs(dot(r[0], s[0]) + dot(r[1], s[1]) + dot(r[2], s[2])) + 1e-9;
    float angle = length(turn);
    if (!(angle > 1e-6)) break;
    mat3 step3 = peltFromQuaternion(vec4(turn * (sin(0.5 * angle) / angle), cos(0.5 * angle)));
    r = step3 * r;
  }
  return r;
}

// A patch whose covariance has no extent in one direction: single precision cannot determine how its normal rotates.
bool peltIsFlat(mat3 p) {
  mat3 c = peltCofactor(p);
  float minors = c[0].x + c[1].y + c[2].z, trace = p[0].x + p[1].y + p[2].z;
  return !(dot(p[0], c[0]) > 1e-4 * minors * trace);
}

// The affine map that takes u to q + X d.
mat4 peltAffine(mat3 x, vec3 q, vec3 d, vec3 u) {
  return mat4(vec4(x[0], 0.0), vec4(x[1], 0.0), vec4(x[2], 0.0), vec4(q + x * d - x * u, 1.0));
}

// X with the length of d restored, as in v1 and v3.
mat3 peltKeepLength(mat3 x, vec3 d) {
  float moved = length(x * d);
  return moved > 0.0 ? x * (length(d) / moved) : x;
}

// The sums over a row that v0, v1 and Enhanced DDM have in common; covariance only for v1.
void peltSums(highp sampler2D rows, highp sampler2D joints, int firstRow, int form, int first, int count, vec3 p,
              vec3 u, out mat3 s, out vec3 q, out mat3 covariance) {
  vec3 d = u - p, origin = vec3(0.0);
  mat3x4 sum = mat3x4(0.0);  // columns: the rows of (S, q)
  covariance = mat3(0.0);
  for (int e = first; e < first + count; ++e) {
    vec4 t0 = peltEntry(rows, e, 0), t1 = peltEntry(rows, e, 1), t2 = peltEntry(rows, e, 2);
    mat4 omega = mat4(t2.xyz, t1.x, t2.y, t2.w, t1.w, t1.y, t2.z, t1.w, t0.w, t1.z, t1.xyz, t0.y);
    int j = int(t0.x);
    vec4 m0 = peltJoint(joints, firstRow, j, 0), m1 = peltJoint(joints, firstRow, j, 1),
         m2 = peltJoint(joints, firstRow, j, 2);
    vec3 c;
    if (form == PELT_EDDM) {
      mat3 r = transpose(peltFromQuaternion(peltJoint(joints, firstRow, j, 3)));  // its columns are the rows
      c = vec3(dot(m0, vec4(u, 1.0)), dot(m1, vec4(u, 1.0)), dot(m2, vec4(u, 1.0))) - d * r;
      m0.xyz = r[0];
      m1.xyz = r[1];
      m2.xyz = r[2];
    } else {
      c = vec3(dot(m0, vec4(p, 1.0)), dot(m1, vec4(p, 1.0)), dot(m2, vec4(p, 1.0)));
    }
    if (e == first) origin = c;  // sums are about it, which costs nothing and keeps far figures exact
    c -= origin;
    sum += omega * mat3x4(vec4(m0.xyz, c.x), vec4(m1.xyz, c.y), vec4(m2.xyz, c.z));
    if (form == PELT_V1) covariance += mat3(omega);
  }
  s = transpose(mat3(sum[0].xyz, sum[1].xyz, sum[2].xyz));
  q = origin + vec3(sum[0].w, sum[1].w, sum[2].w);
}

// v0 and Enhanced DDM.
mat4 peltSolved(highp sampler2D rows, highp sampler2D joints, int firstRow, int form, int first, int count, vec3 p,
                vec3 u) {
  mat3 s, covariance;
  vec3 q;
  peltSums(rows, joints, firstRow, form, first, count, p, u, s, q, covariance);
  vec4 fallback = peltJoint(joints, firstRow, int(peltEntry(rows, first, 0).x), 3);
  return peltAffine(peltNearestRotation(s, fallback), q, u - p, u);
}

// v1; v0 where the patch is flat.
mat4 peltUnsolved(highp sampler2D rows, highp sampler2D joints, int firstRow, int first, int count, vec3 p, vec3 u) {
  mat3 s, covariance;
  vec3 q, d = u - p;
  peltSums(rows, joints, firstRow, PELT_V1, first, count, p, u, s, q, covariance);
  if (peltIsFlat(covariance)) return peltSolved(rows, joints, firstRow, PELT_V0, first, count, p, u);
  return peltAffine(peltKeepLength(peltCofactor(s * inverse(covariance)), d), q, d, u);
}

// v2, v3 and v4.
mat4 peltBlended(highp sampler2D rows, highp sampler2D joints, int firstRow, int form, int first, int count, int pivot,
                 vec3 p, vec3 u) {
  vec4 hemisphere = peltJoint(joints, firstRow, pivot, 3), quaternion = vec4(0.0);
  vec3 q = vec3(0.0), origin = vec3(0.0), d = u - p;
  mat3 x = mat3(0.0);
  for (int e = first; e < first + count; ++e) {
    vec4 t0 = peltEntry(rows, e, 0);
    int j = int(t0.x);
    vec4 m0 = peltJoint(joints, firstRow, j, 0), m1 = peltJoint(joints, firstRow, j, 1),
         m2 = peltJoint(joints, firstRow, j, 2), r = peltJoint(joints, firstRow, j, 3);
    vec3 c = vec3(dot(m0, vec4(p, 1.0)), dot(m1, vec4(p, 1.0)), dot(m2, vec4(p, 1.0)));
    if (e == first) origin = c;
    q += t0.y * (c - origin);
    if (form != PELT_V4) {
      vec3 chi = peltEntry(rows, e, 1).xyz;
      q += vec3(dot(m0.xyz, chi), dot(m1.xyz, chi), dot(m2.xyz, chi));
    }
    if (form == PELT_V3) {
      x += peltFromQuaternion(r) * t0.z;
    } else {
      quaternion += r * (dot(hemisphere, r) < 0.0 ? -t0.z : t0.z);
    }
  }
  if (form == PELT_V3) {
    x = peltKeepLength(x, d);
  } else {
    x = peltFromQuaternion(normalize(quaternion));
  }
  return peltAffine(x, origin + q, d, u);
}

mat4 peltLinear(highp sampler2D rows, highp sampler2D joints, int firstRow, int first, int count) {
  mat3x4 sum = mat3x4(0.0);
  for (int e = first; e < first + count; ++e) {
    vec4 t0 = peltEntry(rows, e, 0);
    int j = int(t0.x);
    sum += t0.y * mat3x4(peltJoint(joints, firstRow, j, 0), peltJoint(joints, firstRow, j, 1),
                         peltJoint(joints, firstRow, j, 2));
  }
  return transpose(mat4(sum[0], sum[1], sum[2], vec4(0.0, 0.0, 0.0, 1.0)));
}

// A vertex with one entry follows its joint.
mat4 peltFollowed(highp sampler2D rows, highp sampler2D joints, int firstRow, int form, int first, vec3 center,
                  vec3 u) {
  int j = int(peltEntry(rows, first, 0).x);
  vec4 at = vec4(form == PELT_EDDM ? u : center, 1.0);
  vec3 q = vec3(dot(peltJoint(joints, firstRow, j, 0), at), dot(peltJoint(joints, firstRow, j, 1), at),
                dot(peltJoint(joints, firstRow, j, 2), at));
  return peltAffine(peltFromQuaternion(peltJoint(joints, firstRow, j, 3)), q, u - at.xyz, u);
}

// Any form. A shader that needs one alone calls its function itself, which leaves the compiler less to keep.
mat4 peltSkin(highp sampler2D rows, highp sampler2D joints, int firstRow, int form, int first, int count, int pivot,
              vec3 center, vec3 u) {
  if (form == PELT_LBS) return peltLinear(rows, joints, firstRow, first, count);
  if (count == 1) return peltFollowed(rows, joints, firstRow, form, first, center, u);
  if (form == PELT_V1) return peltUnsolved(rows, joints, firstRow, first, count, center, u);
  if (form >= PELT_V2 && form <= PELT_V4)
    return peltBlended(rows, joints, firstRow, form, first, count, pivot, center, u);
  return peltSolved(rows, joints, firstRow, form, first, count, center, u);
}

// The matrix for normals: that of the map itself; for a linear blend, A^-T (up to its length).
mat3 peltNormalMatrix(mat4 skin, int form) {
  mat3 a = mat3(skin);
  if (form != PELT_LBS) return a;
  mat3 c = peltCofactor(a);
  return dot(a[0], c[0]) < 0.0 ? -1.0 * c : c;
}
