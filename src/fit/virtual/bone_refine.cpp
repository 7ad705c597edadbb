// Gauss–Newton on the blocks of one virtual bone while the other bones are fixed. With p̃ = (p, 1), S̄ = Σ_i w² ũ ũᵀ
// and A = Σ_i w (x − the other bones) ũᵀ, the objective is Σ_s tr(M S̄ Mᵀ) − 2 tr(M Aᵀ) over the motions M of the bone,
// and M = [R  q − R p].
//
// The unknowns are a step d of the center and the blocks of all joints but the heaviest, B = [W; turnᵀ] and b =
// [move; ω]; the heaviest has what is left of the fixed sums. With D_j = [A_j − A_0, M_j p − M_0 p]:
//     δq = Σ_j D_j b_j,    δS = Σ_j D_j B_j,    δR = R [φ]×,  (tr(Y) I − Y) φ = axial(Rᵀ δS − δSᵀ R),  Y = Rᵀ S.
// A change (φ, τ = Rᵀ (δq + A_0 d) − d) costs Σ w² |τ + φ × (u − p)|², a form H of six numbers that is the same in all
// poses.
#include "bone_refine.h"

#include <pelt/core/parallel.h>
#include <pelt/runtime/rotation.h>

#include <Eigen/Dense>
#include <algorithm>

#include "core/eigen/eigen_mat3.h"
#include "fit/decompose/ssdr_kernel.h"

namespace pelt::fit::virtual_bones {
namespace {

constexpr double kDamping = 1e-4;  ///< of the diagonal, at first
constexpr int kAttempts = 3;       ///< with ten times the damping each
constexpr double kTurnFloor =
    1e-6;  ///< of the mass, in units of the radius: a bone of one vertex cannot rotate about it
constexpr Eigen::Index kUnknowns = 16;  ///< per block; three more, for the center, follow

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Matrix34 = Eigen::Matrix<double, 3, 4>;

Eigen::Vector3d toEigen(const Vec3d& v) { return {v.x, v.y, v.z}; }

Eigen::Matrix3d crossMatrix(const Eigen::Vector3d& v) {
    Eigen::Matrix3d m;
    m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
    return m;
}

/// H about the center, from the moments of the weighted vertices.
Matrix6 costOfChange(const Eigen::Matrix4d& moments, const Eigen::Vector3d& p) {
    const double mass = moments(3, 3);
    const Eigen::Vector3d sum = moments.block<3, 1>(0, 3), first = sum - mass * p;
    const Eigen::Matrix3d second =
        moments.topLeftCorner<3, 3>() - p * sum.transpose() - sum * p.transpose() + mass * p * p.transpose();
    Matrix6 h;
    h.topLeftCorner<3, 3>() = (second.trace() + kTurnFloor * mass) * Eigen::Matrix3d::Identity() - second;
    h.bottomLeftCorner<3, 3>() = -crossMatrix(first);
    h.topRightCorner<3, 3>() = h.bottomLeftCorner<3, 3>().transpose();
    h.bottomRightCorner<3, 3>() = mass * Eigen::Matrix3d::Identity();
    return h;
}

class Refinement {
public:
    Refinement(const ssdr::VertexSums& sums, const Poses& poses, std::size_t index, VirtualBone& bone,
               ssdr::Motions& motions)
        : sums_(sums), poses_(poses), index_(index), bone_(bone), motions_(motions) {}

    void run() {
        if (bone_.blocks.size() < 2 || !(pair(index_)[15] > 0)) return;
        collect();
        const auto unknowns = kUnknowns * Eigen::Index(bone_.blocks.size() - 1) + 3;
        Eigen::MatrixXd normal(unknowns, unknowns);
        Eigen::VectorXd right(unknowns);
        linearise(normal, right);
        double damping = kDamping;
        const double before = energy(bone_);
        for (int attempt = 0; attempt < kAttempts; ++attempt, damping *= 10) {
            Eigen::MatrixXd damped = normal;
            const double floor = 1e-12 * normal.diagonal().maxCoeff();
            for (Eigen::Index i = 0; i < unknowns; ++i) damped(i, i) += damping * normal(i, i) + floor;
            const Eigen::VectorXd step = damped.llt().solve(-right);
            if (!step.allFinite()) continue;
            VirtualBone moved = bone_;
            take(step, moved);
            if (!(energy(moved) < before)) continue;
            bone_ = std::move(moved);
            setMotion(bone_, poses_, index_, motions_);
            return;
        }
    }

private:
    const double* pair(std::size_t k) const { return sums_.s.data() + (index_ * sums_.bones + k) * 16; }

