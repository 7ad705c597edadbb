// Direct Delta Mush [LeLewis19] §3.5 and Enhanced DDM [Kalentchouk20], a direct transcription of the equations.
//
// For vertex i with rest position u, and the joints j of its row:
//     M_j = [A_j t_j]     the bone;  R_j its rotation, the rotation factor of A_j = R_j S_j (right polar decomposition)
//     Ω'_j = [W χ; χ^T ω] the block about the stored center p
//     c_j = M_j p the center, transformed by the joint
//     q = Σ A_j χ + ω c_j                           the last column of Σ M_j Ω_j, Eq. 7 rev.
//     S = Σ A_j W + c_j χ^T − q (Σ χ)^T             Q − q p^T of the same
//     P = Σ W − (Σ χ)(Σ χ)^T                        P − p p^T
//     d = u − p − Σ χ                               from the true center, which is p where Σ χ = 0, to the vertex
//     x = q + R d,  R the rotation nearest to S     Eqs. 4, 10
// [Kalentchouk20] uses R_j instead of A_j and M_j u − R_j (u − p) instead of c_j.
//
// Where this departs from the paper:
// - v1 and v3 keep the direction of X d and restore the length of d, as the paper's last formula for v3 does. X / det
// X,
//   as printed, has determinant det^-2. v1_printed is the printed v1: X = cof(R') itself.
// - v1 has no R' = S P^-1 on a flat patch, where P is singular; v0 is used there.
// - ψ blends quaternions on the hemisphere of the joint with the largest ψ (lowest joint on ties).
// - A vertex with one joint follows it: x = M p + R (u − p), or M u in Enhanced DDM.
#include "ddm_reference.h"

#include <cassert>
#include <limits>

#include "core/eigen/eigen_solvers.h"
#include "deform/dqs/polar.h"
#include "runtime/layout/ddm_forms.h"

namespace pelt::deform::reference {
namespace {

template <class T>
struct Joint {
    Affine3<T> bone;
    Mat3<T> rotation;
    Quat<T> quaternion;
};

template <class T>
Joint<T> makeJoint(const Affine3<T>& bone) {
    const Mat3d r = polarDecompose(Affine3d(bone).linear()).rotation;
    const Mat3<T> rotation{{Vec3<T>(r.col[0]), Vec3<T>(r.col[1]), Vec3<T>(r.col[2])}};
    return {bone, rotation, toQuat(rotation)};
}

/// a b^T
template <class T>
Mat3<T> outer(const Vec3<T>& a, const Vec3<T>& b) {
    return {{a * b.x, a * b.y, a * b.z}};
}

template <class T>
Mat3<T> covariance(const DdmBlock<T>& b) {
    return {{{b.xx, b.xy, b.xz}, {b.xy, b.yy, b.yz}, {b.xz, b.yz, b.zz}}};
}

template <class T>
struct Sums {
    Mat3<T> s{{{}, {}, {}}}, p{{{}, {}, {}}};
    Vec3<T> q, chi;
};

template <class T>
class Vertex {
public:
    Vertex(DdmForm form, const DdmRows<T>& rows, std::size_t v, std::span<const Joint<T>> joints, const Vec3<T>& u)
        : form_(form),
          rows_(rows),
          first_(rows.offsets[v]),
          last_(rows.offsets[v + 1]),
          joints_(joints),
          u_(u),
          p_(rows.centers[v]) {}

    /// The map for u and n: x = q + X d, with the length of d restored if the form does so.
    struct Pose {
        Vec3<T> q, d;
        Mat3<T> x;
        bool restores_length = false;
    };

    Pose pose() const {
        if (last_ - first_ == 1) return followed();
        const Sums<T> s = sums();
        Pose pose{s.q, u_ - p_ - s.chi, {}, form_ == DdmForm::v1 || form_ == DdmForm::v3};
        switch (form_) {
            case DdmForm::v1:
            case DdmForm::v1_printed:
                if (runtime::isFlat(s.p))
                    pose = {s.q, pose.d, rotation(s), false};
                else
                    pose.x = cofactor(s.s * inverse(s.p));  // R'^-T up to its determinant
                break;
            case DdmForm::v2:
            case DdmForm::v4:
                pose.x = toMatrix(blendedQuaternion());
                break;
            case DdmForm::v3:
                pose.x = blendedRotation();
                break;
            default:
                pose.x = rotation(s);
        }
        return pose;
    }

private:
    const Joint<T>& joint(std::size_t entry) const { return joints_[rows_.joints[entry]]; }

    Pose followed() const {
        const Joint<T>& j = joint(first_);
        const Vec3<T> chi{rows_.blocks[first_].x, rows_.blocks[first_].y, rows_.blocks[first_].z};
        const Vec3<T> center = p_ + chi;
        if (form_ == DdmForm::eddm) return {j.bone * u_, {}, j.rotation};
        return {j.bone * center, u_ - center, j.rotation};
    }

