#include <gtest/gtest.h>
#include <pelt/fit/rigid_bind.h>
#include <pelt/io/character_file.h>

#include "shared_data.h"

namespace pelt {
namespace {

/// The share of the vertices that `bound` puts on one of the artist's two heaviest joints.
double shareOnHeaviest(const SkinWeights& artist, const SkinWeights& bound) {
    std::size_t right = 0;
    for (std::size_t v = 0; v < artist.vertexCount(); ++v) {
        const auto joints = artist.jointsOf(v);
        const auto weights = artist.weightsOf(v);
        for (std::size_t k = 0; k < joints.size() && (k < 2 || weights[k] == weights[1]); ++k) {
            if (joints[k] != bound.joints[v]) continue;
            ++right;
            break;
        }
    }
    return static_cast<double>(right) / static_cast<double>(artist.vertexCount());
}

class BindCharacters : public testing::TestWithParam<const char*> {};

TEST_P(BindCharacters, AreBoundWithoutTheirWeightsAsTheArtistBoundThem) {
    const std::string path = std::string("data/rigged/") + GetParam();
    PELT_NEEDS_SHARED(path.c_str());
    const Character character = io::loadCharacter(sharedPath(path.c_str()));
    const SkinWeights bound = fit::bindNearestBone(character.mesh, character.skeleton);
    EXPECT_GE(shareOnHeaviest(character.weights, bound), 0.95);
}

INSTANTIATE_TEST_SUITE_P(
    Shared, BindCharacters,
    testing::Values("RobotExpressive/RobotExpressive.glb", "kaykit/Knight.glb",
                    "khronos/CesiumMan/glTF-Binary/CesiumMan.glb", "khronos/Fox/glTF-Binary/Fox.glb",
                    "khronos/RiggedFigure/glTF-Binary/RiggedFigure.glb",
                    "khronos/RiggedSimple/glTF-Binary/RiggedSimple.glb", "khronos/SimpleSkin/glTF/SimpleSkin.gltf",
                    "mannequiny/godot/assets/3d/mannequiny/mannequiny-0.3.0.glb", "webxr-hand/left.glb"));

}  // namespace
}  // namespace pelt
