#pragma once

#include <optional>

#include "verbs/pose/pose_handles.h"

namespace pelt::verbs {

/// Which joints and pieces of the mesh are connected, by weights and, if requested, by the skeleton.
struct JointGroups {
    std::vector<std::uint32_t> of_joint, of_vertex;
    std::uint32_t count = 0;
};
JointGroups groupJoints(const Character& character, bool by_skeleton);

/// The part of a character that handles can move: everything connected to something that they hold. The rest does not
/// move, so that the time depends only on this part, for example on one character of a crowd in one file.
struct PosePart {
    Mesh mesh;                              ///< at the start
    SkinWeights weights;                    ///< on `joints`
    std::vector<std::uint32_t> joints;      ///< of the character
    std::vector<std::uint32_t> vertices;    ///< of the character
    std::vector<std::int32_t> joint_place;  ///< per joint of the character, its index in `joints`, or -1
};

/// Empty if that is the whole character.
std::optional<PosePart> movedPart(const Character& character, const PoseStart& start, const HandlePlan& plan,
                                  pose::Energy energy);

/// Constraints on the joints and vertices of a part, all of which it has; unchanged if there is no part.
std::vector<pose::Constraint> constraintsOn(const PosePart* part, std::span<const pose::Constraint> constraints);

}  // namespace pelt::verbs