    Sums<T> sums() const {
        const bool enhanced = form_ == DdmForm::eddm;
        Sums<T> sum;
        for (std::size_t e = first_; e < last_; ++e) {
            const Joint<T>& j = joint(e);
            const DdmBlock<T>& block = rows_.blocks[e];
            const Vec3<T> chi = form_ == DdmForm::v4 ? Vec3<T>{} : Vec3<T>{block.x, block.y, block.z};
            const Mat3<T> a = enhanced ? j.rotation : j.bone.linear();
            const Vec3<T> c = enhanced ? j.bone * u_ - j.rotation * (u_ - p_) : j.bone * p_;
            sum.s = sum.s + a * covariance(block) + outer(c, chi);
            sum.p = sum.p + covariance(block);
            sum.q += a * chi + c * block.w;
            sum.chi += chi;
        }
        sum.s = sum.s + outer(sum.q, -sum.chi);
        sum.p = sum.p + outer(sum.chi, -sum.chi);
        return sum;
    }

    /// Eq. 10a; if the patch has no direction, the rotation of its heaviest joint.
    Mat3<T> rotation(const Sums<T>& s) const { return nearestRotation(s.s, joint(first_).rotation); }

    std::size_t heaviestPsi() const {
        std::size_t best = first_;
        for (std::size_t e = first_ + 1; e < last_; ++e)
            if (rows_.psi[e] > rows_.psi[best] ||
                (rows_.psi[e] == rows_.psi[best] && rows_.joints[e] < rows_.joints[best]))
                best = e;
        return best;
    }

    Quat<T> blendedQuaternion() const {
        const Quat<T> pivot = joint(heaviestPsi()).quaternion;
        Quat<T> sum{0, 0, 0, 0};
        for (std::size_t e = first_; e < last_; ++e) {
            const Quat<T> q = joint(e).quaternion;
            const T w = dot(pivot, q) < 0 ? -rows_.psi[e] : rows_.psi[e];
            sum = {sum.x + q.x * w, sum.y + q.y * w, sum.z + q.z * w, sum.w + q.w * w};
        }
        return normalized(sum);
    }

    Mat3<T> blendedRotation() const {
        Mat3<T> sum{{{}, {}, {}}};
        for (std::size_t e = first_; e < last_; ++e) sum = sum + joint(e).rotation * rows_.psi[e];
        return sum;
    }

    DdmForm form_;
    const DdmRows<T>& rows_;
    std::size_t first_, last_;
    std::span<const Joint<T>> joints_;
    Vec3<T> u_, p_;
};

}  // namespace

template <class T>
Mat3<T> nearestRotation(const Mat3<T>& s, const Mat3<T>& fallback) {
    using Matrix = Eigen::Matrix<T, 3, 3>;
    if (!isFinite(s.col[0]) || !isFinite(s.col[1]) || !isFinite(s.col[2])) return fallback;
    Matrix m;
    for (int c = 0; c < 3; ++c) m.col(c) << s.col[c].x, s.col[c].y, s.col[c].z;
    const Eigen::JacobiSVD<Matrix> svd(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const T sign = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? T(-1) : T(1);
    const auto& values = svd.singularValues();
    const T gap = values[1] + sign * values[2];
    if (!(gap > 16 * std::numeric_limits<T>::epsilon() * values[0])) return fallback;
    const Matrix r = svd.matrixU() * Eigen::Matrix<T, 3, 1>(1, 1, sign).asDiagonal() * svd.matrixV().transpose();
    return {{{r(0, 0), r(1, 0), r(2, 0)}, {r(0, 1), r(1, 1), r(2, 1)}, {r(0, 2), r(1, 2), r(2, 2)}}};
}

template <class T>
void ddm(DdmForm form, const Shape<T>& rest, const DdmRows<T>& rows, std::span<const Affine3<T>> bones,
         const Result<T>& out) {
    assert(rows.vertexCount() == rest.positions.size() && out.positions.size() == rest.positions.size());
    std::vector<Joint<T>> joints;
    for (const Affine3<T>& bone : bones) joints.push_back(makeJoint(bone));
    if (form == DdmForm::ddm) {
        form = DdmForm::v0;
        for (const std::uint32_t j : rows.joints)
            if (!runtime::isRigid(Affine3d(bones[j]).linear())) form = DdmForm::eddm;
    }
    for (std::size_t v = 0; v < rest.positions.size(); ++v) {
        const auto pose = Vertex<T>(form, rows, v, joints, rest.positions[v]).pose();
        const Vec3<T> moved = pose.x * pose.d;
        out.positions[v] = pose.q + (pose.restores_length ? normalized(moved) * length(pose.d) : moved);
        if (!out.normals.empty() && !rest.normals.empty())
            out.normals[v] = normalized(pose.x * rest.normals[v], rest.normals[v]);
    }
}

template Mat3f nearestRotation(const Mat3f&, const Mat3f&);
template Mat3d nearestRotation(const Mat3d&, const Mat3d&);
template void ddm(DdmForm, const Shape<float>&, const DdmRows<float>&, std::span<const Affine3f>, const Result<float>&);
template void ddm(DdmForm, const Shape<double>&, const DdmRows<double>&, std::span<const Affine3d>,
                  const Result<double>&);

}  // namespace pelt::deform::reference
