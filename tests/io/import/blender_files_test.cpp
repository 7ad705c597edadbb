// Files that Blender exported, against what Blender itself shows (tests/data/import/make_files.py).
#include <gtest/gtest.h>

#include "import_support.h"

using namespace pelt;

namespace {

constexpr double kBlenderFps = 24;
constexpr double kTolerance = 2e-5;  // meters, on bars three meters long; the files hold single precision

void expectTruth(const Character& character, const std::string& name) {
    const Frames truth = readTruth(name);
    EXPECT_LT(distanceToTruth(skinLinearly(character, truth.size(), kBlenderFps), truth), kTolerance);
    if (truth.size() > 1) {
        ASSERT_EQ(character.clips.size(), 1u);
        EXPECT_NEAR(character.clips[0].seconds(), double(truth.size() - 1) / kBlenderFps, 1e-5);
    }
}

}  // namespace

TEST(ImportFbx, ASkinnedBarMovesAsInBlender) {
    const auto [character, warnings] = io::importCharacter(importData("smooth_bar.fbx"));
    EXPECT_EQ(character.skeleton.joints.size(), 3u);
    EXPECT_TRUE(warnings.empty());
    expectTruth(character, "smooth_bar");
}

TEST(ImportFbx, SmoothVerticesAreTheControlPointsInTheirOrder) {
    const Character character = io::importCharacter(importData("smooth_bar.fbx")).character;
    const Frames truth = readTruth("smooth_bar");
    ASSERT_EQ(character.mesh.vertexCount(), truth[0].size());
    const Frames shown = skinLinearly(character, truth.size(), kBlenderFps);
    for (std::size_t f = 0; f < truth.size(); ++f)
        for (std::size_t v = 0; v < truth[f].size(); ++v) EXPECT_LT(length(shown[f][v] - truth[f][v]), kTolerance);
}

TEST(ImportFbx, PlacedScaledJointsOtherAxesAndUnitsMoveAsInBlender) {
    const auto [character, warnings] = io::importCharacter(importData("placed_bars.fbx"));
    expectTruth(character, "placed_bars");
    EXPECT_TRUE(warnings.empty());
    ASSERT_EQ(character.props.mesh.parts.size(), 1u) << "a mesh without a skin beside one with a skin";
    EXPECT_EQ(character.props.mesh.parts[0].name, "loose");
}

TEST(ImportFbx, VerticesStaySplitOnlyAtSeamsOfUvAndMaterial) {
    const Character character = io::importCharacter(importData("placed_bars.fbx")).character;
    ASSERT_EQ(character.mesh.parts.size(), 3u);
    EXPECT_EQ(character.mesh.parts[0].material, "material0");
    EXPECT_EQ(character.mesh.parts[1].material, "material1");
    // Rings of 6: material 0 covers rings 0 to 3, material 1 rings 3 to 6 and both caps; the seam adds one vertex a
    // ring, and the cap at ring 0 belongs to material 1.
    EXPECT_EQ(character.mesh.parts[0].vertex_count, 4 * 7u);
    EXPECT_EQ(character.mesh.parts[1].vertex_count, 4 * 7 + 6u);
    EXPECT_EQ(character.mesh.parts[2].vertex_count, 7 * 6u);
    EXPECT_EQ(character.mesh.parts[0].instance, character.mesh.parts[1].instance);
    EXPECT_NE(character.mesh.parts[1].instance, character.mesh.parts[2].instance);
    EXPECT_EQ(character.skeleton.joints.size(), 3u);
}

TEST(ImportFbx, MorphTargetsAndTheirAnimationComeIn) {
    const Character character = io::importCharacter(importData("morphing_bar.fbx")).character;
    ASSERT_EQ(character.mesh.morphs.size(), 2u);
    EXPECT_EQ(character.mesh.morphs[0].name, "wide");
    EXPECT_EQ(character.mesh.morphs[1].name, "tall");
    EXPECT_FLOAT_EQ(character.mesh.morphs[1].default_weight, 0.25f);
    EXPECT_EQ(character.mesh.morphs[1].vertices.size(), 2 * 6u);
    expectTruth(character, "morphing_bar");
}

TEST(ImportFbx, WithoutASkinItIsAPlainMesh) {
    const Character character = io::importCharacter(importData("static_bar.fbx")).character;
    EXPECT_TRUE(character.weights.empty());
    EXPECT_EQ(character.mesh.vertexCount(), 3 * 6u);
    expectTruth(character, "static_bar");
}

TEST(ImportFbx, WithoutAMeshOrAnAnimationItIsBadInput) {
    EXPECT_NE(importFault(importData("no_mesh.fbx")).find("it has no mesh and no animation"), std::string::npos);
}

TEST(ImportCollada, ASkinnedBarMovesAsInBlender) {
    const Character character = io::importCharacter(importData("smooth_bar.dae")).character;
    EXPECT_EQ(character.skeleton.joints.size(), 3u);
    EXPECT_EQ(character.mesh.vertexCount(), 7 * 6u);
    expectTruth(character, "smooth_bar");
}

TEST(ImportCollada, PlacedScaledJointsMoveAsInBlender) {
    expectTruth(io::importCharacter(importData("placed_bars.dae")).character, "placed_bars");
}

TEST(ImportCollada, WithoutASkinItIsAPlainMesh) {
    const Character character = io::importCharacter(importData("static_bar.dae")).character;
    EXPECT_TRUE(character.weights.empty());
    expectTruth(character, "static_bar");
}
