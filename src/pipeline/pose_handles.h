#pragma once

#include "pose_start.h"

namespace pelt::pipeline {

/// Handles as constraints on the joints of a character.
struct HandlePlan {
    std::vector<pose::Constraint> constraints;
    std::vector<std::size_t> handle_of;                ///< per constraint, the handle that asks for it
    std::vector<std::optional<std::size_t>> joint_of;  ///< per handle, the joint that it is
    std::vector<std::uint32_t> carrier;                ///< per joint, itself or the one that it goes with
    std::vector<Vec3d> joint_positions;                ///< at the start
    std::vector<Vec3d> held;                           ///< per handle, what it holds at the start
};

/// When there is a frame: from the first key to the last.
std::vector<double> frameTimes(std::span<const PoseHandle> handles, double fps);

/// Where a handle's place should be; what it holds is at `start`. Not for those by matrix.
Vec3d placeAt(const PoseHandle& handle, const Vec3d& start, double time);

/// From the start on.
Mat3d turnAt(const PoseHandle& handle, double time);

/// Of a handle that is given whole, from the start to the pose. `bone`: from the file's rest space to the start.
Affine3d motionAt(const PoseHandle& handle, const Vec3d& start, const Affine3d& bone, double time);

/// How messages call a handle.
std::string nameOf(const PoseHandle& handle, std::size_t number);

/// Also gives the character what it lacks: joints for the handles, which `start` gets too, and weights. See
/// poseCharacter for what it throws.
HandlePlan planHandles(Character& character, PoseStart& start, std::span<const PoseHandle> handles,
                       const PreparationCache* cache, const Progress& progress);

}  // namespace pelt::pipeline
