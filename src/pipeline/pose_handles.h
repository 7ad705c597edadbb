#pragma once

#include <pelt/pipeline/pose.h>

#include <optional>

namespace pelt::pipeline {

/// Handles as constraints on the joints of a character.
struct HandlePlan {
    std::vector<pose::Constraint> constraints;
    std::vector<std::size_t> handle_of;                ///< per constraint, the handle that asks for it
    std::vector<std::optional<std::size_t>> joint_of;  ///< per handle, the joint that it is
    std::vector<std::uint32_t> carrier;                ///< per joint, itself or the one that it goes with
    std::vector<Vec3d> joint_positions;
};

/// How messages call a handle.
std::string nameOf(const PoseHandle& handle, std::size_t number);

/// Also gives the character what it lacks: joints for the handles, weights. See poseCharacter for what it throws.
HandlePlan planHandles(Character& character, std::span<const PoseHandle> handles, const Progress& progress);

}  // namespace pelt::pipeline
