// Reduces the joints per vertex or in total, and measures what that changes.
#include <pelt/core/error.h>
#include <pelt/fit/weight_limiter.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/io/character_file.h>
#include <pelt/rig/remove_joints.h>
#include <pelt/verbs/limit.h>

#include <algorithm>
#include <numeric>

#include "joint_merging.h"

namespace pelt::verbs {
namespace {

constexpr std::size_t kMostLimitPoses = 300;  ///< of the clips, to solve with: samples closer in time add nothing

/// Rows of `skin` whose error is above that of `cut` in the clips or in the range of motion are replaced. Returns
/// their number.
std::size_t keepBetter(const std::vector<measure::SkinDistances>& distances, const SkinWeights& cut,
                       SkinWeights& skin) {
    SkinWeights rows;
    std::size_t replaced = 0;
    for (std::size_t v = 0; v < skin.vertexCount(); ++v) {
        const auto worse = [&](measure::PoseSource part) {
            const double allowed = distances[0].squared[part][v];
            return distances[1].squared[part][v] > allowed * (1 + 1e-9);
        };
        const bool use_cut = worse(measure::kClipPoses) || worse(measure::kRangePoses);
        replaced += use_cut;
        const SkinWeights& from = use_cut ? cut : skin;
        rows.joints.insert(rows.joints.end(), from.jointsOf(v).begin(), from.jointsOf(v).end());
        rows.weights.insert(rows.weights.end(), from.weightsOf(v).begin(), from.weightsOf(v).end());
        rows.endRow(rows.joints.size());
    }
    skin = std::move(rows);
    return replaced;
}

/// Solves and measures over all samples. Should the result be worse than cutting anywhere (the solver sees fewer
/// samples), vertices that are worse off get the cut weights.
void solveAndMeasure(const Character& character, const LimitRequest& request,
                     const std::vector<std::uint32_t>& replaced, LimitResult& result, const Progress& progress) {
    fit::WeightLimiter limiter(character.mesh.positions, character.weights, replaced, request.influences);
    const measure::SkinPoses training(character, request.fps, kMostLimitPoses, request.range);
    for (std::size_t p = 0; p < training.count(); ++p) {
        progress.report("sample", double(p) / double(training.count()));
        const measure::SkinPose pose = training.pose(p);
        const bool played = pose.part == measure::kClipPoses || training.count(measure::kClipPoses) == 0;
        limiter.addPose(played ? fit::WeightLimiter::kPlayed : fit::WeightLimiter::kPossible, pose.bones);
    }
    std::vector<SkinWeights> skins{withoutSmall(limiter.cut(), &character.weights),
                                   withoutSmall(limiter.solve(progress), &character.weights)};
    const measure::SkinPoses all(character, request.fps, 0, request.range);
    std::vector<measure::SkinDistances> distances =
        measure::compareSkins(character, all, character.weights, skins, progress);
    const double radius = geometry::smallestEnclosingSphere(character.mesh.positions).radius;
    const auto isWorse = [&](measure::PoseSource part) {
        return distances[1].summary(all, part, radius).rms > distances[0].summary(all, part, radius).rms;
    };
    if ((isWorse(measure::kClipPoses) || isWorse(measure::kRangePoses)) &&
        keepBetter(distances, skins[0], skins[1]) > 0)
        distances = measure::compareSkins(character, all, character.weights, skins, progress);
    const auto summary = [&](const measure::SkinDistances& of) {
        LimitError error;
        if (all.count(measure::kClipPoses) > 0) error.clips = of.summary(all, measure::kClipPoses, radius);
        error.range = of.summary(all, measure::kRangePoses, radius);
        return error;
    };
    result.cut = summary(distances[0]);
    result.solved = summary(distances[1]);
    result.vertices_solved = limiter.vertexCount();
    result.character.weights = std::move(skins[1]);
}

}  // namespace

LimitResult limit(const Character& character, const LimitRequest& request, const Progress& progress) {
    if (character.skeleton.joints.empty()) throw Error::badInput("has no skeleton");
    if (character.weights.empty())
        throw Error::badInput("has a skeleton but no skin weights; bind it first (pelt bind)");
    LimitResult result;
    result.character = character;
    JointMerging merging;
    merging.replaced_by.resize(character.skeleton.joints.size());
    std::iota(merging.replaced_by.begin(), merging.replaced_by.end(), 0u);
    const bool fewer = request.max_joints && character.skeleton.joints.size() > *request.max_joints;
    if (fewer) merging = mergeJoints(character, request.range, request.fps, *request.max_joints);
    solveAndMeasure(character, request, merging.replaced_by, result, progress);
    result.merged = std::move(merging.merged);
    if (fewer) {
        if (character.ddm) result.character.ddm = withReplacedJoints(*character.ddm, merging.replaced_by);
        const std::vector<bool> had_skin = rig::jointsWithSkin(character);
        std::vector<bool> keep = rig::jointsWithSkin(result.character);
        // Joints without skin go first, those that come last in the file before the others.
        auto room = *request.max_joints - std::size_t(std::count(keep.begin(), keep.end(), true));
        for (std::size_t j = 0; j < keep.size(); ++j) {
            if (keep[j] || merging.replaced_by[j] != j) continue;
            if (room > 0)
                keep[j] = true, --room;
            else if (!had_skin[j])
                result.joints_removed.push_back(rig::jointName(character.skeleton, j));
        }
        rig::removeJoints(result.character, keep);
    }
    io::leaveOutUnused(result.character);
    return result;
}

}  // namespace pelt::verbs
