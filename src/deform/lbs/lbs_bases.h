#pragma once

#include "../influence_blocks.h"

namespace pelt::deform {

/// For every vertex one of its own joints, from which its sum of matrices starts. Blocks have few different ones, if
/// possible those of the previous block. Vertices with equal influences, such as copies, get the same.
std::vector<std::uint32_t> chooseBases(const InfluenceBlocks& blocks);

}  // namespace pelt::deform
