// Skins from examples, [MohrGleicher03] §5.
//
// Notation: T_j,e the map of joint j in example e from dress pose to posed, v_e the example's vertex, p the dress-pose
// vertex (v_d in the paper), w the weights.
//
// Departs from the paper: weights may be convex, the dress pose is pulled towards the given one (rest_pull), and
// directions that singular values leave open stay where the given dress pose has them.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/fit/examples.h>
#include <pelt/geometry/bounding_sphere.h>

#include <algorithm>
#include <limits>

#include "rigidity.h"
#include "weight_solver.h"

namespace pelt::fit {
namespace {

using examples::RigidityRanking;
using examples::WeightSolver;

constexpr std::size_t kBlock = 4096;  ///< vertices between two reports
constexpr std::size_t kGrain = 64;

void checkOptions(const ExampleFitOptions& options) {
    if (options.iterations < 1) throw Error::badUsage("a fit needs at least one iteration");
    if (!(options.rest_pull >= 0) || !std::isfinite(options.rest_pull))
        throw Error::badUsage(fmt::format("a pull of {} towards the rest: must be 0 or above", options.rest_pull));
    if (!(options.normals_length >= 0) || !std::isfinite(options.normals_length))
        throw Error::badUsage(fmt::format("normals that count like {}: must be 0 or above", options.normals_length));
    if (!(options.rank_tolerance >= 0 && options.rank_tolerance < 1))
        throw Error::badUsage(fmt::format("a rank tolerance of {}: must be from 0 to 1", options.rank_tolerance));
}

void checkInput(std::span<const Vec3d> rest, const ExamplePoses& poses) {
    if (poses.examples == 0) throw Error::badInput("there are no examples to fit");
    if (poses.joints == 0) throw Error::badInput("the skeleton has no joints to fit a skin to");
    if (rest.empty()) throw Error::badInput("the dress pose has no vertices");
    if (poses.vertices != rest.size())
        throw Error::badInput(fmt::format("the examples have {} vertices, the dress pose has {}; they must be the same",
                                          poses.vertices, rest.size()));
    if (poses.bones.size() != poses.joints * poses.examples ||
        poses.positions.size() != poses.vertices * poses.examples)
        throw Error::badInput(fmt::format("{} examples need {} joint transforms and {} positions, there are {} and {}",
                                          poses.examples, poses.joints * poses.examples,
                                          poses.vertices * poses.examples, poses.bones.size(), poses.positions.size()));
    const bool no_normals = poses.normals.empty() && poses.rest_normals.empty();
    if (!no_normals && (poses.normals.size() != poses.positions.size() || poses.rest_normals.size() != rest.size()))
        throw Error::badInput(
            "normals must be there for every vertex of the dress pose and of each example, or for none");
    for (std::size_t v = 0; v < rest.size(); ++v)
        if (!isFinite(rest[v])) throw Error::badInput(fmt::format("dress pose, vertex {} is not finite", v));
    for (std::size_t i = 0; i < poses.positions.size(); ++i)
        if (!isFinite(poses.positions[i]))
            throw Error::badInput(
                fmt::format("example {}, vertex {} is not finite", i / poses.vertices, i % poses.vertices));
    for (std::size_t i = 0; i < poses.bones.size(); ++i)
        for (const double x : poses.bones[i].m)
            if (!std::isfinite(x))
                throw Error::badInput(
                    fmt::format("example {}, joint {} is not finite", i / poses.joints, i % poses.joints));
}

/// What joints do to normals, at [example * joints + joint]; empty where normals are not looked at. A joint that
/// flattens has no such map, and takes the normal to zero.
std::vector<Mat3d> normalMaps(const ExamplePoses& poses, const ExampleFitOptions& options) {
    std::vector<Mat3d> maps;
    if (poses.normals.empty() || options.normals_length == 0) return maps;
    for (const Affine3d& bone : poses.bones) {
        const Mat3d m = bone.linear();
        const double volume = determinant(m);
        // The inverse transpose is the cofactor matrix over the determinant.
        const Mat3d cofactor{{cross(m.col[1], m.col[2]), cross(m.col[2], m.col[0]), cross(m.col[0], m.col[1])}};
        const double scale = volume != 0 && std::isfinite(1 / volume) ? 1 / volume : 0.0;
        maps.push_back({{cofactor.col[0] * scale, cofactor.col[1] * scale, cofactor.col[2] * scale}});
    }
    return maps;
}

/// Fits one vertex after another; a thread has its own.
class VertexFitter {
public:
    VertexFitter(const ExamplePoses& poses, const RigidityRanking& ranking, std::span<const Mat3d> normal_maps,
                 const ExampleFitOptions& options)
        : poses_(poses),
          normal_maps_(normal_maps),
          options_(options),
          ranking_(ranking),
          solver_(options.weights, options.rank_tolerance),
          trajectory_(poses.examples) {}

