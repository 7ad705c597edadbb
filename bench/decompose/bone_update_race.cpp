// The bone update of [LeDeng12] compared with Levenberg-Marquardt on Eq. 5, as in its Fig. 4.
//
// p rest pose, v the frame, w weights, [R | T] bones. Levenberg-Marquardt moves bone j by a rotation vector ω_j and a
// translation T_j relative to its previous state: R_j = exp([ω_j]x) times the previous R_j.
#include "bone_update_race.h"

#include <pelt/core/parallel.h>
#include <sys/resource.h>

#include <Eigen/Dense>
#include <unsupported/Eigen/NonLinearOptimization>

#include "fit/decompose/bone_update.h"
#include "fit/decompose/clusters.h"

namespace pelt::bench {
namespace {

using namespace fit::ssdr;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr std::size_t kInfluences = 4;
constexpr int kEvaluations = 20;

double cpuSeconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return double(usage.ru_utime.tv_sec) + 1e-6 * double(usage.ru_utime.tv_usec);
}

Matrix3d crossMatrix(const Vector3d& v) {
    Matrix3d m;
    m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
    return m;
}

/// exp([ω]x) and the derivative of exp([ω]x) x by ω: d = -[exp([ω]x) x]x J (the left Jacobian of the rotations).
void rotationOf(const Vector3d& omega, Matrix3d& rotation, Matrix3d& jacobian) {
    const double angle = omega.norm();
    const Matrix3d k = crossMatrix(omega);
    const bool small = angle < 1e-4;
    const double a = small ? 1 - angle * angle / 6 : std::sin(angle) / angle;
    const double b = small ? 0.5 - angle * angle / 24 : (1 - std::cos(angle)) / (angle * angle);
    const double c = small ? 1.0 / 6 : (angle - std::sin(angle)) / (angle * angle * angle);
    rotation = Matrix3d::Identity() + a * k + b * k * k;
    jacobian = Matrix3d::Identity() + b * k + c * k * k;
}

/// Eq. 5 of one frame, as a functor for Eigen's solver.
struct FrameProblem {
    const Trajectories& data;
    const VertexWeights& weights;
    const Motions& before;
    std::size_t frame;

    using Scalar = double;
    using InputType = Eigen::VectorXd;
    using ValueType = Eigen::VectorXd;
    using JacobianType = Eigen::MatrixXd;
    enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

    int inputs() const { return int(6 * before.bones); }
    int values() const { return int(3 * data.vertices); }

    Matrix3d startRotation(std::size_t bone) const {
        const Mat3d m = before.get(frame, bone).linear();
        Matrix3d r;
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column) r(row, column) = m.col[column][row];
        return r;
    }

    int operator()(const Eigen::VectorXd& x, Eigen::VectorXd& residual) const {
        evaluate(x, &residual, nullptr);
        return 0;
    }
    int df(const Eigen::VectorXd& x, Eigen::MatrixXd& jacobian) const {
        jacobian.setZero();
        evaluate(x, nullptr, &jacobian);
        return 0;
    }

    void evaluate(const Eigen::VectorXd& x, Eigen::VectorXd* residual, Eigen::MatrixXd* jacobian) const {
        std::vector<Matrix3d> rotations(before.bones), lefts(before.bones);
        for (std::size_t j = 0; j < before.bones; ++j) {
            rotationOf(x.segment<3>(Eigen::Index(6 * j)), rotations[j], lefts[j]);
            rotations[j] = rotations[j] * startRotation(j);
        }
        for (std::size_t i = 0; i < data.vertices; ++i) {
            const float* v = data.of(i) + 3 * frame;
            const Vector3d p(data.rest[i].x, data.rest[i].y, data.rest[i].z);
            Vector3d left(v[0], v[1], v[2]);
            for (std::size_t k = 0; k < weights[i].bones.size(); ++k) {
                const auto at = Eigen::Index(6 * std::size_t(weights[i].bones[k]));
                const double w = weights[i].values[k];
                const Vector3d turned = rotations[weights[i].bones[k]] * p;
                left -= w * (turned + x.segment<3>(at + 3));
                if (!jacobian) continue;
                jacobian->block<3, 3>(Eigen::Index(3 * i), at) = w * crossMatrix(turned) * lefts[weights[i].bones[k]];
                jacobian->block<3, 3>(Eigen::Index(3 * i), at + 3) = -w * Matrix3d::Identity();
            }
            if (residual) residual->segment<3>(Eigen::Index(3 * i)) = left;
        }
    }
};

