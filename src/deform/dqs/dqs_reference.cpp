// Dual quaternion skinning [Kavan08], with stretches.
//
// A bone x ↦ A x + t with A = R S (right polar decomposition) is split about the joint's rest position c: first the
// stretch c + S (x − c), then the rigid map with rotation R that maps c to the same point as the bone does,
//     y ↦ R y + (A c + t − R c).
// A vertex blends the stretches linearly, then the rigid maps as dual quaternions q + ε d, d = ½ t q:
//     x_s = Σ_j w_j (c_j + S_j (x − c_j))
//     b + ε e = Σ_j ±w_j (q_j + ε d_j), the sign that puts q_j on the hemisphere of the heaviest joint's x' = b x_s b*
//     / |b|² + 2 vec(e b*) / |b|²
// vec(e b*) ignores the part of e along b, so no second normalization is needed. Normals follow the rotation b; where
// joints mirror, the blended reflection comes first.
#include <algorithm>
#include <cassert>
#include <vector>

#include "deform/reference.h"
#include "polar.h"

namespace pelt::deform::reference {
namespace {

template <class T>
struct SplitBone {
    Quat<T> q, d;  // rigid part q + ε d
    Mat3<T> stretch, mirror;
    Vec3<T> center;
};

template <class T>
Mat3<T> cast(const Mat3d& m) {
    return {{Vec3<T>(m.col[0]), Vec3<T>(m.col[1]), Vec3<T>(m.col[2])}};
}

template <class T>
Quat<T> scaled(const Quat<T>& q, T s) {
    return {q.x * s, q.y * s, q.z * s, q.w * s};
}

template <class T>
Quat<T> sum(const Quat<T>& a, const Quat<T>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

template <class T>
SplitBone<T> split(const Affine3<T>& bone, const Vec3d& center) {
    const Affine3d m(bone);
    const Polar polar = polarDecompose(m.linear());
    const Vec3d t = m * center - polar.rotation * center;
    const Quatd q = toQuat(polar.rotation);
    const Quatd d = scaled(Quatd{t.x, t.y, t.z, 0} * q, 0.5);
    return {{T(q.x), T(q.y), T(q.z), T(q.w)},
            {T(d.x), T(d.y), T(d.z), T(d.w)},
            cast<T>(polar.stretch),
            cast<T>(polar.mirror),
            Vec3<T>(center)};
}

/// Index into the vertex's influences: the largest weight, the lowest joint on ties.
std::size_t heaviest(std::span<const std::uint32_t> joints, std::span<const float> values) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < values.size(); ++i)
        if (values[i] > values[best] || (values[i] == values[best] && joints[i] < joints[best])) best = i;
    return best;
}

template <class T>
Vec3<T> rotate(const Quat<T>& b, const Vec3<T>& x) {
    const Quat<T> y = b * Quat<T>{x.x, x.y, x.z, 0} * conjugate(b);
    return Vec3<T>{y.x, y.y, y.z} / dot(b, b);
}

}  // namespace

template <class T>
void dqs(const Shape<T>& rest, const SkinWeights& weights, std::span<const Vec3d> joint_positions,
         std::span<const Affine3<T>> bones, const Result<T>& out) {
    assert(joint_positions.size() >= bones.size() && out.positions.size() == rest.positions.size());
    std::vector<SplitBone<T>> split_bones;
    for (std::size_t j = 0; j < bones.size(); ++j) split_bones.push_back(split(bones[j], joint_positions[j]));

    for (std::size_t v = 0; v < rest.positions.size(); ++v) {
        const auto joints = weights.jointsOf(v);
        const auto values = weights.weightsOf(v);
        const Quat<T> pivot = split_bones[joints[heaviest(joints, values)]].q;
        T total = 0;
        for (const float w : values) total += T(w);

        Vec3<T> x, n;
        Quat<T> b{0, 0, 0, 0}, e{0, 0, 0, 0};
        for (std::size_t i = 0; i < joints.size(); ++i) {
            const SplitBone<T>& bone = split_bones[joints[i]];
            const T w = T(values[i]) / total;
            x += (bone.center + bone.stretch * (rest.positions[v] - bone.center)) * w;
            if (!rest.normals.empty()) n += bone.mirror * rest.normals[v] * w;
            const T signed_w = dot(bone.q, pivot) < 0 ? -w : w;
            b = sum(b, scaled(bone.q, signed_w));
            e = sum(e, scaled(bone.d, signed_w));
        }
        const Quat<T> t = scaled(e * conjugate(b), T(2) / dot(b, b));
        out.positions[v] = rotate(b, x) + Vec3<T>{t.x, t.y, t.z};
        if (out.normals.empty() || rest.normals.empty()) continue;
        out.normals[v] = rotate(b, normalized(n, rest.normals[v]));
    }
}

template void dqs(const Shape<float>&, const SkinWeights&, std::span<const Vec3d>, std::span<const Affine3f>,
                  const Result<float>&);
template void dqs(const Shape<double>&, const SkinWeights&, std::span<const Vec3d>, std::span<const Affine3d>,
                  const Result<double>&);

}  // namespace pelt::deform::reference