    void fit(std::size_t vertex, const Vec3d& rest) {
        vertex_ = vertex;
        for (std::size_t e = 0; e < poses_.examples; ++e) trajectory_[e] = poses_.mesh(e)[vertex];
        ranking_.choose(trajectory_, wanted(), ranked_);
        joints = ranked_;
        p = rest;
        weights.resize(0);
        flags = 0;
        double before = solveWeights();
        if (options_.influences > 0 && joints.size() > options_.influences) before = chooseAmong();
        if (!options_.correct_rest) return;
        for (int i = 0; i < options_.iterations; ++i) {
            solveRest(rest);
            if (i + 1 == options_.iterations) break;
            const Eigen::VectorXd old_weights = weights;
            const double now = solveWeights() + pull(rest);
            if (!(now < before)) {
                weights = old_weights;  // a direction that was zeroed cost more than there was to gain
                break;
            }
            if (now >= (1 - options_.convergence) * (1 - options_.convergence) * before) break;
            before = now;
        }
    }

    /// Squared distances from the examples: their sum and the largest.
    std::pair<double, double> errors() const {
        double sum = 0, most = 0;
        for (std::size_t e = 0; e < poses_.examples; ++e) {
            Vec3d d = -trajectory_[e];
            for (std::size_t j = 0; j < joints.size(); ++j)
                d += poses_.pose(e)[joints[j]] * p * weights[Eigen::Index(j)];
            sum += dot(d, d);
            most = std::max(most, dot(d, d));
        }
        return {sum, most};
    }

    std::vector<std::uint32_t> joints;
    Eigen::VectorXd weights;
    Vec3d p;
    std::uint8_t flags = 0;

private:
    std::size_t wanted() const {
        return options_.influences == 0 ? 0 : std::max(options_.influences, options_.candidates);
    }

    /// Leaves K of the joints, not worse than the K most rigid ones. Affine weights also look at what convex ones would
    /// choose: where joints act alike, weights of both signs say little of who matters. Gives what is left of the
    /// error.
    double chooseAmong() {
        Choice best;
        const auto consider = [&](double left) {
            if (left < best.left) best = {joints, weights, flags, left};
        };
        consider(drop());
        if (options_.weights == WeightKind::affine) {
            start(ranked_);
            solver_.setKind(WeightKind::convex);
            solveWeights();
            drop();
            solver_.setKind(WeightKind::affine);
            weights.resize(0);
            consider(solveWeights());
        }
        start({ranked_.begin(), ranked_.begin() + std::ptrdiff_t(options_.influences)});
        consider(solveWeights());
        joints = best.joints;
        weights = best.weights;
        flags = best.flags;
        return best.left;
    }

    struct Choice {
        std::vector<std::uint32_t> joints;
        Eigen::VectorXd weights;
        std::uint8_t flags = 0;
        double left = std::numeric_limits<double>::infinity();
    };

    void start(const std::vector<std::uint32_t>& from) {
        joints = from;
        weights.resize(0);
    }

    double drop() {
        double left = 0;
        while (joints.size() > options_.influences) left = dropLeast();
        return left;
    }

    /// Takes out the joint whose pull on the vertex is least, with all others that have no weight where there are
    /// enough.
    double dropLeast() {
        const Eigen::VectorXd left = residuals_ * weights;
        std::vector<std::pair<double, std::size_t>> pulls;
        for (std::size_t j = 0; j < joints.size(); ++j) {
            const auto column = Eigen::Index(j);
            pulls.emplace_back(std::abs(weights[column]) * (residuals_.col(column) - left).norm(), j);
        }
        // Ties go to the more rigid joint, which stays.
        std::sort(pulls.begin(), pulls.end(), [](const auto& a, const auto& b) {
            return a.first != b.first ? a.first < b.first : a.second > b.second;
        });
        const std::size_t excess = joints.size() - options_.influences;
        std::vector<bool> gone(joints.size(), false);
        for (std::size_t i = 0; i < excess && (i == 0 || pulls[i].first == 0); ++i) gone[pulls[i].second] = true;
        std::size_t kept = 0;
        for (std::size_t j = 0; j < joints.size(); ++j)
            if (!gone[j]) joints[kept++] = joints[j];
        joints.resize(kept);
        weights.resize(0);
        return solveWeights();
    }

