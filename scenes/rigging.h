#pragma once

#include <pelt/rig/character.h>

#include <functional>
#include <string_view>

#include "implicit/implicit_mesh.h"

namespace pelt::scenes {

/// A joint of a built-in character: its position in rest space, with axes parallel to the root's; parents come first.
struct JointPlace {
    std::string_view name;
    std::int32_t parent;
    Vec3d position;
};

Skeleton makeSkeleton(std::span<const JointPlace> joints);

/// Binds each vertex to its nearest bone segment.
SkinWeights rigidBind(std::span<const Vec3f> positions, const Skeleton& skeleton);

/// The rotation of one joint over time.
struct JointMotion {
    std::uint32_t joint;
    std::function<Quatd(double seconds)> rotation;
};

/// A clip of `seconds` with keys dense enough that linear interpolation between them looks smooth.
Clip makeClip(std::string_view name, double seconds, std::span<const JointMotion> motions);

/// The range of a joint's rotation about an axis, in degrees.
struct JointLimit {
    std::uint32_t joint;
    Vec3d axis;
    double lowest, highest;
};

/// The clip "range_of_motion": one limit after the other: to the maximum, back through rest to the minimum, to rest.
Clip rangeOfMotion(std::span<const JointLimit> limits);

/// 0 at and before `first`, 1 at and after `last`, in between a smooth rise (C1).
double smoothStep(double first, double last, double x);

/// Goes 0 -> 1 -> 0 between the times `first` and `last`, resting at the top in the middle third.
double swell(double first, double last, double seconds);

inline constexpr double kDegree = 3.14159265358979323846 / 180;

/// Positions in single precision, no normals yet.
Mesh toMesh(const ImplicitMesh& skin);

/// Completes the character: normals, the rigid bind, and one part of that name if the mesh has none.
Character makeCharacter(std::string_view name, Mesh mesh, Skeleton skeleton, std::vector<Clip> clips);

}  // namespace pelt::scenes
