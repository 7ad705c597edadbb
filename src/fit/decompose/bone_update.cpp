// [LeDeng12] §3.3. For bone j in one frame, with A = Σ_i u_i q_i^T (4 x 3) and S = Σ_i u_i (w_i p̃_i)^T, u_i = w_i p̃_i:
//     p_* = Σ w² p / Σ w², q_* = Σ w q / Σ w²                 Eq. 8b: last column of S, last row of A
//     Σ w p̄ q̄^T = A_{1..3} - p_* A_4                          Eq. 9
// Edge terms change only u_i (bone_update.h): tr(M S M^T) - 2 tr(M A) is minimized either way, and once T is eliminated
// the first term, tr(R (..) R^T), is the same for every rotation.
//     R = the rotation that maximizes tr(R Σ w p̄ q̄^T), T = q_* - R p_*   Eq. 10, det R = +1
#include "bone_update.h"

#include <pelt/core/parallel.h>
#include <pelt/runtime/rotation.h>

#include <algorithm>
#include <cmath>

#include "core/eigen/eigen_solvers.h"
#include "ssdr_kernel.h"

namespace pelt::fit::ssdr {
namespace {

constexpr int kSweeps = 12;             ///< maximum number of sweeps over the bones of a frame
constexpr double kSettled = 1e-10;      ///< of the mean squared length of a frame: a sweep that gains less is the last
constexpr double kFlexibleRank = 1e-9;  ///< directions of affine bones that the data does not determine are not changed

using Block = double[4][3];

/// out += factor S M^T for bone k of a frame; S is 4 x 4.
void addProduct(const double* s, const double* m, std::size_t columns, double factor, Block& out) {
    for (int r = 0; r < 3; ++r) {
        const double* row = m + std::size_t(r) * columns;
        for (int c = 0; c < 4; ++c) {
            const double* sums = s + 4 * c;
            out[c][r] += factor * (sums[0] * row[0] + sums[1] * row[1] + sums[2] * row[2] + sums[3] * row[3]);
        }
    }
}

/// One frame: its sums, its part of the motions, and the updates of its bones.
class FrameUpdate {
public:
    FrameUpdate(const VertexSums& sums, Motions& motions, std::size_t frame)
        : sums_(sums), frame_(frame), columns_(motions.columns()), m_(motions.m.data() + 3 * frame * columns_) {}

    /// -2 Σ_j <C_j, M_j> + Σ_jk <M_j S_jk, M_k>: the error minus the frame's own squared length.
    double energy() const {
        double total = 0;
        for (std::size_t j = 0; j < sums_.bones; ++j) {
            Block a = {};
            addProduct(pair(j, j), m_ + 4 * j, columns_, 1, a);
            for (const std::uint32_t k : sums_.neighbors[j]) addProduct(pair(j, k), m_ + 4 * k, columns_, 1, a);
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 4; ++c) total += at(j, r, c) * (a[c][r] - 2 * moment(j, r, c));
        }
        return total;
    }

    void updateRigid(std::size_t j) {
        Block a;
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 4; ++c) a[c][r] = moment(j, r, c);
        for (const std::uint32_t k : sums_.neighbors[j]) addProduct(pair(j, k), m_ + 4 * k, columns_, -1, a);
        const double* s = pair(j, j);
        const double weight = s[15];
        const Vec3d p = Vec3d(s[3], s[7], s[11]) / weight, q = Vec3d(a[3][0], a[3][1], a[3][2]) / weight;
        Mat3d cross;  // (Σ w p̄ q̄^T)^T
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) cross(r, c) = a[c][r] - p[c] * a[3][r];
        Mat3d old;
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) old(r, c) = at(j, r, c);
        const Mat3d rotation = runtime::nearestRotation(cross, old).rotation;
        const Vec3d translation = q - rotation * p;
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) at(j, r, c) = rotation(r, c);
            at(j, r, 3) = translation[r];
        }
    }

private:
    const double* pair(std::size_t j, std::size_t k) const { return sums_.s.data() + (j * sums_.bones + k) * 16; }
    double moment(std::size_t j, int r, int c) const {
        return sums_.c[(4 * j + std::size_t(c)) * sums_.dimensions + 3 * frame_ + std::size_t(r)];
    }
    double& at(std::size_t j, int r, int c) const { return m_[std::size_t(r) * columns_ + 4 * j + std::size_t(c)]; }

    const VertexSums& sums_;
    std::size_t frame_, columns_;
    double* m_;
};

