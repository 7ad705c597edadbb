#pragma once

#include "deform/influence_blocks.h"

namespace pelt::deform {

/// The base of every vertex: one of its own joints, with which its sum of matrices starts. A block has few different
/// bases, if possible those of the previous block. Vertices with equal influences, such as copies, have the same base.
std::vector<std::uint32_t> chooseBases(const InfluenceBlocks& blocks);

}  // namespace pelt::deform
