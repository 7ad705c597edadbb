// Direct Delta Mush [LeLewis19], its variants and Enhanced DDM [Kalentchouk20] in a vertex or compute shader: HLSL,
// shader model 5. docs/payload.md has the formulas and the file format that the data comes from.
//
//     float3x4 m = peltSkin(PELT_V0, first, count, pivot, center, u);
//     float3 x = mul(m, float4(u, 1));                                      // posed position
//     float3 n = mul(peltNormalMatrix(m, PELT_V0), normal);                 // posed normal, not of unit length
//     float3 t = mul((float3x3)m, tangent.xyz);                             // posed tangent
//
// Matrices take columns from the right: mul(m, v). u is the rest position with morph targets added, in the payload's
// space (N u if the file has a `space`). Per vertex: center (float3), the row's first entry and count of entries, and
// pivot, the joint of the entry with the largest psi (the lowest joint on ties; only v2 and v4 read it). Rows are
// centered: the sum of a row's chi is 0. If it is not 0 in the file, add it to center and shift W and chi accordingly.
//
// peltRows: entry e is the elements 3 e + k:
//     k = 0: joint, omega, psi, W.zz      k = 1: chi.x, chi.y, chi.z, W.yz      k = 2: W.xx, W.xy, W.xz, W.yy
// v4 and v5 read the first element of an entry, v2 and v3 the first two.
//
// peltJoints, each frame: joint j is the elements 4 j + k:
//     k = 0..2: the rows of M_j, which takes rest space to posed space       k = 3: the rotation of M_j, a quaternion
// The rotation is R of the right polar decomposition A = R S of M's 3x3 part; v0 and v1 use it only if a patch does not
// determine a rotation.

StructuredBuffer<float4> peltRows : register(t0);
StructuredBuffer<float4> peltJoints : register(t1);

static const int PELT_V0 = 0;
static const int PELT_V1 = 1;
static const int PELT_V2 = 2;
static const int PELT_V3 = 3;
static const int PELT_V4 = 4;
static const int PELT_LBS = 5;   // v5, and any linear blend skin with omega for weights
static const int PELT_EDDM = 6;  // v0's form for joints that scale or shear

float3x4 peltBone(int joint) {
  return float3x4(peltJoints[4 * joint], peltJoints[4 * joint + 1], peltJoints[4 * joint + 2]);
}

// The cofactors by rows: those of the transpose are the transpose of these.
float3x3 peltCofactor(float3x3 m) {
  return float3x3(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1]));
}

float3x3 peltFromQuaternion(float4 q) {
  float3 x = 2.0 * q.x * q.xyz, y = 2.0 * q.y * q.xyz, z = 2.0 * q.z * q.xyz, w = 2.0 * q.w * q.xyz;
  return float3x3(1.0 - y.y - z.z, x.y - w.z, x.z + w.y,  //
                  x.y + w.z, 1.0 - x.x - z.z, y.z - w.x,  //
                  x.z - w.y, y.z + w.x, 1.0 - x.x - y.y);
}