void updateByLevenbergMarquardt(const Trajectories& data, const VertexWeights& weights, Motions& motions) {
    const Motions before = motions;
    for (std::size_t t = 0; t < data.frames; ++t) {
        FrameProblem problem{data, weights, before, t};
        Eigen::VectorXd x = Eigen::VectorXd::Zero(problem.inputs());
        for (std::size_t j = 0; j < before.bones; ++j) {
            const Vec3d translation = before.get(t, j).translation();
            x.segment<3>(Eigen::Index(6 * j + 3)) = Vector3d(translation.x, translation.y, translation.z);
        }
        Eigen::LevenbergMarquardt<FrameProblem> solver(problem);
        solver.parameters.maxfev = kEvaluations;
        solver.minimize(x);
        for (std::size_t j = 0; j < before.bones; ++j) {
            Matrix3d rotation, left;
            rotationOf(x.segment<3>(Eigen::Index(6 * j)), rotation, left);
            rotation = rotation * problem.startRotation(j);
            Affine3d motion;
            for (int row = 0; row < 3; ++row) {
                for (int column = 0; column < 3; ++column) motion.m[4 * column + row] = rotation(row, column);
                motion.m[12 + row] = x[Eigen::Index(6 * j) + 3 + row];
            }
            motions.set(t, j, motion);
        }
    }
}

/// Returns the squared error.
double updateWeights(const Trajectories& data, const Motions& motions, VertexWeights& weights) {
    const BoneProducts products = productsOf(motions);
    SimplexSolver solver(products);
    double error = 0;
    for (std::size_t i = 0; i < data.vertices; ++i) {
        std::vector<double> projected(motions.columns());
        for (std::size_t d = 0; d < data.dimensions(); ++d)
            for (std::size_t c = 0; c < motions.columns(); ++c)
                projected[c] += motions.m[d * motions.columns() + c] * double(data.of(i)[d]);
        solver.setVertex(data.rest[i], projected.data(), data.squared[i]);
        SimplexSolver::Weights updated;
        solver.solve(weights[i], kInfluences, updated);
        error += updated.error;
        weights[i] = std::move(updated);
    }
    return error;
}

}  // namespace

RaceResult raceBoneUpdates(MeshSequence& frames, std::span<const Vec3f> rest, std::size_t bones, int iterations,
                           BoneUpdate update) {
    const Trajectories data = readTrajectories(frames, rest, {});
    Motions motions(bones, data.frames);
    initializeMotions(data, 0, fit::DecomposeOptions{}.seed, motions, {});
    VertexWeights weights(data.vertices);
    RaceResult result;
    result.e_rms.push_back(data.eRms(updateWeights(data, motions, weights)));
    for (int iteration = 0; iteration < iterations; ++iteration) {
        const double begin = cpuSeconds();
        if (update == BoneUpdate::closed_form)
            updateBones(sumVertices(data, tieEdges(data, {}), weights, bones), fit::BoneKind::rigid, 0, 0, motions);
        else
            updateByLevenbergMarquardt(data, weights, motions);
        result.bone_seconds += cpuSeconds() - begin;
        result.e_rms.push_back(data.eRms(updateWeights(data, motions, weights)));
    }
    return result;
}

}  // namespace pelt::bench