    double pull(const Vec3d& rest) const { return options_.rest_pull * dot(p - rest, p - rest); }

    /// [MohrGleicher03] §5.2, the first matrix. Gives what is left.
    double solveWeights() {
        residuals_.resize(Eigen::Index((normal_maps_.empty() ? 3 : 6) * poses_.examples), Eigen::Index(joints.size()));
        for (std::size_t e = 0; e < poses_.examples; ++e)
            for (std::size_t j = 0; j < joints.size(); ++j) {
                const Vec3d r = poses_.pose(e)[joints[j]] * p - trajectory_[e];
                for (int i = 0; i < 3; ++i) residuals_(Eigen::Index(3 * e) + i, Eigen::Index(j)) = r[i];
            }
        if (!normal_maps_.empty()) addNormalRows();
        solver_.solve(residuals_, weights);
        flags = std::uint8_t((flags & ~kWeightsOpen) | (solver_.deficient() ? kWeightsOpen : 0));
        return (residuals_ * weights).squaredNorm();
    }

    /// Below the positions: the normals, Σ w_j N_j n against those of the examples, with Σ w = 1.
    void addNormalRows() {
        const Vec3d& normal = poses_.rest_normals[vertex_];
        for (std::size_t e = 0; e < poses_.examples; ++e)
            for (std::size_t j = 0; j < joints.size(); ++j) {
                const Vec3d r = (normal_maps_[e * poses_.joints + joints[j]] * normal - poses_.normalsOf(e)[vertex_]) *
                                options_.normals_length;
                for (int i = 0; i < 3; ++i)
                    residuals_(Eigen::Index(3 * (poses_.examples + e)) + i, Eigen::Index(j)) = r[i];
            }
    }

    /// [MohrGleicher03] §5.2, the second matrix, for the step from the given dress pose.
    void solveRest(const Vec3d& rest) {
        Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
        Eigen::Vector3d right = Eigen::Vector3d::Zero();
        for (std::size_t e = 0; e < poses_.examples; ++e) {
            Eigen::Matrix<double, 3, 4> blended = Eigen::Matrix<double, 3, 4>::Zero();
            for (std::size_t j = 0; j < joints.size(); ++j)
                blended += weights[Eigen::Index(j)] *
                           Eigen::Map<const Eigen::Matrix4d>(poses_.pose(e)[joints[j]].m).topRows<3>();
            const Eigen::Matrix3d linear = blended.leftCols<3>();
            const Eigen::Vector3d left = Eigen::Vector3d(trajectory_[e].x, trajectory_[e].y, trajectory_[e].z) -
                                         linear * Eigen::Vector3d(rest.x, rest.y, rest.z) - blended.col(3);
            normal += linear.transpose() * linear;
            right += linear.transpose() * left;
        }
        // Eigenvalues are squared singular values.
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(normal);
        const double least = options_.rank_tolerance * options_.rank_tolerance * eigen.eigenvalues()[2];
        Eigen::Vector3d along = eigen.eigenvectors().transpose() * right;
        flags = std::uint8_t(flags & ~kRestOpen);
        for (int i = 0; i < 3; ++i) {
            const bool open = !(eigen.eigenvalues()[i] > least);
            if (open) flags |= kRestOpen;
            along[i] = open ? 0.0 : along[i] / (eigen.eigenvalues()[i] + options_.rest_pull);
        }
        const Eigen::Vector3d step = eigen.eigenvectors() * along;
        p = rest + Vec3d{step[0], step[1], step[2]};
    }

    const ExamplePoses& poses_;
    std::span<const Mat3d> normal_maps_;
    std::size_t vertex_ = 0;
    const ExampleFitOptions& options_;
    const RigidityRanking& ranking_;
    WeightSolver solver_;
    std::vector<Vec3d> trajectory_;
    std::vector<std::uint32_t> ranked_;
    Eigen::MatrixXd residuals_;
};

using Row = std::vector<std::pair<double, std::uint32_t>>;

Row sortedRow(const VertexFitter& fitter) {
    Row row;
    for (std::size_t j = 0; j < fitter.joints.size(); ++j)
        if (fitter.weights[Eigen::Index(j)] != 0) row.emplace_back(fitter.weights[Eigen::Index(j)], fitter.joints[j]);
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) {
        const double left = std::abs(a.first), right = std::abs(b.first);
        return left != right ? left > right : a.second < b.second;
    });
    return row;
}

