// The transforms of all bones in all frames as one matrix, and products of its columns.
#include "motions.h"

#include <Eigen/Core>

namespace pelt::fit::ssdr {

Motions::Motions(std::size_t bone_count, std::size_t frame_count)
    : bones(bone_count), frames(frame_count), m(3 * frame_count * 4 * bone_count, 0.0) {
    for (std::size_t t = 0; t < frames; ++t)
        for (std::size_t j = 0; j < bones; ++j) set(t, j, Affine3d());
}

Affine3d Motions::get(std::size_t frame, std::size_t bone) const {
    Mat3d a;
    Vec3d translation;
    for (int r = 0; r < 3; ++r) {
        const double* row = m.data() + (3 * frame + std::size_t(r)) * columns() + 4 * bone;
        for (int c = 0; c < 3; ++c) a(r, c) = row[c];
        translation[r] = row[3];
    }
    return {a, translation};
}

void Motions::set(std::size_t frame, std::size_t bone, const Affine3d& motion) {
    const Mat3d a = motion.linear();
    const Vec3d translation = motion.translation();
    for (int r = 0; r < 3; ++r) {
        double* row = m.data() + (3 * frame + std::size_t(r)) * columns() + 4 * bone;
        for (int c = 0; c < 3; ++c) row[c] = a(r, c);
        row[3] = translation[r];
    }
}

BoneProducts productsOf(const Motions& motions) {
    using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const Matrix> m(motions.m.data(), Eigen::Index(3 * motions.frames),
                                     Eigen::Index(motions.columns()));
    const Matrix gram = m.transpose() * m;
    BoneProducts products;
    const std::size_t bones = products.bones = motions.bones;
    products.gram.assign(gram.data(), gram.data() + gram.size());
    products.pairs.resize(bones * BoneProducts::kTerms * bones);
    products.diagonal.resize(BoneProducts::kTerms * bones);
    for (std::size_t k = 0; k < bones; ++k)
        for (std::size_t j = 0; j < bones; ++j) {
            std::size_t term = 0;
            for (std::size_t c = 0; c < 4; ++c)
                for (std::size_t e = c; e < 4; ++e, ++term) {
                    double value = gram(Eigen::Index(4 * j + c), Eigen::Index(4 * k + e));
                    if (c != e) value += gram(Eigen::Index(4 * j + e), Eigen::Index(4 * k + c));
                    products.pairs[(k * BoneProducts::kTerms + term) * bones + j] = value;
                    if (j == k) products.diagonal[term * bones + j] = value;
                }
        }
    return products;
}

void quadraticTerms(const Vec3d& p, double terms[BoneProducts::kTerms]) {
    const double q[4] = {p.x, p.y, p.z, 1};
    for (int c = 0; c < 4; ++c)
        for (int e = c; e < 4; ++e) *terms++ = q[c] * q[e];
}

}  // namespace pelt::fit::ssdr
