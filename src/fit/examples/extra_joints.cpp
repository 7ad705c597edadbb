// Selection of extra joints. The gain of each is estimated by one step toward it; the few most promising are then
// actually fitted, since the influence sets determine whether vertices use them at all.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/fit/examples.h>

#include <algorithm>
#include <numeric>

namespace pelt::fit {
namespace {

constexpr std::size_t kSampledVertices = 600;  ///< sampled vertices
constexpr std::size_t kExamples = 64;          ///< and examples
constexpr std::size_t kShortList = 4;          ///< joints that are fitted per step
constexpr double kLeastGain = 1e-3;            ///< of the squared error
constexpr double kExplained = 1e-4;            ///< E_RMS that rounding to single precision leaves
constexpr std::size_t kGainBlock = 16;         ///< vertices whose gains are summed together

struct Sample {
    std::vector<Vec3d> rest;
    ExamplePoses poses;
};

Sample takeSample(std::span<const Vec3d> rest, const ExamplePoses& poses) {
    const std::size_t count = std::min(kSampledVertices, rest.size());
    const std::size_t examples = std::min(kExamples, poses.examples);
    Sample sample{{}, {poses.joints, count, examples, {}, {}}};
    const auto take = [&](std::span<const Vec3d> from, std::vector<Vec3d>& to) {
        for (std::size_t i = 0; i < count && !from.empty(); ++i) to.push_back(from[i * rest.size() / count]);
    };
    take(rest, sample.rest);
    const auto takeNormals = [&](std::span<const Vec3d> from, std::vector<Vec3d>& to) {
        for (std::size_t i = 0; i < count && !from.empty(); ++i) {
            const std::size_t v = i * rest.size() / count;
            const auto own = from.subspan(poses.firstNormal(v), poses.normalCount(v));
            to.insert(to.end(), own.begin(), own.end());
        }
    };
    takeNormals(poses.rest_normals, sample.poses.rest_normals);
    for (std::size_t i = 0; i < count && poses.normal_rows.rowCount() > 0; ++i)
        sample.poses.normal_rows.endRow(sample.poses.normal_rows.offsets.back() +
                                        poses.normalCount(i * rest.size() / count));
    for (std::size_t i = 0; i < examples; ++i) {
        const std::size_t e = i * poses.examples / examples;
        sample.poses.bones.insert(sample.poses.bones.end(), poses.pose(e).begin(), poses.pose(e).end());
        take(poses.mesh(e), sample.poses.positions);
        takeNormals(poses.normalsOf(e), sample.poses.normals);
    }
    return sample;
}

/// The reduction of the squared error of one vertex by a step of its weights toward each joint. `fit` is on the joints
/// of `taken`.
void addGains(const Sample& sample, const ExampleFit& fit, std::span<const std::uint32_t> taken, std::size_t vertex,
              bool affine, std::span<double> gains) {
    const std::size_t joints = gains.size();
    std::vector<double> slope(joints), squared(joints);
    for (std::size_t e = 0; e < sample.poses.examples; ++e) {
        const std::span<const Affine3d> bones = sample.poses.pose(e);
        Vec3d played;
        for (std::size_t i = 0; i < fit.weights.influenceCount(vertex); ++i)
            played +=
                bones[taken[fit.weights.jointsOf(vertex)[i]]] * fit.rest[vertex] * fit.weights.weightsOf(vertex)[i];
        const Vec3d left = played - sample.poses.mesh(e)[vertex];
        for (std::size_t j = 0; j < joints; ++j) {
            const Vec3d direction = bones[j] * fit.rest[vertex] - played;
            slope[j] -= dot(direction, left);
            squared[j] += dot(direction, direction);
        }
    }
    for (std::size_t j = 0; j < joints; ++j) {
        if (!(squared[j] > 0) || (!affine && slope[j] <= 0)) continue;
        const double step = affine ? slope[j] / squared[j] : std::min(slope[j] / squared[j], 1.0);
        gains[j] += step * (2 * slope[j] - step * squared[j]);
    }
}

/// The most promising joints that are not yet taken, best first.
std::vector<std::uint32_t> shortList(const Sample& sample, const ExampleFit& fit,
                                     const std::vector<std::uint32_t>& taken, bool affine) {
    const std::size_t joints = sample.poses.joints, blocks = (sample.rest.size() + kGainBlock - 1) / kGainBlock;
    std::vector<double> block_gains(blocks * joints);
    parallelFor(sample.rest.size(), kGainBlock, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v)
            addGains(sample, fit, taken, v, affine, std::span(block_gains).subspan(v / kGainBlock * joints, joints));
    });
    std::vector<std::pair<double, std::uint32_t>> ranked;
    for (std::uint32_t j = 0; j < joints; ++j) {
        if (std::binary_search(taken.begin(), taken.end(), j)) continue;
        double gain = 0;
        for (std::size_t b = 0; b < blocks; ++b) gain += block_gains[b * joints + j];
        ranked.emplace_back(-gain, j);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::uint32_t> list;
    for (std::size_t i = 0; i < std::min(kShortList, ranked.size()); ++i) list.push_back(ranked[i].second);
    return list;
}

std::vector<std::uint32_t> inserted(std::vector<std::uint32_t> taken, std::uint32_t joint) {
    taken.insert(std::upper_bound(taken.begin(), taken.end(), joint), joint);
    return taken;
}

}  // namespace