    /// S̄, and A of every pose.
    void collect() {
        for (int r = 0; r < 4; ++r)
            for (int c = 0; c < 4; ++c) moments_(r, c) = pair(index_)[4 * r + c];
        target_.resize(poses_.count());
        for (std::size_t s = 0; s < poses_.count(); ++s) {
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 4; ++c)
                    target_[s](r, c) =
                        sums_.c[(4 * index_ + std::size_t(c)) * sums_.dimensions + 3 * s + std::size_t(r)];
            for (const std::uint32_t k : sums_.neighbors[index_]) {
                const double* m = motions_.m.data() + 3 * s * motions_.columns() + 4 * k;
                for (int r = 0; r < 3; ++r, m += motions_.columns())
                    for (int c = 0; c < 4; ++c) {
                        const double* t = pair(k) + 4 * c;
                        target_[s](r, c) -= t[0] * m[0] + t[1] * m[1] + t[2] * m[2] + t[3] * m[3];
                    }
            }
        }
    }

    /// The motion of a bone in a pose, scaled as the residuals are.
    Matrix34 scaledMotion(const VirtualBone& bone, std::size_t s) const {
        const Affine3d m = poseOf(bone, poses_.of(s));
        Matrix34 out;
        out << pelt::toEigen(m.linear()), toEigen(m.translation());
        return out * poses_.scale[s];
    }

    double energy(const VirtualBone& bone) const {
        double total = 0;
        for (std::size_t s = 0; s < poses_.count(); ++s) {
            const Matrix34 m = scaledMotion(bone, s);
            total += (m * moments_ - 2 * target_[s]).cwiseProduct(m).sum();
        }
        return total;
    }

    void linearise(Eigen::MatrixXd& normal, Eigen::VectorXd& right) const {
        const Eigen::Vector3d p = toEigen(bone_.center);
        const Matrix6 factor = costOfChange(moments_, p).llt().matrixL();
        const Eigen::Index unknowns = normal.rows();
        const auto dimensions = 6 * Eigen::Index(poses_.count());
        RowMatrix rows(dimensions, unknowns);
        right.setZero();
        Eigen::MatrixXd j(6, unknowns);
        for (std::size_t s = 0; s < poses_.count(); ++s) {
            const Matrix34 m = scaledMotion(bone_, s), g = m * moments_ - target_[s];
            const Eigen::Matrix3d r = m.leftCols<3>() / poses_.scale[s];
            const Matrix34 turned = r.transpose() * g;
            Eigen::Matrix<double, 6, 1> slope;
            slope.head<3>() = -p.cross(Eigen::Vector3d(turned.col(3)));
            for (int c = 0; c < 3; ++c)
                slope.head<3>() += Eigen::Vector3d(Eigen::Vector3d::Unit(c)).cross(Eigen::Vector3d(turned.col(c)));
            slope.tail<3>() = turned.col(3);
            jacobian(s, r, j);
            j *= poses_.scale[s];
            right.noalias() += j.transpose() * slope;
            rows.middleRows(6 * Eigen::Index(s), 6).noalias() = factor.transpose() * j;
        }
        // Its vectors are wider than those of Eigen, which is compiled for every processor.
        const Eigen::MatrixXf columns = rows.cast<float>();
        ssdr::multiplyRows(columns.data(), std::size_t(unknowns), std::size_t(dimensions), rows.data(),
                           std::size_t(unknowns), normal.data());
        normal = normal.selfadjointView<Eigen::Lower>();
    }

