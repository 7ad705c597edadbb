// Joints, maps and data that leave an edited glTF file.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/rig/remove_joints.h>

#include "glb_maker.h"

namespace pelt::io::test {
namespace {

Loaded saved(const Character& character) { return loadGltf(toGlb(character), "saved.glb"); }
Character removedAndReloaded(const Character& character) { return saved(character).character; }

/// The strip with a third joint that no vertex uses, listed before the others.
GlbMaker makeStripWithIdleJoint() {
    GlbMaker maker = makeStrip();
    Json& json = maker.json;
    const std::size_t idle = json["nodes"].size();
    json["nodes"].push_back({{"name", "idle"}});
    json["nodes"][2]["children"] = {idle};
    Json& joints = json["skins"][0]["joints"];
    joints.insert(joints.begin(), idle);
    std::vector<float> matrices;
    for (const float y : {3.0F, 0.0F, -1.0F}) {
        const float matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, y, 0, 1};
        matrices.insert(matrices.end(), matrix, matrix + 16);
    }
    json["skins"][0]["inverseBindMatrices"] = maker.addFloats(matrices, "MAT4");
    std::vector<std::uint8_t> indices;
    for (int v = 0; v < 10; ++v) indices.insert(indices.end(), {1, 2, 0, 0});
    json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"] = maker.addBytes(indices, "VEC4");
    return maker;
}

TEST(GltfRemove, AJointLeavesTheSkinAndItsNodeStays) {
    Character c = makeStripWithIdleJoint().load();
    ASSERT_EQ(c.skeleton.joints.size(), 3u);
    const std::vector<bool> used = rig::jointsWithSkin(c);
    ASSERT_EQ(used, (std::vector{false, true, true}));
    const Character whole = c;
    rig::removeJoints(c, used);
    const Character back = removedAndReloaded(c);
    ASSERT_EQ(back.skeleton.joints.size(), 2u);
    EXPECT_EQ(back.weights, c.weights);
    EXPECT_EQ(rig::jointName(back.skeleton, 0), rig::jointName(whole.skeleton, 1));
    const auto before = rig::skinMatricesDouble(whole.skeleton, &whole.clips[0], 0.7),
               after = rig::skinMatricesDouble(back.skeleton, &back.clips[0], 0.7);
    for (std::size_t j = 0; j < 2; ++j) EXPECT_EQ(before[j + 1], after[j]);
    const Json json = jsonOf(toGlb(c));
    EXPECT_EQ(json["skins"][0]["joints"].size(), 2u);
    EXPECT_EQ(json["nodes"].back()["name"], "idle");
    EXPECT_EQ(json["accessors"][json["skins"][0]["inverseBindMatrices"].get<std::size_t>()]["count"], 2);
}

TEST(GltfRemove, AJointWithVerticesStays) {
    Character c = makeStripWithIdleJoint().load();
    EXPECT_THROW(rig::removeJoints(c, {true, false, true}), Error);
    EXPECT_EQ(c.skeleton.joints.size(), 3u);
}

TEST(GltfRemove, ChangedAndNewMapsAreWritten) {
    GlbMaker maker = makeStrip();
    std::vector<float> map(10, 0.25F);
    maker.json["meshes"][0]["primitives"][0]["attributes"]["_LAMBDA"] = maker.addFloats(map, "SCALAR");
    Character c = maker.load();
    ASSERT_EQ(c.mesh.attributes.size(), 1u);
    c.mesh.attributes[0].values[3] = 0.75F;
    c.mesh.attributes.push_back({"_NEW", std::vector<float>(10, 0.5F)});
    const Character back = removedAndReloaded(c);
    ASSERT_EQ(back.mesh.attributes.size(), 2u);
    EXPECT_EQ(back.mesh.attributes[0].values, c.mesh.attributes[0].values);
    EXPECT_EQ(back.mesh.attributes[1].values, c.mesh.attributes[1].values);
}

TEST(GltfRemove, DataThatNothingRefersToIsLeftOutOnRequest) {
    GlbMaker maker = makeStripWithIdleJoint();
    maker.json.erase("extensionsUsed");
    maker.json.erase("extensionsRequired");
    Character c = maker.load();
    c.clips[0].channels[0].values[2] = 0.6F;
    c.clips[0].channels[0].values[3] = 0.8F;
    const std::size_t with_all = toGlb(c).size();
    leaveOutUnused(c);
    const std::vector<std::byte> lean = toGlb(c);
    EXPECT_LT(lean.size(), with_all);
    expectEqual(loadGltf(lean, "lean.glb").character, c);
    const Json json = jsonOf(lean);
    std::vector<bool> used(json["accessors"].size(), false);
    for (const Json& accessor : json["meshes"][0]["primitives"][0]["attributes"]) used[accessor] = true;
    used[json["meshes"][0]["primitives"][0]["indices"]] = true;
    used[json["skins"][0]["inverseBindMatrices"]] = true;
    for (const Json& sampler : json["animations"][0]["samplers"])
        used[sampler["input"]] = used[sampler["output"]] = true;
    EXPECT_EQ(used, std::vector<bool>(used.size(), true)) << json.dump(1);
}

TEST(GltfRemove, ExtensionsThatMayReferToDataKeepItAll) {
    GlbMaker maker = makeStripWithIdleJoint();
    maker.json["extensionsUsed"] = {"ACME_accessors"};
    Character c = maker.load();
    leaveOutUnused(c);
    EXPECT_EQ(toGlb(c), maker.bytes());
}

TEST(GltfRemove, WeightsThatDoNotSumToOneAreWrittenNormalized) {
    GlbMaker maker = makeStrip();
    std::vector<float> rows;
    for (int v = 0; v < 10; ++v) rows.insert(rows.end(), {1.0F, 0.5F, 0, 0});
    maker.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = maker.addFloats(rows, "VEC4");
    Character c = maker.load();
    leaveOutUnused(c);
    const auto [back, warnings] = saved(c);
    EXPECT_TRUE(warnings.empty()) << warnings.front();
    EXPECT_NEAR(back.weights.weightsOf(0)[0], 2.0 / 3, 1e-6);
}

}  // namespace
}  // namespace pelt::io::test
