// Skins from examples, [MohrGleicher03] §5.
//
// Notation: T_j,e the map of joint j in example e from dress pose to posed, v_e the example's vertex, p the dress-pose
// vertex (v_d in the paper), w the weights.
//
// Differences to the paper: weights may be convex, the dress pose is regularized toward the given one (rest_pull), and
// directions that the examples do not determine keep the given dress pose.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/fit/examples.h>
#include <pelt/geometry/bounding_sphere.h>

#include <algorithm>

#include "normals.h"
#include "vertex_fitter.h"

namespace pelt::fit {
namespace {

using examples::RigidityRanking;
using examples::VertexFitter;

constexpr std::size_t kBlock = 4096;  ///< vertices between two reports

void checkOptions(const ExampleFitOptions& options) {
    if (options.iterations < 1) throw Error::badUsage("a fit needs at least one iteration");
    if (!(options.rest_pull >= 0) || !std::isfinite(options.rest_pull))
        throw Error::badUsage(
            fmt::format("the weight of the rest pose is {}; it must be at least 0", options.rest_pull));
    if (!(options.normals_length >= 0) || !std::isfinite(options.normals_length))
        throw Error::badUsage(
            fmt::format("the weight of normals is {}; it must be at least 0", options.normals_length));
    if (!(options.ridge_length >= 0) || !std::isfinite(options.ridge_length))
        throw Error::badUsage(fmt::format("the ridge is {}; it must be at least 0", options.ridge_length));
    if (!(options.rank_tolerance >= 0 && options.rank_tolerance < 1))
        throw Error::badUsage(fmt::format("the rank tolerance is {}; it must be from 0 to 1", options.rank_tolerance));
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
    const CompressedRows& rows = poses.normal_rows;
    const bool in_rows = rows.rowCount() == 0 ? poses.rest_normals.size() == rest.size()
                                              : rows.rowCount() == rest.size() &&
                                                    std::is_sorted(rows.offsets.begin(), rows.offsets.end()) &&
                                                    rows.offsets.back() == poses.rest_normals.size();
    if (!no_normals && (!in_rows || poses.normals.size() != poses.rest_normals.size() * poses.examples))
        throw Error::badInput(
            "there must be normals for every vertex of the dress pose and of each example, or none at all");
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

ExampleFit fitConvexOn(const ExampleFit& affine, const ExamplePoses& poses, ExampleFitOptions options,
                       const Progress& progress) {
    options.weights = WeightKind::convex;
    options.share_rest = false;
    options.correct_rest = false;
    if (affine.rest_normals.empty()) return fitExamples(affine.rest, poses, options, progress);
    ExamplePoses turned = poses;
    turned.rest_normals = affine.rest_normals;
    return fitExamples(affine.rest, turned, options, progress);
}

ExampleFit fitExamples(std::span<const Vec3d> rest, const ExamplePoses& poses, const ExampleFitOptions& options,
                       const Progress& progress) {
    checkOptions(options);
    checkInput(rest, poses);
    if (options.weights == WeightKind::convex && options.share_rest) {
        ExampleFitOptions affine = options;
        affine.weights = WeightKind::affine;
        return fitConvexOn(fitExamples(rest, poses, affine, progress.share("fit", 0, 0.5)), poses, options,
                           progress.share("fit", 0.5, 1));
    }
    const RigidityRanking ranking(poses);
    std::vector<Row> rows(rest.size());
    std::vector<std::pair<double, double>> errors(rest.size());
    ExampleFit fit;
    fit.rest.resize(rest.size());
    fit.rest_normals.resize(poses.rest_normals.size());
    fit.rank_deficient.resize(rest.size());
    for (std::size_t begin = 0; begin < rest.size(); begin += kBlock) {
        progress.report("fit", double(begin) / double(rest.size()));
        parallelFor(std::min(kBlock, rest.size() - begin), kSolveGrain, [&](std::size_t first, std::size_t last) {
            VertexFitter fitter(poses, ranking, options);
            for (std::size_t v = begin + first; v < begin + last; ++v) {
                fitter.fit(v, rest[v]);
                rows[v] = sortedRow(fitter);
                errors[v] = fitter.errors();
                fit.rest[v] = fitter.p;
                if (!fit.rest_normals.empty())
                    std::copy(fitter.normals.begin(), fitter.normals.end(),
                              fit.rest_normals.begin() + std::ptrdiff_t(poses.firstNormal(v)));
                fit.rank_deficient[v] = fitter.flags;
            }
        });
    }
    for (const Row& row : rows) {
        for (const auto& [weight, joint] : row) {
            fit.weights.joints.push_back(joint);
            fit.weights.weights.push_back(weight);
        }
        fit.weights.endRow(fit.weights.joints.size());
    }
    setErrors(fit, rest, errors, poses.examples);
    double squared_angles = 0;
    for (std::size_t e = 0; e < poses.examples; ++e) squared_angles += squaredNormalAngles(fit, poses, e);
    fit.normals_degrees = examples::meanAngle(poses, squared_angles);
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
                    fmt::format("vertex {} has a negative weight, which files cannot store; fit convex weights", v));
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
