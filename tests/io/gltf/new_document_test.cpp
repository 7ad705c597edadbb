// New glTF documents of a character.
#include <gtest/gtest.h>
#include <pelt/core/error.h>

#include "glb_maker.h"

namespace pelt::io::test {
namespace {

Character withoutSource(Character character) {
    character.source = nullptr;
    return character;
}

/// Two instances, the first with two parts, morphs, a painted map, tangents and every kind of channel.
Character makeRich() {
    Character c = withoutSource(makeStrip().load());
    Mesh& mesh = c.mesh;
    mesh.parts = {{"strip#0", "skin", 0, 4, 0, 2, 0}, {"strip#1", "cloth", 4, 4, 2, 2, 0}, {"tip", "", 8, 2, 4, 0, 1}};
    mesh.triangles = {{0, 1, 2}, {1, 3, 2}, {4, 5, 6}, {5, 7, 6}};
    mesh.tangents.assign(10, Vec4f{1, 0, 0, -1});
    mesh.attributes = {{"_LAMBDA", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}};
    mesh.morphs = {{"bulge", 0, 0.25F, {1, 5}, {{0, 0, 1}, {0, 0, 2}}, {{0, 1, 0}, {1, 0, 0}}},
                   {"all", 0, 0, {0, 1, 2, 3, 4, 5, 6, 7}, std::vector<Vec3f>(8, Vec3f{1, 2, 3}), {}},
                   {"nothing", 1, 1, {}, {}, {}}};
    Clip& clip = c.clips[0];
    clip.channels.push_back({ChannelPath::scale, 0, Interpolation::step, 3, {0, 0.5F}, {1, 1, 1, 2, 2, 2}});
    clip.channels.push_back({ChannelPath::translation,
                             1,
                             Interpolation::cubic_spline,
                             3,
                             {0, 1},
                             {0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0}});
    clip.channels.push_back({ChannelPath::morph_weights, 0, Interpolation::linear, 2, {0, 1}, {0, 0, 1, 1}});
    return c;
}

TEST(GltfNewDocument, EverythingOfACharacterComesBack) {
    const Character c = makeRich();
    const auto [back, warnings] = loadGltf(toGlb(c), "new.glb");
    EXPECT_TRUE(warnings.empty());
    expectEqual(back, c);
    expectEqual(loadGltf(toGlb(withoutSource(back)), "again.glb").character, c);
}

TEST(GltfNewDocument, TextAndBinaryFilesSayTheSame) {
    const TemporaryFolder folder;
    saveCharacter(makeRich(), folder / "a.gltf");
    EXPECT_TRUE(std::filesystem::exists(folder / "a.bin"));
    expectEqual(loadCharacter(folder / "a.gltf").character, makeRich());
}

TEST(GltfNewDocument, ASkeletonWithoutWeightsIsKept) {
    Character c = makeRich();
    c.weights = {};
    expectEqual(loadGltf(toGlb(c), "new.glb").character, c);
}

TEST(GltfNewDocument, PartsThatDoNotCoverTheMeshAreWrittenAsOne) {
    Character c = makeRich();
    c.mesh.parts.pop_back();
    c.mesh.morphs.pop_back();
    const Character back = loadGltf(toGlb(c), "new.glb").character;
    EXPECT_EQ(back.mesh.parts.size(), 1U);
    EXPECT_EQ(back.mesh.positions, c.mesh.positions);
    EXPECT_EQ(back.weights, c.weights);
}

TEST(GltfNewDocument, NamesMayBeAnyBytes) {
    Character c = makeRich();
    c.skeleton.nodes[0].name = "\xFF\xFE broken";
    EXPECT_NO_THROW(loadGltf(toGlb(c), "new.glb"));
}

TEST(GltfNewDocument, NumbersThatAreNotFiniteAreRefused) {
    Character c = makeRich();
    c.mesh.positions[2].y = std::nanf("");
    EXPECT_THROW(toGlb(c), Error);
    c = makeRich();
    c.skeleton.nodes[0].local.translation.x = INFINITY;
    EXPECT_THROW(toGlb(c), Error);
}

}  // namespace
}  // namespace pelt::io::test
