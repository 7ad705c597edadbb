#pragma once

#include "verbs/pose/solve/pose_start.h"

namespace pelt::verbs {

/// Handles as constraints on the joints of a character.
struct HandlePlan {
    std::vector<pose::Constraint> constraints;
    std::vector<std::size_t> handle_of;                ///< per constraint, its handle
    std::vector<std::optional<std::size_t>> joint_of;  ///< per handle, its joint
    std::vector<std::uint32_t> carrier;                ///< per joint, itself or the joint that it moves with
    std::vector<Vec3d> joint_positions;                ///< at the start
    std::vector<Vec3d> held;                           ///< per handle, the position that it holds at the start
};

/// The times of the frames: from the first key to the last.
std::vector<double> frameTimes(std::span<const PoseHandle> handles, double fps);

/// The first of these times, without an allocation.
double firstTime(std::span<const PoseHandle> handles);

/// The target position of a handle whose start position is `start`. Not for handles with a matrix.
Vec3d placeAt(const PoseHandle& handle, const Vec3d& start, double time);

/// Relative to the start.
Mat3d turnAt(const PoseHandle& handle, double time);

/// The motion of a handle whose whole transform is given, from the start to the pose. `bone`: from the file's rest
/// space to the start.
Affine3d motionAt(const PoseHandle& handle, const Vec3d& start, const Affine3d& bone, double time);

/// The name of a handle in messages.
std::string nameOf(const PoseHandle& handle, std::size_t number);

/// Throws Error (bad input) if all handles are free.
void checkSomethingHeld(std::span<const PoseHandle> handles);

/// As checkHandles, of the mesh at the start; all handles may be free.
void checkHandlesAt(const PoseStart& start, const Character& character, std::span<const PoseHandle> handles);

/// Checks the handles, and adds joints for them (in `start` too) and weights if the character has none. Throws as
/// poseCharacter does.
void bindHandles(Character& character, PoseStart& start, std::span<const PoseHandle> handles,
                 const PreparationStore* cache, const Progress& progress);

/// For handles that were checked.
HandlePlan planHandles(const Character& character, const PoseStart& start, std::span<const PoseHandle> handles);

}  // namespace pelt::verbs