/// All affine bones of all frames at once: one matrix, Σ_k S_jk M_k^T = C_j, for every frame. Directions that the data
/// does not determine keep their values (the change of least norm).
void updateFlexible(const VertexSums& sums, const std::vector<std::size_t>& free, Motions& motions) {
    const auto size = Eigen::Index(4 * free.size()), dimensions = Eigen::Index(sums.dimensions);
    Eigen::MatrixXd system(size, size), right(size, dimensions);
    for (std::size_t a = 0; a < free.size(); ++a) {
        for (std::size_t b = 0; b < free.size(); ++b) {
            const double* s = sums.s.data() + (free[a] * sums.bones + free[b]) * 16;
            for (Eigen::Index c = 0; c < 4; ++c)
                for (Eigen::Index e = 0; e < 4; ++e)
                    system(4 * Eigen::Index(a) + c, 4 * Eigen::Index(b) + e) = s[4 * c + e];
        }
        // The residual for the free bones, given the current bones.
        for (Eigen::Index c = 0; c < 4; ++c)
            for (Eigen::Index d = 0; d < dimensions; ++d)
                right(4 * Eigen::Index(a) + c, d) =
                    sums.c[(4 * free[a] + std::size_t(c)) * sums.dimensions + std::size_t(d)];
        const auto subtract = [&](std::size_t k) {
            const double* s = sums.s.data() + (free[a] * sums.bones + k) * 16;
            for (Eigen::Index d = 0; d < dimensions; ++d) {
                const double* m = motions.m.data() + std::size_t(d) * motions.columns() + 4 * k;
                for (Eigen::Index c = 0; c < 4; ++c)
                    right(4 * Eigen::Index(a) + c, d) -=
                        s[4 * c] * m[0] + s[4 * c + 1] * m[1] + s[4 * c + 2] * m[2] + s[4 * c + 3] * m[3];
            }
        };
        subtract(free[a]);
        for (const std::uint32_t k : sums.neighbors[free[a]]) subtract(k);
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(system);
    Eigen::VectorXd inverse = eigen.eigenvalues();
    const double cut = kFlexibleRank * inverse.cwiseAbs().maxCoeff();
    for (Eigen::Index i = 0; i < size; ++i) inverse[i] = inverse[i] > cut ? 1 / inverse[i] : 0;
    const Eigen::MatrixXd change =
        eigen.eigenvectors() * (inverse.asDiagonal() * (eigen.eigenvectors().transpose() * right));
    for (std::size_t a = 0; a < free.size(); ++a)
        for (Eigen::Index d = 0; d < dimensions; ++d)
            for (Eigen::Index c = 0; c < 4; ++c)
                motions.m[std::size_t(d) * motions.columns() + 4 * free[a] + std::size_t(c)] +=
                    change(4 * Eigen::Index(a) + c, d);
}

double weightOf(const SimplexSolver::Weights& weights, std::size_t bone) {
    for (std::size_t i = 0; i < weights.bones.size(); ++i)
        if (weights.bones[i] == bone) return weights.values[i];
    return 0;
}

/// Per bone, the vertices that it moves, or that share an edge with one that it moves.
std::vector<std::vector<std::uint32_t>> membersOf(const EdgeTies& ties, const VertexWeights& weights,
                                                  std::size_t bones) {
    std::vector<std::vector<std::uint32_t>> members(bones);
    const auto add = [&](std::uint32_t vertex, std::uint32_t bone) {
        if (members[bone].empty() || members[bone].back() != vertex) members[bone].push_back(vertex);
    };
    for (std::uint32_t v = 0; v < weights.size(); ++v) {
        for (const std::uint32_t bone : weights[v].bones) add(v, bone);
        for (const std::uint32_t n : ties.edges.of(v))
            for (const std::uint32_t bone : weights[n].bones) add(v, bone);
    }
    return members;
}

/// u_ij of vertex `v` and bone `j`.
void derivative(const Trajectories& data, const EdgeTies& ties, const VertexWeights& weights, std::uint32_t v,
                std::size_t j, double u[4]) {
    double tied = 0;
    Vec3d others;
    double other = 0;
    for (std::size_t e = ties.begin(v); e < ties.end(v); ++e) {
        const std::uint32_t n = ties.edges.neighbors[e];
        tied += ties.strength[e];
        const double w = ties.strength[e] * weightOf(weights[n], j);
        others += data.rest[n] * w;
        other += w;
    }
    const double w = (data.massOf(v) + tied) * weightOf(weights[v], j);
    const Vec3d sum = data.rest[v] * w - others;
    u[0] = sum.x, u[1] = sum.y, u[2] = sum.z, u[3] = w - other;
}

}  // namespace

