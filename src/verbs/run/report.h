#pragma once

#include <pelt/rig/joint_list.h>

#include "verbs/run/run.h"

namespace pelt::verbs {

/// One line per joint, children below their parent with branches drawn, each indented by `indent`.
std::string drawTree(const rig::JointList& joints, const std::string& indent, bool utf8);

/// The number of joints that users see.
std::size_t boneCount(const Character& character);

/// What the report of a verb says of the character that it wrote: output, vertices, triangles, bones and influences.
void reportWritten(const Character& character, Run& run);

}  // namespace pelt::verbs
