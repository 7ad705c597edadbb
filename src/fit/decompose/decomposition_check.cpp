// Checks that the arrays of a decomposition have the sizes it states.
#include "decomposition_check.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

namespace pelt::fit {

void checkDecomposition(const Decomposition& decomposition) {
    const SkinWeights& weights = decomposition.weights;
    if (decomposition.motion.size() != decomposition.bones * decomposition.frames) {
        throw Error::badInput(fmt::format("the decomposition has {} motions, {} bones in {} frames need {}",
                                          decomposition.motion.size(), decomposition.bones, decomposition.frames,
                                          decomposition.bones * decomposition.frames));
    }
    if (weights.vertexCount() != decomposition.rest.size()) {
        throw Error::badInput(fmt::format("the decomposition has weights for {} vertices, its rest pose has {}",
                                          weights.vertexCount(), decomposition.rest.size()));
    }
    for (const std::uint32_t bone : weights.joints) {
        if (bone >= decomposition.bones) {
            throw Error::badInput(fmt::format("the decomposition has weights for bone {}, there are {} bones", bone,
                                              decomposition.bones));
        }
    }
}

}  // namespace pelt::fit
