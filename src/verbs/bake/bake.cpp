// Bakes a deformer to a plain skin: samples it, solves for weights and helper joints, and keeps what is nearest.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/methods/sampling.h>
#include <pelt/verbs/bake.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bake_virtual.h"

namespace pelt::verbs {
namespace {

constexpr std::size_t kMostClipPoses = 100;  ///< of a long clip: samples closer in time add no information
/// Weights of the initial skin's error in each part, relative to the costs that keep weights smooth. The range of
/// motion counts more, because the skin will also be used with other clips.
constexpr double kClipEmphasis = 8, kRangeEmphasis = 16;
constexpr int kMostAttempts = 4;  ///< at a skin that is nowhere worse than the initial one

using measure::kClipPoses, measure::kRangePoses, measure::kPoseParts;

/// The samples of the clip, and the range of motion if a method is baked. A clip that stands still judges nothing.
measure::SkinPoses bakePoses(const Character& character, const BakeRequest& request) {
    // A sequence has the samples of the clip and no others.
    MeshSequence* const meshes = request.sequence ? request.sequence : request.base;
    const rig::RangeOfMotion* const range = meshes || request.only_clip ? nullptr : &request.range;
    const Clip* const clip =
        meshes ? &methods::chosenClip(character, request.sampling) : methods::movingClip(character, request.sampling);
    if (!clip || (!meshes && rig::standsStill(character.skeleton, *clip))) {
        if (request.only_clip)
            throw Error::badInput("has no clip that moves, which `only_clip` needs; leave it out, or give `clips`");
        return {character, nullptr, {}, range};
    }
    const std::vector<double> times = methods::sampleTimes(*clip, request.sampling);
    if (meshes)
        methods::checkSamples(*meshes, times.size(), character.mesh.vertexCount(),
                              request.sequence ? "to bake" : "in `base`");
    return {character, clip, times, range};
}

/// All poses of the range of motion and evenly spaced ones of the clip.
std::vector<std::size_t> trainingPoses(const measure::SkinPoses& poses) {
    std::vector<std::size_t> chosen;
    const std::size_t clip = poses.count(kClipPoses), count = std::min(clip, kMostClipPoses);
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(i * clip / count);
    for (std::size_t p = clip; p < poses.count(); ++p) chosen.push_back(p);
    return chosen;
}

/// Samples of welded vertices, and the error of the initial skin in each part.
struct Training {
    fit::SkinSamples samples;
    std::array<double, kPoseParts> error{};  ///< mean squared error, summed over the samples
    std::array<std::size_t, kPoseParts> count{};
    std::vector<measure::PoseSource> parts;  ///< per sample
};

Training sampleReference(const BakeJob& job, const Progress& progress) {
    const Mesh& mesh = job.character.mesh;
    const std::size_t vertices = mesh.vertexCount();
    std::vector<float> copies(job.weld.count(), 0);
    for (const std::uint32_t w : job.weld.welded) ++copies[w];
    const deform::LbsRig plain = deform::prepareLbs(mesh, job.start);
    const std::vector<std::size_t> poses = trainingPoses(job.poses);

    Training training;
    SampleTable table(job.weld.count(), poses.size());
    std::vector<Vec3f> positions(vertices), skinned(vertices), mean(job.weld.count());
    for (std::size_t s = 0; s < poses.size(); ++s) {
        progress.report("sample", double(s) / double(poses.size()));
        const measure::SkinPose pose = job.poses.pose(poses[s]);
        job.reference.evaluate(pose.index, pose.bones, {}, positions);
        measure::poseSkin(plain, pose.bones, {}, skinned);
        double squared = 0;
        std::fill(mean.begin(), mean.end(), Vec3f{});
        for (std::size_t v = 0; v < vertices; ++v) {
            const Vec3d d = Vec3d(positions[v]) - Vec3d(skinned[v]);
            squared += dot(d, d);
            mean[job.weld.welded[v]] += positions[v] / copies[job.weld.welded[v]];
        }
        training.parts.push_back(pose.part);
        training.error[pose.part] += squared / double(vertices);
        ++training.count[pose.part];
        table.add(mean, job.poses.locals(pose.index));
    }
    training.samples = table.take();
    return training;
}

/// Rows of welded vertices: those of the representatives.
SkinWeights weldedRows(const SkinWeights& weights, const geometry::Weld& weld) {
    SkinWeights rows;
    for (const std::uint32_t v : weld.representative) appendVertex(rows, weights.jointsOf(v), weights.weightsOf(v));
    return rows;
}

std::vector<std::uint32_t> lockedSlots(const Character& character, const std::vector<std::string>& names) {
    std::vector<std::uint32_t> slots;
    for (const std::string& name : names) {
        const std::size_t before = slots.size();
        for (std::uint32_t j = 0; j < character.skeleton.joints.size(); ++j)
            if (rig::jointName(character.skeleton, j) == name) slots.push_back(j);
        if (slots.size() == before) throw Error::badInput(rig::noSuchJoint(character.skeleton, name));
    }
    return slots;
}

/// All parts count equally, each relative to the error of the initial skin there.
std::vector<double> importanceOf(const Training& training, const std::array<double, kPoseParts>& emphasis,
                                 double radius) {
    std::vector<double> importance;
    for (const measure::PoseSource part : training.parts) {
        const auto count = double(training.count[part]);
        const double mean = std::max(training.error[part] / count, 1e-14 * radius * radius);
        importance.push_back(emphasis[part] / (count * mean));
    }
    return importance;
}

/// Whether the error of some part is larger than with the initial skin; its weight is then increased.
bool emphasize(const std::vector<BakeCandidate>& candidates, std::array<double, kPoseParts>& emphasis) {
    const auto worse = [&](const std::optional<measure::SkinError> BakeCandidate::*part) {
        return candidates.front().*part && (candidates.back().*part)->rms > (candidates.front().*part)->rms;
    };
    const bool clip = worse(&BakeCandidate::clip), range = worse(&BakeCandidate::range);
    if (clip) emphasis[kClipPoses] *= 8;
    if (range) emphasis[kRangePoses] *= 8;
    return clip || range;
}

/// The initial skin, then those with more and more helpers.
std::vector<BakeCandidate> candidatesOf(const BakeJob& job, const fit::BakedSkin& skin, const Progress& progress) {
    std::vector<SkinWeights> weights{job.start};
    for (const SkinWeights& rows : skin.weights)
        weights.push_back(unweldedRows(rows, job.weld, !job.request.locked.empty()));
    const std::vector<BakeErrors> errors = measureSkins(job, skin.skeleton, skin.driven, weights, progress);
    std::vector<BakeCandidate> candidates;
    for (std::size_t c = 0; c < errors.size(); ++c) {
        const std::size_t helpers = c > 0 ? c - 1 : 0;
        candidates.push_back({c == 0         ? (job.reference.isDdm() ? "v5" : "given")
                              : helpers == 0 ? "resolved"
                                             : "helpers",
                              helpers, 0, errors[c].clip, errors[c].range});
    }
    return candidates;
}

/// Weights, and helpers if they are asked for; the best of some attempts.
BakeResult bakePlain(const BakeJob& job, const SkinWeights& given, const SkinWeights& reach, const Progress& progress) {
    const Mesh& mesh = job.character.mesh;
    const bool locked = !job.request.locked.empty();
    std::vector<Vec3f> rest;
    for (const std::uint32_t v : job.weld.representative) rest.push_back(mesh.positions[v]);
    const fit::BakeOptions options{job.request.influences, job.request.helpers,
                                   lockedSlots(job.character, job.request.locked)};
    const Training training = sampleReference(job, progress);
    BakeResult result;
    std::array<double, kPoseParts> emphasis{kClipEmphasis, kRangeEmphasis};
    if (job.request.only_clip) emphasis[kClipPoses] += kRangeEmphasis;  // as much against the costs as both together
    for (int attempt = 1;; ++attempt) {
        fit::SkinSamples samples = training.samples;
        samples.importance = importanceOf(training, emphasis, job.radius);
        fit::BakedSkin skin =
            fit::bakeSkin(rest, geometry::weldedTriangles(mesh.triangles, job.weld), job.character.skeleton,
                          job.character.driven, given, reach, std::move(samples), options, progress);
        result.candidates = candidatesOf(job, skin, progress);
        if (emphasize(result.candidates, emphasis) && attempt < kMostAttempts) continue;
        // The initial skin does not respect locked joints.
        result.chosen = chooseBaked(result.candidates, locked ? 1 : 0, job.request.max_error);
        fit::keepHelpers(skin, result.candidates[result.chosen].helpers);
        result.helpers = skin.helpers;
        // The remaining slots are renumbered.
        SkinWeights chosen = result.chosen == 0 ? job.start : unweldedRows(skin.weights.back(), job.weld, locked);
        result.character = withSkin(job.character, std::move(skin.skeleton), std::move(skin.driven), std::move(chosen));
        return result;
    }
}

}  // namespace

BakeResult bake(const Character& character, const BakeRequest& request, const Progress& progress) {
    checkVirtual(character, request);
    BakeReference reference(character, request, progress);
    const Mesh& mesh = character.mesh;
    const measure::SkinPoses poses = bakePoses(character, request);
    const geometry::Weld weld = geometry::weldByPosition(mesh, request.weld);
    const SkinWeights reach = weldedRows(reference.reach(), weld), given = weldedRows(character.weights, weld);
    const SkinWeights start = unweldedRows(keepHeaviest(reference.isDdm() ? reach : given, request.influences), weld,
                                           !request.locked.empty());
    const BakeJob job{
        character, request, reference, poses, weld, start, geometry::smallestEnclosingSphere(mesh.positions).radius};
    BakeResult result = bakePlain(job, given, reach, progress);
    if (request.virtual_joints > 0) addVirtual(job, result, progress);
    return result;
}

}  // namespace pelt::verbs
