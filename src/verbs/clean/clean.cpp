// Removes small weights, repeated keys and joints without skin from a character.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/geometry/bounding_box.h>
#include <pelt/io/character_file.h>
#include <pelt/measure/skin_poses.h>
#include <pelt/methods/sampling.h>
#include <pelt/rig/remove_joints.h>
#include <pelt/rig/repeated_keys.h>
#include <pelt/verbs/clean.h>

#include <algorithm>
#include <cmath>

namespace pelt::verbs {
namespace {

/// Rows without weights below the threshold. The heaviest of a row always stays.
SkinWeights withoutWeightsBelow(const SkinWeights& weights, float threshold) {
    SkinWeights kept;
    std::vector<std::uint32_t> joints;
    std::vector<float> values;
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
        const auto row = weights.weightsOf(v);
        const auto small = std::find_if(row.begin(), row.end(), [&](float w) { return w < threshold; });
        const auto count = std::max<std::ptrdiff_t>(small - row.begin(), row.empty() ? 0 : 1);
        joints.assign(weights.jointsOf(v).begin(), weights.jointsOf(v).begin() + count);
        values.assign(row.begin(), row.begin() + count);
        if (small == row.end()) {  // bit by bit as it was
            kept.joints.insert(kept.joints.end(), joints.begin(), joints.end());
            kept.weights.insert(kept.weights.end(), values.begin(), values.end());
            kept.endRow(kept.joints.size());
        } else {
            appendVertex(kept, joints, values);
        }
    }
    return kept;
}

void takeRows(SkinWeights& into, const SkinWeights& from, const std::vector<bool>& which) {
    SkinWeights rows;
    for (std::size_t v = 0; v < which.size(); ++v) {
        const SkinWeights& source = which[v] ? from : into;
        rows.joints.insert(rows.joints.end(), source.jointsOf(v).begin(), source.jointsOf(v).end());
        rows.weights.insert(rows.weights.end(), source.weightsOf(v).begin(), source.weightsOf(v).end());
        rows.endRow(rows.joints.size());
    }
    into = std::move(rows);
}

void cleanWeights(const Character& character, const CleanRequest& request, CleanResult& result,
                  const Progress& progress) {
    const SkinWeights& given = character.weights;
    SkinWeights& weights = result.character.weights;
    result.weights = given.weights.size();
    if (given.empty()) return;
    weights = withoutWeightsBelow(given, request.threshold);
    if (weights.weights.size() == given.weights.size()) return;
    const measure::SkinPoses poses(character, request.fps, 0);
    const measure::SkinDistances moved =
        measure::compareSkins(character, poses, given, {&weights, 1}, progress).front();
    // Half of the tolerance is left for the keys.
    const double limit = std::pow(0.5 * kCleanTolerance * result.diagonal, 2);
    std::vector<bool> too_far(given.vertexCount(), false);
    for (std::size_t v = 0; v < too_far.size(); ++v)
        too_far[v] = std::max(moved.max[measure::kClipPoses][v], moved.max[measure::kRangePoses][v]) > limit;
    result.vertices_kept = std::size_t(std::count(too_far.begin(), too_far.end(), true));
    if (result.vertices_kept > 0) takeRows(weights, given, too_far);
    result.weights_removed = given.weights.size() - weights.weights.size();
}

/// The distances between two characters over one clip, of all vertices and those of the props.
void addClipDistance(const Character& a, const Character& b, std::size_t clip, double fps, double& squared, double& max,
                     std::size_t& count) {
    methods::Sampling sampling;
    sampling.clip = std::to_string(clip);
    sampling.fps = fps;
    // By index: names may repeat, and a name may look like the index of another clip.
    const auto only = [&](const Character& character) {
        Character one = character;
        one.clips = {character.clips[clip]};
        one.clips.front().name = "clip";
        sampling.clip = "clip";
        return one;
    };
    const Character one_a = only(a), one_b = only(b);
    methods::CharacterSampler play_a(one_a, methods::findMethod("lbs"), sampling),
        play_b(one_b, methods::findMethod("lbs"), sampling);
    std::vector<Vec3f> at_a(play_a.vertexCount()), at_b(at_a.size());
    for (std::size_t f = 0; f < play_a.frameCount(); ++f) {
        play_a.evaluate(f, at_a, {});
        play_b.evaluateAt(play_a.frameTime(f), at_b, {});
        for (std::size_t v = 0; v < at_a.size(); ++v) {
            const Vec3d d = Vec3d(at_a[v]) - Vec3d(at_b[v]);
            squared += dot(d, d);
            max = std::max(max, dot(d, d));
        }
        count += at_a.size();
    }
}

void cleanKeys(const Character& character, const CleanRequest& request, CleanResult& result, const Progress& progress) {
    Character& cleaned = result.character;
    double squared = 0, max = 0;
    std::size_t count = 0;
    const double limit = std::pow(kCleanTolerance * result.diagonal, 2);
    for (std::size_t c = 0; c < cleaned.clips.size(); ++c) {
        progress.report("measure", double(c) / double(cleaned.clips.size()));
        result.keys += rig::keyCount(character.clips[c]);
        std::size_t removed = rig::removeRepeatedKeys(cleaned.clips[c]);
        double clip_squared = 0, clip_max = 0;
        std::size_t clip_count = 0;
        const auto measure = [&] {
            clip_squared = clip_max = 0;
            clip_count = 0;
            addClipDistance(character, cleaned, c, request.fps, clip_squared, clip_max, clip_count);
        };
        measure();
        if (clip_max > limit && removed > 0) {
            cleaned.clips[c] = character.clips[c];
            result.clips_kept.push_back(cleaned.clips[c].name);
            removed = 0;
            measure();
        }
        result.keys_removed += removed;
        squared += clip_squared;
        max = std::max(max, clip_max);
        count += clip_count;
    }
    result.rms = count > 0 ? std::sqrt(squared / double(count)) : 0;
    result.max = std::sqrt(max);
}

/// Joints that move no vertex and have no joint below them that does: the hierarchy of the others stays whole.
void removeUnusedJoints(CleanResult& result) {
    Character& character = result.character;
    std::vector<bool> keep = rig::jointsWithSkin(character);
    if (std::find(keep.begin(), keep.end(), true) == keep.end()) return;
    const std::vector<std::int32_t> parents = rig::jointParents(character.skeleton);
    for (std::size_t j = 0; j < keep.size(); ++j)
        for (std::int32_t p = keep[j] ? parents[j] : -1; p >= 0; p = parents[std::size_t(p)])
            keep[std::size_t(p)] = true;
    for (std::size_t j = 0; j < keep.size(); ++j)
        if (!keep[j]) result.joints_removed.push_back(rig::jointName(character.skeleton, j));
    if (!result.joints_removed.empty()) rig::removeJoints(character, keep);
}

}  // namespace

CleanResult clean(const Character& character, const CleanRequest& request, const Progress& progress) {
    if (!(request.threshold >= 0 && request.threshold <= 0.5F))
        throw Error::badUsage(fmt::format("`threshold` is {}; it must be between 0 and 0.5", request.threshold));
    CleanResult result;
    result.character = character;
    result.diagonal = geometry::boundingDiagonal(character.mesh.positions);
    cleanWeights(character, request, result, progress);
    cleanKeys(character, request, result, progress);
    if (request.unused_joints) removeUnusedJoints(result);
    io::leaveOutUnused(result.character);
    return result;
}

}  // namespace pelt::verbs
