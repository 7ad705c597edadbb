// Linear blend skinning as a plain scalar loop, which kernels are compared with.
#include "plain_skinning.h"

#include <algorithm>

namespace pelt::bench {

PlainInfluences plainInfluences(const SkinWeights& weights) {
    PlainInfluences plain;
    plain.vertices.resize(weights.vertexCount());
    const SkinWeights four = keepHeaviest(weights, 4);
    for (std::size_t v = 0; v < four.vertexCount(); ++v)
        for (std::size_t i = 0; i < 4; ++i) {
            const bool used = i < four.influenceCount(v);
            plain.vertices[v].joints[i] = used ? static_cast<std::uint16_t>(four.jointsOf(v)[i]) : 0;
            plain.vertices[v].weights[i] = used ? four.weightsOf(v)[i] : 0;
        }
    return plain;
}

void plainLbs(const PlainInfluences& influences, const Affine3f* bones, const PlainStreams& s, std::size_t first,
              std::size_t last) {
    for (std::size_t v = first; v < last; ++v) {
        const PlainInfluences::Vertex& vertex = influences.vertices[v];
        float m[16] = {};
        for (int i = 0; i < 4; ++i)
            for (int k = 0; k < 16; ++k) m[k] += vertex.weights[i] * bones[vertex.joints[i]].m[k];

        const Vec3f p = s.positions[v];
        s.out_positions[v] = {m[0] * p.x + m[4] * p.y + m[8] * p.z + m[12],
                              m[1] * p.x + m[5] * p.y + m[9] * p.z + m[13],
                              m[2] * p.x + m[6] * p.y + m[10] * p.z + m[14]};
        if (!s.normals) continue;
        const Mat3f a{{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}};
        const Mat3f c = cofactor(a);
        const Vec3f n = c * s.normals[v];
        const float scale = 1 / std::sqrt(dot(n, n));
        s.out_normals[v] = n * (dot(a.col[0], c.col[0]) < 0 ? -scale : scale);
    }
}

std::vector<PlainDualQuaternion> plainDualQuaternions(std::span<const Affine3f> bones) {
    std::vector<PlainDualQuaternion> joints;
    for (const Affine3f& bone : bones) {
        const Quatf q = toQuat(bone.linear());
        const Vec3f t = bone.translation() * 0.5f;
        joints.push_back({q, Quatf{t.x, t.y, t.z, 0} * q});
    }
    return joints;
}

void plainDqs(const PlainInfluences& influences, const PlainDualQuaternion* joints, const PlainStreams& s,
              std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v) {
        const PlainInfluences::Vertex& vertex = influences.vertices[v];
        const Quatf pivot = joints[vertex.joints[0]].q;  // the heaviest comes first
        Quatf b{0, 0, 0, 0}, e{0, 0, 0, 0};
        for (int i = 0; i < 4; ++i) {
            const PlainDualQuaternion& j = joints[vertex.joints[i]];
            const float w = dot(pivot, j.q) < 0 ? -vertex.weights[i] : vertex.weights[i];
            b = {b.x + w * j.q.x, b.y + w * j.q.y, b.z + w * j.q.z, b.w + w * j.q.w};
            e = {e.x + w * j.d.x, e.y + w * j.d.y, e.z + w * j.d.z, e.w + w * j.d.w};
        }
        const float scale = 2 / dot(b, b);
        const Vec3f r{b.x, b.y, b.z}, g{e.x, e.y, e.z}, p = s.positions[v];
        s.out_positions[v] = p + (cross(r, cross(r, p) + p * b.w + g) + g * b.w - r * e.w) * scale;
        if (!s.normals) continue;
        const Vec3f n = s.normals[v];
        s.out_normals[v] = n + cross(r, cross(r, n) + n * b.w) * scale;
    }
}

void triad(float* a, const float* b, const float* c, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) a[i] = b[i] + 3 * c[i];
}

}  // namespace pelt::bench
