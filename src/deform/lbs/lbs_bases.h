#pragma once

#include "../influence_blocks.h"

namespace pelt::deform {

/// For every vertex one of its own joints, which its sum of matrices starts from. Few different ones in a block, and
/// those of the block before where they will do. Vertices of equal influences, as copies are, get the same.
std::vector<std::uint32_t> chooseBases(const InfluenceBlocks& blocks);

}  // namespace pelt::deform
