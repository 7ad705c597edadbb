#pragma once

#include <pelt/core/affine.h>

#include <cstdint>
#include <vector>

namespace pelt::fit::ssdr {

/// Bone transformations of all frames, M_j^t = [R | T], as the matrix that trajectories are multiplied with: row
/// 3 t + r, columns 4 j .. 4 j + 3.
struct Motions {
    std::size_t bones = 0, frames = 0;
    std::vector<double> m;

    Motions() = default;
    /// All at rest.
    Motions(std::size_t bone_count, std::size_t frame_count);

    std::size_t columns() const { return 4 * bones; }
    Affine3d get(std::size_t frame, std::size_t bone) const;
    void set(std::size_t frame, std::size_t bone, const Affine3d& motion);
};

/// Products of bones, summed over the frames; with them the residual of any vertex is a small quadratic form.
struct BoneProducts {
    static constexpr std::size_t kTerms = 10;
    std::size_t bones = 0;
    std::vector<double> pairs;     ///< [k][term][j]
    std::vector<double> diagonal;  ///< [term][j], of j with itself
    std::vector<double> gram;      ///< Σ_t M_j^T M_k, row 4 j + c, column 4 k + e

    const double* of(std::size_t k) const { return pairs.data() + k * kTerms * bones; }
};

BoneProducts productsOf(const Motions& motions);

/// x², xy, xz, x, y², yz, y, z², z, 1: the factors of the terms of BoneProducts.
void quadraticTerms(const Vec3d& p, double terms[BoneProducts::kTerms]);

}  // namespace pelt::fit::ssdr
