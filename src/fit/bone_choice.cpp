// The nearest bone that a vertex can see inside the mesh. What the paper of Pinocchio [BaranPopovic07, Sec. 4] asks as
// yes or no (does the line from the vertex to the bone stay inside?) is a price here, since real meshes are open, in
// many parts and worn over one another: a bone that no vertex sees must still serve those that have no better one.
//
// price = distance · (1 + outside + foreign) · (1 + facing): docs/bind.md says what each is and how it was measured.
#include "bone_choice.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <limits>

namespace pelt::fit {
namespace {

constexpr int kSamples = 9;         // along a bone, where it is asked whether it lies inside
constexpr double kOutside = 2;      // for a line that runs outside all the way
constexpr double kForeign = 2;      // for a bone of which nothing lies inside the vertex's own part
constexpr double kFacing = 0.6;     // per 1 - cos of the angle between the normal and the way from the bone
constexpr double kBehind = 4;       // and once more where the skin faces the bone: it is someone else's
constexpr double kAlongBone = 0.2;  // share of the normal along the bone that is left out of the angle
constexpr double kEqual = 1e-9;     // prices that differ by less, relatively, are the same
constexpr double kAtVertex = 1e-5;  // of the line: crossings there are the vertex's own faces

struct Bone {
    geometry::BoneSegment segment;
    int windings[kSamples] = {};
    std::vector<std::pair<std::uint32_t, double>> shares;  ///< by part: how much of the bone it encloses

    double shareIn(std::uint32_t part) const {
        const auto found = std::lower_bound(shares.begin(), shares.end(), part,
                                            [](const auto& share, std::uint32_t p) { return share.first < p; });
        return found != shares.end() && found->first == part ? found->second : 0;
    }
};

Bone lookAround(const geometry::BoneSegment& segment, const geometry::RayTree& tree) {
    Bone bone{segment, {}, {}};
    std::vector<std::uint32_t> tags;
    for (int s = 0; s < kSamples; ++s) {
        const double t = (s + 0.5) / kSamples;  // not at joints, which may touch the skin
        const auto around = geometry::enclosureOf(tree, segment.start + (segment.end - segment.start) * t);
        bone.windings[s] = around.winding;
        tags.insert(tags.end(), around.tags.begin(), around.tags.end());
    }
    std::sort(tags.begin(), tags.end());
    for (std::size_t k = 0; k < tags.size(); ++k) {
        if (k == 0 || tags[k] != tags[k - 1]) bone.shares.emplace_back(tags[k], 0);
        bone.shares.back().second += 1.0 / kSamples;
    }
    return bone;
}

/// The share of the line from the bone to the vertex that runs outside the mesh.
double shareOutside(const geometry::RayTree& tree, const Vec3d& from, const Vec3d& line, int winding,
                    std::vector<geometry::Crossing>& crossings) {
    tree.crossings(from, line, 1 - kAtVertex, crossings);
    double outside = 0, last = 0;
    for (const geometry::Crossing& c : crossings) {
        if (winding <= 0) outside += c.t - last;
        winding -= c.leaving;
        last = c.t;
    }
    return winding <= 0 ? outside + 1 - last : outside;
}

/// What it costs that the skin does not face away from the bone. Beside the bone, the normal counts less along it: a
/// limb that gets wider does not belong more to what comes before or after.
double facingPrice(const Vec3d& normal, const Vec3d& line, const Vec3d& bone, bool beside) {
    const Vec3d direction = normalized(line);
    if (normal == Vec3d{} || direction == Vec3d{}) return 0;
    Vec3d n = normal;
    if (beside) n = normalized(n - bone * (kAlongBone * dot(n, bone) / dot(bone, bone)));
    const double cosine = dot(n, direction);
    return kFacing * (1 - cosine) + kBehind * std::max(0.0, -cosine);
}

double price(const BindSurface& surface, std::uint32_t vertex, const Bone& bone,
             std::vector<geometry::Crossing>& crossings) {
    const Vec3d& start = bone.segment.start;
    const Vec3d along = bone.segment.end - start, point = surface.positions[vertex];
    const double squared = dot(along, along);
    const double t = squared > 0 ? std::clamp(dot(point - start, along) / squared, 0.0, 1.0) : 0.0;
    const Vec3d nearest = start + along * t, line = point - nearest;
    const int winding = bone.windings[std::min(static_cast<int>(t * kSamples), kSamples - 1)];
    const double outside = kOutside * shareOutside(surface.tree, nearest, line, winding, crossings);
    const double foreign = kForeign * (1 - bone.shareIn(surface.parts.part[vertex]));
    const double facing = facingPrice(surface.normals[vertex], line, along, t > 0 && t < 1);
    return length(line) * (1 + outside + foreign) * (1 + facing);
}

/// The joint that both hang from (one of them, where it is the other's ancestor), -1 where there is none.
std::int32_t meetingPoint(std::span<const std::int32_t> parents, std::uint32_t a, std::uint32_t b) {
    std::vector<std::int32_t> above;
    for (auto j = static_cast<std::int32_t>(a); j >= 0; j = parents[static_cast<std::size_t>(j)]) above.push_back(j);
    for (auto j = static_cast<std::int32_t>(b); j >= 0; j = parents[static_cast<std::size_t>(j)])
        if (std::find(above.begin(), above.end(), j) != above.end()) return j;
    return -1;
}

}  // namespace

std::vector<std::uint32_t> chooseBones(const BindSurface& surface, std::span<const geometry::BoneSegment> bones,
                                       std::span<const std::int32_t> parents, const Progress& progress) {
    std::vector<Bone> candidates(bones.size());
    parallelFor(bones.size(), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b) candidates[b] = lookAround(bones[b], surface.tree);
    });
    std::vector<bool> carries(parents.size(), false);
    for (const geometry::BoneSegment& bone : bones) carries[bone.joint] = true;
    const std::size_t count = surface.positions.size();
    std::vector<std::uint32_t> joints(count, bones[0].joint);
    const auto range = [&](std::size_t first, std::size_t last) {
        std::vector<geometry::Crossing> crossings;
        std::vector<std::pair<double, std::uint32_t>> nearest(bones.size());
        for (std::size_t v = first; v < last; ++v) {
            if (!isFinite(surface.positions[v])) continue;
            for (std::uint32_t b = 0; b < bones.size(); ++b)
                nearest[b] = {geometry::distanceTo(bones[b], surface.positions[v]), b};
            std::sort(nearest.begin(), nearest.end());
            double best = std::numeric_limits<double>::infinity();
            std::uint32_t equal = joints[v];  // the last joint as near as the best
            for (const auto& [distance, b] : nearest) {
                if (distance > best * (1 + kEqual)) break;  // no price is below the distance
                const double cost = price(surface, static_cast<std::uint32_t>(v), candidates[b], crossings);
                if (cost > best * (1 + kEqual)) continue;
                equal = bones[b].joint;
                if (cost >= best * (1 - kEqual)) continue;
                best = cost;
                joints[v] = equal;
            }
            const std::int32_t shared = meetingPoint(parents, joints[v], equal);
            if (shared >= 0 && carries[static_cast<std::size_t>(shared)])
                joints[v] = static_cast<std::uint32_t>(shared);
        }
    };
    constexpr std::size_t kBlock = 1 << 14;  // between two reports
    for (std::size_t done = 0; done < count; done += kBlock) {
        progress.report("bind", static_cast<double>(done) / static_cast<double>(count));
        parallelFor(std::min(kBlock, count - done), 256,
                    [&](std::size_t first, std::size_t last) { range(done + first, done + last); });
    }
    return joints;
}

}  // namespace pelt::fit