    /// (φ, τ) for each unknown.
    void jacobian(std::size_t s, const Eigen::Matrix3d& r, Eigen::MatrixXd& j) const {
        const std::span<const Affine3d> joints = poses_.of(s);
        const Eigen::Matrix3d y = r.transpose() * pelt::toEigen(sumsOf(bone_, joints).s);
        const Eigen::Matrix3d sym = (y + y.transpose()) / 2;
        const Eigen::Matrix3d k = (sym.trace() * Eigen::Matrix3d::Identity() - sym).inverse();
        const Affine3d& base = joints[bone_.blocks.front().joint];
        const Eigen::Matrix3d base_linear = pelt::toEigen(base.linear());
        const Eigen::Vector3d base_center = toEigen(base * bone_.center);
        j.setZero();
        j.bottomRightCorner<3, 3>() = r.transpose() * base_linear - Eigen::Matrix3d::Identity();
        for (std::size_t b = 1; b < bone_.blocks.size(); ++b) {
            const Affine3d& joint = joints[bone_.blocks[b].joint];
            Matrix34 d;
            d << pelt::toEigen(joint.linear()) - base_linear, toEigen(joint * bone_.center) - base_center;
            d = r.transpose() * d;
            const Eigen::Index first = kUnknowns * Eigen::Index(b - 1);
            for (Eigen::Index row = 0; row < 4; ++row) {
                const Eigen::Vector3d g = d.col(row);
                for (Eigen::Index c = 0; c < 3; ++c)
                    j.block<3, 1>(0, first + 3 * row + c) = k * Eigen::Vector3d(Eigen::Vector3d::Unit(c)).cross(g);
                j.block<3, 1>(3, first + 12 + row) = g;
            }
        }
    }

    /// Writes the blocks about the center p + d: S stays, and the bone moves by q + A_0 d − R d. Sums stay too.
    static void moveCenter(VirtualBone& bone, const Vec3d& d) {
        bone.center += d;
        for (JointBlock& block : bone.blocks) {
            block.w = block.w + Mat3d{{d * -block.turn.x, d * -block.turn.y, d * -block.turn.z}};
            block.move -= d * block.weight;
        }
        bone.blocks.front().move += d;
    }

    static void take(const Eigen::VectorXd& step, VirtualBone& bone) {
        JointBlock& base = bone.blocks.front();
        for (std::size_t b = 1; b < bone.blocks.size(); ++b) {
            const double* x = step.data() + kUnknowns * Eigen::Index(b - 1);
            Mat3d w;
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) w(r, c) = x[3 * r + c];
            const Vec3d turn{x[9], x[10], x[11]}, move{x[12], x[13], x[14]};
            JointBlock& block = bone.blocks[b];
            block.w = block.w + w;
            base.w = base.w + w * -1.0;
            block.turn += turn, base.turn -= turn;
            block.move += move, base.move -= move;
            block.weight += x[15], base.weight -= x[15];
        }
        moveCenter(bone, {step[step.size() - 3], step[step.size() - 2], step[step.size() - 1]});
    }

    const ssdr::VertexSums& sums_;
    const Poses& poses_;
    std::size_t index_;
    VirtualBone& bone_;
    ssdr::Motions& motions_;
    Eigen::Matrix4d moments_;
    std::vector<Matrix34> target_;
};

/// Bones that share no vertex, one group after the other: those of a group are independent of each other.
std::vector<std::vector<std::size_t>> independentBones(const ssdr::VertexSums& sums, std::size_t first) {
    std::vector<std::vector<std::size_t>> groups;
    std::vector<std::size_t> group(sums.bones, ~std::size_t(0));
    for (std::size_t j = first; j < sums.bones; ++j) {
        std::vector<bool> taken(groups.size() + 1, false);
        for (const std::uint32_t k : sums.neighbors[j])
            if (k >= first && group[k] < taken.size()) taken[group[k]] = true;
        group[j] = std::size_t(std::find(taken.begin(), taken.end(), false) - taken.begin());
        if (group[j] == groups.size()) groups.emplace_back();
        groups[group[j]].push_back(j);
    }
    return groups;
}

}  // namespace

void setMotion(const VirtualBone& bone, const Poses& poses, std::size_t index, ssdr::Motions& motions) {
    for (std::size_t s = 0; s < poses.count(); ++s) {
        const Affine3d m = poseOf(bone, poses.of(s));
        motions.set(s, index, {m.linear() * poses.scale[s], m.translation() * poses.scale[s]});
    }
}

void refineBones(const ssdr::VertexSums& sums, const Poses& poses, std::size_t first, int sweeps,
                 std::vector<VirtualBone>& bones, ssdr::Motions& motions) {
    const auto groups = independentBones(sums, first);
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (const std::vector<std::size_t>& group : groups)
            parallelFor(group.size(), 1, [&](std::size_t begin, std::size_t end) {
                for (std::size_t g = begin; g < end; ++g)
                    Refinement(sums, poses, group[g], bones[group[g] - first], motions).run();
            });
}

}  // namespace pelt::fit::virtual_bones