void setErrors(ExampleFit& fit, std::span<const Vec3d> rest, std::span<const std::pair<double, double>> errors,
               std::size_t examples) {
    double sum = 0, most = 0;
    for (const auto& [squared, largest] : errors) {
        fit.vertex_rms.push_back(std::sqrt(squared / double(examples)));
        sum += squared;
        most = std::max(most, largest);
    }
    const double count = double(examples) * double(rest.size());
    fit.rms = std::sqrt(sum / count);
    fit.max = std::sqrt(most);
    const std::vector<Vec3f> points(rest.begin(), rest.end());
    const double radius = geometry::smallestEnclosingSphere(points).radius;
    fit.e_rms = radius > 0 ? 1000 / radius * std::sqrt(sum / (3 * count)) : 0;
}

}  // namespace

ExamplePoses readExamples(MeshSequence& frames, std::vector<Affine3d> bones, std::size_t joints) {
    ExamplePoses poses{joints, frames.vertexCount(), frames.frameCount(), std::move(bones), {}, {}, {}};
    if (poses.bones.size() != joints * poses.examples)
        throw Error::badInput(fmt::format("there are {} examples, but poses for {}; each example needs its pose",
                                          poses.examples, joints == 0 ? 0 : poses.bones.size() / joints));
    std::vector<Vec3f> frame(poses.vertices);
    poses.positions.reserve(poses.vertices * poses.examples);
    for (std::size_t e = 0; e < poses.examples; ++e) {
        frames.readFrame(e, frame);
        for (const Vec3f& x : frame) poses.positions.emplace_back(x);
    }
    return poses;
}

ExampleFit fitExamples(std::span<const Vec3d> rest, const ExamplePoses& poses, const ExampleFitOptions& options,
                       const Progress& progress) {
    checkOptions(options);
    checkInput(rest, poses);
    const RigidityRanking ranking(poses);
    const std::vector<Mat3d> normal_maps = normalMaps(poses, options);
    std::vector<Row> rows(rest.size());
    std::vector<std::pair<double, double>> errors(rest.size());
    ExampleFit fit;
    fit.rest.resize(rest.size());
    fit.rank_deficient.resize(rest.size());
    for (std::size_t begin = 0; begin < rest.size(); begin += kBlock) {
        progress.report("fit", double(begin) / double(rest.size()));
        parallelFor(std::min(kBlock, rest.size() - begin), kGrain, [&](std::size_t first, std::size_t last) {
            VertexFitter fitter(poses, ranking, normal_maps, options);
            for (std::size_t v = begin + first; v < begin + last; ++v) {
                fitter.fit(v, rest[v]);
                rows[v] = sortedRow(fitter);
                errors[v] = fitter.errors();
                fit.rest[v] = fitter.p;
                fit.rank_deficient[v] = fitter.flags;
            }
        });
    }
    for (const Row& row : rows) {
        for (const auto& [weight, joint] : row) {
            fit.weights.joints.push_back(joint);
            fit.weights.weights.push_back(weight);
        }
        fit.weights.offsets.push_back(std::uint32_t(fit.weights.joints.size()));
    }
    setErrors(fit, rest, errors, poses.examples);
    progress.report("fit", 1);
    return fit;
}

void playFit(const ExampleFit& fit, std::span<const Affine3d> bones, std::span<Vec3d> out) {
    for (std::size_t v = 0; v < fit.rest.size(); ++v) {
        out[v] = {};
        for (std::size_t i = 0; i < fit.weights.influenceCount(v); ++i)
            out[v] += bones[fit.weights.jointsOf(v)[i]] * fit.rest[v] * fit.weights.weightsOf(v)[i];
    }
}

SkinWeights toSkinWeights(const ExampleWeights& weights) {
    SkinWeights result;
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
        std::vector<float> values;
        for (const double w : weights.weightsOf(v)) {
            if (w < 0)
                throw Error::badUsage(
                    fmt::format("vertex {} has a negative weight, which no file holds; fit convex ones", v));
            values.push_back(float(w));
        }
        appendVertex(result, weights.jointsOf(v), values);
    }
    return result;
}

std::vector<std::uint32_t> unusedJoints(const ExampleWeights& weights, std::size_t joints) {
    std::vector<bool> used(joints, false);
    for (const std::uint32_t joint : weights.joints) used[joint] = true;
    std::vector<std::uint32_t> unused;
    for (std::uint32_t j = 0; j < joints; ++j)
        if (!used[j]) unused.push_back(j);
    return unused;
}

}  // namespace pelt::fit
