// Binds of real characters, against those of their artists.
#include <gtest/gtest.h>
#include <pelt/bind/rigid_bind.h>
#include <pelt/core/error.h>
#include <pelt/io/character_file.h>

#include "bench/bind_score.h"
#include "shared_data.h"

namespace pelt {
namespace {

struct Goal {
    const char* file;
    double share;        ///< at least, on one of the artist's two heaviest joints
    bool alike = false;  ///< joints that no clip moves apart count as one: machines whose joints differ in name alone
};

constexpr const char* kPack = "data/flagged-no-explicit-licence/rigged/quaternius/";

class BindCharacters : public testing::TestWithParam<Goal> {};

TEST_P(BindCharacters, AreBoundWithoutTheirWeightsAsTheArtistBoundThem) {
    const std::string name = GetParam().file;
    const std::string path = name.find('/') == std::string::npos ? kPack + name : "data/rigged/" + name;
    PELT_NEEDS_SHARED(path.c_str());
    const Character character = io::loadCharacter(sharedPath(path.c_str())).character;
    const SkinWeights bound = bind::bindNearestBone(character.mesh, character.skeleton);
    const bench::BindScore score = bench::scoreBind(character, bound.joints);
    EXPECT_GE(GetParam().alike ? score.alike : score.share, GetParam().share);
    EXPECT_EQ(score.small_split, 0u) << "of " << score.small_whole << " small pieces";
}

INSTANTIATE_TEST_SUITE_P(
    Shared, BindCharacters,
    testing::Values(
        Goal{"RobotExpressive/RobotExpressive.glb", 0.95}, Goal{"kaykit/Knight.glb", 0.95},
        Goal{"kaykit/Mage.glb", 0.95}, Goal{"khronos/CesiumMan/glTF-Binary/CesiumMan.glb", 0.95},
        Goal{"khronos/Fox/glTF-Binary/Fox.glb", 0.95}, Goal{"khronos/RiggedFigure/glTF-Binary/RiggedFigure.glb", 0.95},
        Goal{"khronos/RiggedSimple/glTF-Binary/RiggedSimple.glb", 0.95},
        Goal{"khronos/SimpleSkin/glTF/SimpleSkin.gltf", 0.95},
        Goal{"mannequiny/godot/assets/3d/mannequiny/mannequiny-0.3.0.glb", 0.95}, Goal{"webxr-hand/left.glb", 0.95},
        Goal{"modular_men-Casual.glb", 0.88}, Goal{"modular_men-King.glb", 0.95}, Goal{"modular_women-Witch.glb", 0.95},
        Goal{"cute_fish_pack-Puffer.glb", 0.88}, Goal{"platformer_game_pack-Bouncer.glb", 0.95},
        Goal{"ultimate_space_pack-Enemy_Small-transformed.glb", 0.95}, Goal{"mech_pack-Leela.glb", 0.75, true},
        Goal{"platformer_game_pack-Bee.glb", 0.75, true}, Goal{"raylib/robot.glb", 0.75, true}));

}  // namespace
}  // namespace pelt
