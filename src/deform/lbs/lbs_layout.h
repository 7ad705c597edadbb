#pragma once

#include <pelt/deform/lbs.h>

#include "../influence_blocks.h"

namespace pelt::deform {

struct LbsRig::Packed {
    InfluenceBlocks blocks;
    RestMesh rest;
};

}  // namespace pelt::deform