VertexSums sumVertices(const Trajectories& data, const EdgeTies& ties, const VertexWeights& weights,
                       std::size_t bones) {
    VertexSums sums;
    sums.bones = bones;
    sums.dimensions = data.dimensions();
    sums.squared = ties.own_squared + ties.edge_squared;
    sums.c.assign(bones * 4 * data.dimensions(), 0.0);
    sums.s.assign(bones * bones * 16, 0.0);
    sums.significance.assign(bones, 0.0);
    sums.neighbors.resize(bones);
    const std::vector<std::vector<std::uint32_t>> members = membersOf(ties, weights, bones);
    parallelFor(bones, 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t j = first; j < last; ++j) {
            double* c = sums.c.data() + j * 4 * data.dimensions();
            for (const std::uint32_t v : members[j]) {
                const double own = weightOf(weights[v], j);
                sums.significance[j] += data.massOf(v) * own * own;
                double u[4];
                derivative(data, ties, weights, v, j, u);
                addOuter(data.of(v), data.dimensions(), u, c);
                const Vec3d& p = data.rest[v];
                for (std::size_t i = 0; i < weights[v].bones.size(); ++i) {
                    double* s = sums.s.data() + (j * bones + weights[v].bones[i]) * 16;
                    const double w = weights[v].values[i], at[4] = {w * p.x, w * p.y, w * p.z, w};
                    for (int a = 0; a < 4; ++a)
                        for (int b = 0; b < 4; ++b) s[4 * a + b] += u[a] * at[b];
                }
            }
            for (std::uint32_t k = 0; k < bones; ++k) {
                const double* s = sums.s.data() + (j * bones + k) * 16;
                if (k != j && std::any_of(s, s + 16, [](double x) { return x != 0; })) sums.neighbors[j].push_back(k);
            }
        }
    });
    return sums;
}

double updateBones(const VertexSums& sums, BoneKind kind, std::size_t first_free, double threshold, Motions& motions) {
    std::vector<std::size_t> free;
    for (std::size_t j = first_free; j < sums.bones; ++j)
        if (sums.significance[j] >= threshold) free.push_back(j);
    if (kind == BoneKind::flexible && !free.empty()) updateFlexible(sums, free, motions);

    double total = sums.squared;
    std::vector<double> energy(motions.frames);
    parallelFor(motions.frames, 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t t = first; t < last; ++t) {
            FrameUpdate frame(sums, motions, t);
            energy[t] = frame.energy();
            if (kind == BoneKind::flexible) continue;
            for (int sweep = 0; sweep < kSweeps; ++sweep) {
                for (const std::size_t j : free) frame.updateRigid(j);
                const double now = frame.energy(), gained = energy[t] - now;
                energy[t] = now;
                if (gained < kSettled * sums.squared / double(motions.frames)) break;
            }
        }
    });
    for (const double e : energy) total += e;
    return total;
}

void fitRigid(const Trajectories& data, std::span<const std::uint32_t> vertices, std::size_t bone, Motions& motions) {
    std::vector<double> c(4 * data.dimensions(), 0.0);
    Vec3d p;
    for (const std::uint32_t v : vertices) {
        const Vec3d& rest = data.rest[v];
        const double factor[4] = {rest.x, rest.y, rest.z, 1};
        addOuter(data.of(v), data.dimensions(), factor, c.data());
        p += rest;
    }
    const double count = double(vertices.size());
    p = p / count;
    for (std::size_t t = 0; t < data.frames; ++t) {
        const auto at = [&](int row, int axis) {
            return c[std::size_t(row) * data.dimensions() + 3 * t + std::size_t(axis)];
        };
        const Vec3d q = Vec3d(at(3, 0), at(3, 1), at(3, 2)) / count;
        Mat3d cross;
        for (int r = 0; r < 3; ++r)
            for (int k = 0; k < 3; ++k) cross(r, k) = at(k, r) - p[k] * at(3, r);
        const Mat3d rotation = runtime::nearestRotation(cross).rotation;
        motions.set(t, bone, Affine3d(rotation, q - rotation * p));
    }
}

}  // namespace pelt::fit::ssdr