float peltSquaredNorm(float3x3 m) {
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
float3x3 peltNearestRotation(float3x3 s, float4 fallback) {
  s *= rsqrt(max(peltSquaredNorm(s), 1e-36));
  float3x3 c = peltCofactor(s);
  float det = dot(s[0], c[0]);
  float squared = peltLargestSquared(peltSquaredNorm(c), det), inverse1 = rsqrt(squared);
  float3x3 x = s + c * inverse1, cx = peltCofactor(x);
  float ratio = det * inverse1, a = squared * inverse1 + ratio * inverse1;
  float g = sqrt(peltSquaredNorm(cx) / (2.0 * a * a + max(1.0 - squared + 2.0 * ratio, 0.0)));
  float3x3 r = (x * g + cx) * (1.0 / max(a * g + g * g, 1e-30));
  [unroll] for (int i = 0; i < 2; ++i) {
    c = peltCofactor(r);
    det = dot(r[0], c[0]);
    r = 0.5 * r + c * (0.5 / det);
  }
  if (abs(det - 1.0) <= 1e-3) return r;

  r = peltFromQuaternion(fallback);
  float3x3 st = transpose(s);
  for (int k = 0; k < 16; ++k) {
    float3x3 rt = transpose(r);
    float3 turn = cross(rt[0], st[0]) + cross(rt[1], st[1]) + cross(rt[2], st[2]);
    turn /= abs(dot(rt[0], st[0]) + dot(rt[1], st[1]) + dot(rt[2], st[2])) + 1e-9;
    float angle = length(turn);
    if (!(angle > 1e-6)) break;
    r = mul(peltFromQuaternion(float4(turn * (sin(0.5 * angle) / angle), cos(0.5 * angle))), r);
  }
  return r;
}

// A patch whose covariance has no extent in one direction: single precision cannot determine how its normal rotates.
bool peltIsFlat(float3x3 p) {
  float3x3 c = peltCofactor(p);
  float minors = c[0].x + c[1].y + c[2].z, trace = p[0].x + p[1].y + p[2].z;
  return !(dot(p[0], c[0]) > 1e-4 * minors * trace);
}

// The affine map that takes u to q + X d.
float3x4 peltAffine(float3x3 x, float3 q, float3 d, float3 u) {
  float3 t = q + mul(x, d) - mul(x, u);
  return float3x4(float4(x[0], t.x), float4(x[1], t.y), float4(x[2], t.z));
}

// X with the length of d restored, as in v1 and v3.
float3x3 peltKeepLength(float3x3 x, float3 d) {
  float moved = length(mul(x, d));
  return moved > 0.0 ? x * (length(d) / moved) : x;
}

// v0, v1 and Enhanced DDM.
float3x4 peltSolved(int form, int first, int count, float3 p, float3 u) {
  float3 d = u - p, origin = float3(0, 0, 0), q = float3(0, 0, 0);
  float3x3 s = (float3x3)0, covariance = (float3x3)0;
  for (int e = first; e < first + count; ++e) {
    float4 t0 = peltRows[3 * e], t1 = peltRows[3 * e + 1], t2 = peltRows[3 * e + 2];
    float3x3 w = float3x3(t2.xyz, float3(t2.y, t2.w, t1.w), float3(t2.z, t1.w, t0.w));
    int j = (int)t0.x;
    float3x4 m = peltBone(j);
    float3x3 a = (float3x3)m;
    float3 c;
    if (form == PELT_EDDM) {
      a = peltFromQuaternion(peltJoints[4 * j + 3]);
      c = mul(m, float4(u, 1.0)) - mul(a, d);
    } else {
      c = mul(m, float4(p, 1.0));
    }
    if (e == first) origin = c;  // sums are about it, which costs nothing and keeps far figures exact
    c -= origin;
    s += mul(a, w) + float3x3(c.x * t1.xyz, c.y * t1.xyz, c.z * t1.xyz);
    q += mul(a, t1.xyz) + t0.y * c;
    covariance += w;
  }
  q += origin;
  if (form == PELT_V1 && !peltIsFlat(covariance)) {
    float3x3 inverse = peltCofactor(covariance);  // times the determinant: the covariance is symmetric
    inverse *= 1.0 / dot(covariance[0], inverse[0]);
    return peltAffine(peltKeepLength(peltCofactor(mul(s, inverse)), d), q, d, u);
  }
  return peltAffine(peltNearestRotation(s, peltJoints[4 * (int)peltRows[3 * first].x + 3]), q, d, u);
}

// v2, v3 and v4.
float3x4 peltBlended(int form, int first, int count, int pivot, float3 p, float3 u) {
  float4 hemisphere = peltJoints[4 * pivot + 3], quaternion = float4(0, 0, 0, 0);
  float3 q = float3(0, 0, 0), origin = float3(0, 0, 0), d = u - p;
  float3x3 x = (float3x3)0;
  for (int e = first; e < first + count; ++e) {
    float4 t0 = peltRows[3 * e];
    int j = (int)t0.x;
    float3x4 m = peltBone(j);
    float4 r = peltJoints[4 * j + 3];
    float3 c = mul(m, float4(p, 1.0));
    if (e == first) origin = c;
    q += t0.y * (c - origin);
    if (form != PELT_V4) q += mul((float3x3)m, peltRows[3 * e + 1].xyz);
    if (form == PELT_V3)
      x += peltFromQuaternion(r) * t0.z;
    else
      quaternion += r * (dot(hemisphere, r) < 0.0 ? -t0.z : t0.z);
  }
  if (form == PELT_V3)
    x = peltKeepLength(x, d);
  else
    x = peltFromQuaternion(normalize(quaternion));
  return peltAffine(x, origin + q, d, u);
}

float3x4 peltLinear(int first, int count) {
  float3x4 sum = (float3x4)0;
  for (int e = first; e < first + count; ++e) sum += peltRows[3 * e].y * peltBone((int)peltRows[3 * e].x);
  return sum;
}

float3x4 peltSkin(int form, int first, int count, int pivot, float3 center, float3 u) {
  if (form == PELT_LBS) return peltLinear(first, count);
  if (count == 1) {  // the vertex follows its joint
    int j = (int)peltRows[3 * first].x;
    float3 at = form == PELT_EDDM ? u : center;
    return peltAffine(peltFromQuaternion(peltJoints[4 * j + 3]), mul(peltBone(j), float4(at, 1.0)), u - at, u);
  }
  if (form >= PELT_V2 && form <= PELT_V4) return peltBlended(form, first, count, pivot, center, u);
  return peltSolved(form, first, count, center, u);
}

// The matrix for normals: that of the map itself; for a linear blend, A^-T (up to its length).
float3x3 peltNormalMatrix(float3x4 skin, int form) {
  float3x3 a = (float3x3)skin;
  if (form != PELT_LBS) return a;
  float3x3 c = peltCofactor(a);
  return dot(a[0], c[0]) < 0.0 ? -c : c;
}
