#pragma once

#include <optional>

#include "pose_handles.h"

namespace pelt::pipeline {

/// Which joints and pieces of the mesh hang together, by weights and, where asked for, by the skeleton.
struct JointGroups {
    std::vector<std::uint32_t> of_joint, of_vertex;
    std::uint32_t count = 0;
};
JointGroups groupJoints(const Character& character, bool by_skeleton);

/// The part of a character that handles can move: what hangs together with something that they hold. All else stays,
/// so that solving takes as long as for this part alone, not as long as for a crowd in one file.
struct PosePart {
    Mesh mesh;                                  ///< at the start
    SkinWeights weights;                        ///< on `joints`
    std::vector<std::uint32_t> joints;          ///< of the character
    std::vector<std::uint32_t> vertices;        ///< of the character
    std::vector<pose::Constraint> constraints;  ///< those of the plan, on the part's joints and vertices
    std::vector<std::int32_t> joint_place;      ///< per joint of the character, which of `joints` it is, or -1
};

/// Empty where that is all of the character.
std::optional<PosePart> movedPart(const Character& character, const PoseStart& start, const HandlePlan& plan,
                                  pose::Energy energy);

}  // namespace pelt::pipeline
