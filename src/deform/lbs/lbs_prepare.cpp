#include "lbs_layout.h"

namespace pelt::deform {

LbsRig prepareLbs(const Mesh& rest, const SkinWeights& weights) {
    LbsRig::Packed packed{packInfluences(weights, rest.vertexCount()), packRest(rest)};
    return {std::make_shared<const LbsRig::Packed>(std::move(packed))};
}

}  // namespace pelt::deform
