// Linear blend skinning [Magnenat88], for w_j the weights of a vertex (Σ w_j = 1), M_j = [A_j t_j] the bones:
//     x' = Σ_j w_j M_j x
//     n' = A^-T n / |A^-T n|,  A = Σ_j w_j A_j
// A^-T = cof(A) / det(A): the cofactor matrix needs no division, so a singular A gives a normal too; only the sign of
// the determinant is needed.
#include <cassert>

#include "deform/reference.h"

namespace pelt::deform::reference {

template <class T>
void lbs(const Shape<T>& rest, const SkinWeights& weights, std::span<const Affine3<T>> bones, const Result<T>& out) {
    assert(weights.vertexCount() == rest.positions.size() && out.positions.size() == rest.positions.size());
    for (std::size_t v = 0; v < rest.positions.size(); ++v) {
        const auto joints = weights.jointsOf(v);
        const auto values = weights.weightsOf(v);
        T sum = 0;
        for (const float w : values) sum += T(w);

        Vec3<T> x;
        Mat3<T> a{{{}, {}, {}}};
        for (std::size_t i = 0; i < joints.size(); ++i) {
            const Affine3<T>& bone = bones[joints[i]];
            const T w = T(values[i]) / sum;
            x += bone * rest.positions[v] * w;
            a = a + bone.linear() * w;
        }
        out.positions[v] = x;
        if (out.normals.empty() || rest.normals.empty()) continue;
        const Vec3<T> n = cofactor(a) * rest.normals[v];
        out.normals[v] = normalized(determinant(a) < 0 ? -n : n, rest.normals[v]);
    }
}

template void lbs(const Shape<float>&, const SkinWeights&, std::span<const Affine3f>, const Result<float>&);
template void lbs(const Shape<double>&, const SkinWeights&, std::span<const Affine3d>, const Result<double>&);

}  // namespace pelt::deform::reference
