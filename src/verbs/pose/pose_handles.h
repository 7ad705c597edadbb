#pragma once

#include "pose_start.h"

namespace pelt::pipeline {

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

/// The target position of a handle whose start position is `start`. Not for handles with a matrix.
Vec3d placeAt(const PoseHandle& handle, const Vec3d& start, double time);

/// Relative to the start.
Mat3d turnAt(const PoseHandle& handle, double time);

/// The motion of a handle whose whole transform is given, from the start to the pose. `bone`: from the file's rest
/// space to the start.
Affine3d motionAt(const PoseHandle& handle, const Vec3d& start, const Affine3d& bone, double time);

/// The name of a handle in messages.
std::string nameOf(const PoseHandle& handle, std::size_t number);

/// Also adds joints for the handles (in `start` too) and weights if the character has none. Throws as poseCharacter
/// does.
HandlePlan planHandles(Character& character, PoseStart& start, std::span<const PoseHandle> handles,
                       const PreparationCache* cache, const Progress& progress);

}  // namespace pelt::pipeline
