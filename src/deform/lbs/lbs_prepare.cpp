#include "lbs_layout.h"

namespace pelt::deform {

LbsRig prepareLbs(const Mesh& rest, const SkinWeights& weights) {
    LbsRig::Packed packed{packInfluences(weights, rest.vertexCount()), packRest(rest)};
    return {std::make_shared<const LbsRig::Packed>(std::move(packed))};
}

std::size_t streamedBytes(const LbsRig& rig, bool normals) {
    const InfluenceBlocks& blocks = rig.packed->blocks;
    return blocks.bytes() + blocks.vertex_count * sizeof(Vec3f) * (normals ? 4 : 2);
}

}  // namespace pelt::deform
