#pragma once

#include <pelt/rig/character.h>

namespace pelt::rig {

/// Per joint slot, whether a vertex follows it: through the weights, or through a Direct Delta Mush payload or the bind
/// that it was made from.
std::vector<bool> jointsWithSkin(const Character& character);

/// Removes the joint slots for which `keep` (one entry each) is false; weights and payload get the new numbers. Nodes,
/// clips and driven joints do not change. Throws Error (bad usage) if no joint would be left or a vertex uses a removed
/// one.
void removeJoints(Character& character, const std::vector<bool>& keep);

}  // namespace pelt::rig