ExamplePoses withJoints(const ExamplePoses& poses, std::span<const std::uint32_t> joints) {
    ExamplePoses result{joints.size(),   poses.vertices,     poses.examples, {},
                        poses.positions, poses.rest_normals, poses.normals,  poses.normal_rows};
    result.bones.reserve(joints.size() * poses.examples);
    for (std::size_t e = 0; e < poses.examples; ++e)
        for (const std::uint32_t joint : joints) result.bones.push_back(poses.pose(e)[joint]);
    return result;
}

ExtraJointChoice chooseExtraJoints(std::span<const Vec3d> rest, const ExamplePoses& poses, std::size_t core_joints,
                                   std::size_t most, const ExampleFitOptions& options, const Progress& progress) {
    if (core_joints == 0 || core_joints > poses.joints)
        throw Error::badUsage(
            fmt::format("the number of core joints is {}, but there are only {} joints", core_joints, poses.joints));
    if (poses.vertices != rest.size() || poses.positions.size() != poses.vertices * poses.examples ||
        poses.bones.size() != poses.joints * poses.examples)
        throw Error::badInput("the sizes of the examples, their poses and the dress pose do not match");
    const Sample sample = takeSample(rest, poses);
    std::vector<std::uint32_t> taken(core_joints);
    std::iota(taken.begin(), taken.end(), 0u);
    ExampleFit fit = fitExamples(sample.rest, withJoints(sample.poses, taken), options);
    ExtraJointChoice choice;
    choice.rms = {fit.rms};
    while (taken.size() < core_joints + most && fit.e_rms > kExplained) {
        progress.report("choose joints", double(taken.size() - core_joints) / double(most));
        std::uint32_t best = 0;
        ExampleFit best_fit;
        best_fit.rms = fit.rms;
        for (const std::uint32_t joint : shortList(sample, fit, taken, options.weights == WeightKind::affine)) {
            ExampleFit trial = fitExamples(sample.rest, withJoints(sample.poses, inserted(taken, joint)), options);
            if (trial.rms < best_fit.rms) best_fit = std::move(trial), best = joint;
        }
        if (!(best_fit.rms * best_fit.rms < (1 - kLeastGain) * fit.rms * fit.rms)) break;
        taken = inserted(std::move(taken), best);
        choice.order.push_back(best);
        fit = std::move(best_fit);
        choice.rms.push_back(fit.rms);
    }
    choice.joints.assign(taken.begin() + std::ptrdiff_t(core_joints), taken.end());
    return choice;
}

}  // namespace pelt::fit
