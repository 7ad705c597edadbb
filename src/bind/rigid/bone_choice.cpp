// The nearest bone that is visible from a vertex inside the mesh. The binary test of Pinocchio [BaranPopovic07, Sec. 4]
// (does the line from the vertex to the bone stay inside?) is a cost here, since real meshes are open, in many parts
// and layered: a bone that no vertex sees must still be available to vertices without a better one.
//
// price = distance · (1 + outside + foreign) · (1 + facing) · (1 + beyond): docs/bind.md describes the terms and how
// they were measured.
#include "bone_choice.h"

#include <pelt/core/parallel.h>

#include <algorithm>
#include <limits>

namespace pelt::bind {
namespace {

constexpr double kOutside = 2;      // for a line that is outside entirely
constexpr double kForeign = 2;      // for a bone entirely outside the vertex's own part
constexpr double kFacing = 0.6;     // per 1 - cos of the angle between the normal and the direction from the bone
constexpr double kBehind = 4;       // in addition if the skin faces the bone: it belongs to another one
constexpr double kAlongBone = 0.2;  // fraction of the normal along the bone that is left out of the angle
constexpr double kThick = 1.5;      // radii around a bone without extra cost
constexpr double kBeyond = 0.5;     // per further radius: a jaw is farther from the neck than the neck is thick
constexpr double kEqual = 1e-9;     // prices that differ by less, relatively, are equal
constexpr double kAtVertex = 1e-5;  // of the line: crossings there are the vertex's own faces

double price(const BindSurface& surface, std::uint32_t vertex, const BoneView& bone, bool faces,
             std::vector<geometry::Crossing>& crossings) {
    const Vec3d& start = bone.segment.start;
    const Vec3d along = bone.segment.end - start, point = surface.positions[vertex];
    const double squared = dot(along, along);
    const double t = squared > 0 ? std::clamp(dot(point - start, along) / squared, 0.0, 1.0) : 0.0;
    const Vec3d nearest = start + along * t, line = point - nearest;
    const int place = std::min(static_cast<int>(t * BoneView::kPlaces), BoneView::kPlaces - 1);
    const int winding = bone.windings[static_cast<std::size_t>(place)];
    const double outside = kOutside * shareOutside(surface.tree, nearest, line, winding, crossings);
    const std::uint32_t part = surface.parts.part[vertex];
    const double foreign = kForeign * (1 - bone.shareIn(part));
    const double facing = faces ? facingPrice(surface.normals[vertex], line, along, t > 0 && t < 1) : 0;
    const double beyond = bone.radius > 0 ? kBeyond * std::max(0.0, length(line) / bone.radius - kThick) : 0;
    return length(line) * (1 + outside + foreign) * (1 + facing) * (1 + beyond);
}

/// The lowest common ancestor of two joints (one of them, if it is the other's ancestor), -1 if there is none.
std::int32_t meetingPoint(std::span<const std::int32_t> parents, std::uint32_t a, std::uint32_t b) {
    std::vector<std::int32_t> above;
    for (auto j = static_cast<std::int32_t>(a); j >= 0; j = parents[static_cast<std::size_t>(j)]) above.push_back(j);
    for (auto j = static_cast<std::int32_t>(b); j >= 0; j = parents[static_cast<std::size_t>(j)])
        if (std::find(above.begin(), above.end(), j) != above.end()) return j;
    return -1;
}

}  // namespace

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

double facingPrice(const Vec3d& normal, const Vec3d& line, const Vec3d& bone, bool beside) {
    const Vec3d direction = normalized(line);
    if (normal == Vec3d{} || direction == Vec3d{}) return 0;
    Vec3d n = normal;
    if (beside) n = normalized(n - bone * (kAlongBone * dot(n, bone) / dot(bone, bone)));
    const double cosine = dot(n, direction);
    return kFacing * (1 - cosine) + kBehind * std::max(0.0, -cosine);
}

std::vector<std::uint32_t> chooseBones(const BindSurface& surface, std::span<const BoneView> bones,
                                       std::span<const Piece> pieces, std::span<const std::int32_t> parents,
                                       const Progress& progress) {
    std::vector<bool> carries(parents.size(), false);
    for (const BoneView& bone : bones) carries[bone.segment.joint] = true;
    const std::size_t count = surface.positions.size();
    std::vector<std::uint32_t> joints(count, bones[0].segment.joint);
    const auto range = [&](std::size_t first, std::size_t last) {
        std::vector<geometry::Crossing> crossings;
        std::vector<std::pair<double, std::uint32_t>> nearest(bones.size());
        for (std::size_t v = first; v < last; ++v) {
            if (!isFinite(surface.positions[v])) continue;
            const bool faces = !pieces[surface.parts.part[v]].rides();
            for (std::uint32_t b = 0; b < bones.size(); ++b)
                nearest[b] = {geometry::distanceTo(bones[b].segment, surface.positions[v]), b};
            std::sort(nearest.begin(), nearest.end());
            double best = std::numeric_limits<double>::infinity();
            std::uint32_t equal = joints[v];  // the last joint as near as the best
            for (const auto& [distance, b] : nearest) {
                if (distance > best * (1 + kEqual)) break;  // no price is below the distance
                const double cost = price(surface, static_cast<std::uint32_t>(v), bones[b], faces, crossings);
                if (cost > best * (1 + kEqual)) continue;
                equal = bones[b].segment.joint;
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

}  // namespace pelt::bind
