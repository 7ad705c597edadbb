#pragma once

#include <pelt/core/vec.h>

#include <cstdint>
#include <span>
#include <vector>

namespace pelt::geometry {

/// A bone segment in rest space, from its joint to a child (or beyond a leaf). Its length may be 0.
struct BoneSegment {
    Vec3d start, end;
    std::uint32_t joint = 0;
};

/// A joint's segments run from it to each child joint; that of a leaf continues in the direction of the parent's
/// segment that leads to it, with the same length. A joint with neither parent nor child is a point. `positions` and
/// `parents` (-1 for a root) have one entry per joint; the segments are ordered by joint, at least one each.
std::vector<BoneSegment> boneSegments(std::span<const Vec3d> positions, std::span<const std::int32_t> parents);

/// The distance from a point to the segment.
double distanceTo(const BoneSegment& segment, const Vec3d& point);

/// Per point, the index of the nearest segment (the lowest on ties). `segments` must not be empty.
std::vector<std::uint32_t> nearestSegments(std::span<const BoneSegment> segments, std::span<const Vec3f> points);

}  // namespace pelt::geometry
