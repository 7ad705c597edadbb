// Reading glTF.
#include <gtest/gtest.h>
#include <pelt/core/error.h>

#include <cmath>

#include "glb_maker.h"

namespace pelt::io::test {
namespace {

Json& primitiveOf(GlbMaker& maker, std::size_t index = 0) { return maker.json["meshes"][0]["primitives"][index]; }
Json& attributesOf(GlbMaker& maker) { return primitiveOf(maker)["attributes"]; }

std::string messageOf(const GlbMaker& maker) {
    try {
        maker.load();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        return error.what();
    }
    return "";
}

TEST(GltfRead, ReadsMeshSkeletonWeightsAndClip) {
    const auto [c, warnings] = makeStrip().loaded();
    ASSERT_EQ(c.mesh.vertexCount(), 10U);
    EXPECT_EQ(c.mesh.positions[9], (Vec3f{0.5F, 2, 0}));
    EXPECT_EQ(c.mesh.triangles.size(), 8U);
    EXPECT_EQ(c.mesh.triangles[0], (Triangle{0, 1, 2}));
    ASSERT_EQ(c.mesh.parts.size(), 1U);
    EXPECT_EQ(c.mesh.parts[0].name, "strip");
    EXPECT_EQ(c.mesh.parts[0].material, "skin");
    ASSERT_EQ(c.skeleton.joints.size(), 2U);
    EXPECT_EQ(rig::jointName(c.skeleton, 1), "upper");
    EXPECT_EQ(c.skeleton.joints[1].inverse_bind.m[13], -1);
    EXPECT_EQ(c.weights.jointsOf(9)[0], 1U);
    EXPECT_EQ(c.weights.weightsOf(9)[0], 0.75F);
    ASSERT_EQ(c.clips.size(), 1U);
    EXPECT_EQ(c.clips[0].name, "bend");
    EXPECT_EQ(c.clips[0].last_key, 1);
    EXPECT_TRUE(warnings.empty());
}

TEST(GltfRead, SparseValuesReplaceElements) {
    GlbMaker maker = makeStrip();
    const auto indices = maker.addView(std::vector<std::uint8_t>{3, 7});
    const auto values = maker.addView(std::vector<float>{9, 8, 7, 6, 5, 4});
    maker.json["accessors"][0]["sparse"] = {{"count", 2},
                                            {"indices", {{"bufferView", indices}, {"componentType", 5121}}},
                                            {"values", {{"bufferView", values}}}};
    const Character c = maker.load();
    EXPECT_EQ(c.mesh.positions[3], (Vec3f{9, 8, 7}));
    EXPECT_EQ(c.mesh.positions[7], (Vec3f{6, 5, 4}));
    EXPECT_EQ(c.mesh.positions[9], (Vec3f{0.5F, 2, 0}));
}

TEST(GltfRead, AnAccessorWithoutAViewIsZerosUnderSparseValues) {
    GlbMaker maker = makeStrip();
    const auto indices = maker.addView(std::vector<std::uint16_t>{4});
    const auto values = maker.addView(std::vector<float>{1, 2, 3});
    attributesOf(maker)["POSITION"] =
        maker.addAccessor({{"componentType", 5126},
                           {"count", 10},
                           {"type", "VEC3"},
                           {"sparse",
                            {{"count", 1},
                             {"indices", {{"bufferView", indices}, {"componentType", 5123}}},
                             {"values", {{"bufferView", values}}}}}});
    const Character c = maker.load();
    EXPECT_EQ(c.mesh.positions[4], (Vec3f{1, 2, 3}));
    EXPECT_EQ(c.mesh.positions[5], (Vec3f{}));
}

TEST(GltfRead, InterleavedAttributesShareAView) {
    GlbMaker maker = makeStrip();
    std::vector<float> mixed;
    for (int v = 0; v < 10; ++v) {
        const auto f = static_cast<float>(v);
        mixed.insert(mixed.end(), {f, f + 0.5F, -f, 0, 1, 0});
    }
    const auto view = maker.addView(mixed, {{"byteStride", 24}});
    attributesOf(maker)["POSITION"] =
        maker.addAccessor({{"bufferView", view}, {"componentType", 5126}, {"count", 10}, {"type", "VEC3"}});
    attributesOf(maker)["NORMAL"] = maker.addAccessor(
        {{"bufferView", view}, {"byteOffset", 12}, {"componentType", 5126}, {"count", 10}, {"type", "VEC3"}});
    const Character c = maker.load();
    EXPECT_EQ(c.mesh.positions[6], (Vec3f{6, 6.5F, -6}));
    EXPECT_EQ(c.mesh.normals[6], (Vec3f{0, 1, 0}));
}

TEST(GltfRead, QuantisedNumbersFollowTheNormalizationRules) {
    GlbMaker maker = makeStrip();
    std::vector<std::int16_t> positions;
    for (int v = 0; v < 10; ++v) positions.insert(positions.end(), {32767, -32768, 16384, 0});
    const auto view = maker.addView(positions, {{"byteStride", 8}});
    attributesOf(maker)["POSITION"] = maker.addAccessor(
        {{"bufferView", view}, {"componentType", 5122}, {"count", 10}, {"type", "VEC3"}, {"normalized", true}});
    std::vector<std::int8_t> normals;
    for (int v = 0; v < 10; ++v) normals.insert(normals.end(), {0, -128, 0, 0});
    attributesOf(maker)["NORMAL"] = maker.addAccessor({{"bufferView", maker.addView(normals, {{"byteStride", 4}})},
                                                       {"componentType", 5120},
                                                       {"count", 10},
                                                       {"type", "VEC3"},
                                                       {"normalized", true}});
    attributesOf(maker)["WEIGHTS_0"] =
        maker.addBytes(std::vector<std::uint8_t>(40, 51), "VEC4", {{"normalized", true}});
    maker.json["extensionsRequired"] = {"KHR_mesh_quantization"};
    const auto [c, warnings] = maker.loaded();
    EXPECT_EQ(c.mesh.positions[0], (Vec3f{1, -1, 16384.0F / 32767.0F}));
    EXPECT_EQ(c.mesh.normals[0], (Vec3f{0, -1, 0}));
    // 4 x 51/255 = 0.8 is more than a hundredth off, and says so once.
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("10 vertices"), std::string::npos) << warnings[0];
    EXPECT_NE(warnings[0].find("0.8"), std::string::npos) << warnings[0];
    float sum = 0;
    for (const float w : c.weights.weightsOf(0)) sum += w;
    EXPECT_FLOAT_EQ(sum, 1);
}

TEST(GltfRead, StripsAndFansBecomeTrianglesOfTheSameWinding) {
    GlbMaker maker = makeStrip();
    primitiveOf(maker)["indices"] = maker.addShorts({0, 1, 2, 3, 3, 4}, "SCALAR");
    primitiveOf(maker)["mode"] = 5;
    EXPECT_EQ(maker.load().mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {1, 3, 2}}));
    primitiveOf(maker)["indices"] = maker.addShorts({0, 1, 3, 2}, "SCALAR");
    primitiveOf(maker)["mode"] = 6;
    EXPECT_EQ(maker.load().mesh.triangles, (std::vector<Triangle>{{1, 3, 0}, {3, 2, 0}}));
}

TEST(GltfRead, PointsAndLinesKeepTheirVertices) {
    GlbMaker maker = makeStrip();
    primitiveOf(maker)["mode"] = 1;
    const Character c = maker.load();
    EXPECT_EQ(c.mesh.vertexCount(), 10U);
    EXPECT_TRUE(c.mesh.triangles.empty());
}

TEST(GltfRead, WithoutIndicesEveryThreeVerticesAreATriangle) {
    GlbMaker maker = makeStrip();
    primitiveOf(maker).erase("indices");
    EXPECT_EQ(maker.load().mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}));
}

TEST(GltfRead, SeveralSkinsShareEqualSlotsAndSplitUnequalOnes) {
    GlbMaker maker = makeStrip();
    maker.json["skins"].push_back({{"joints", {2, 1}}});  // identity binds: joint 1's equals, joint 2's differs
    maker.json["nodes"].push_back({{"name", "twin"}, {"mesh", 0}, {"skin", 1}});
    const Character c = maker.load();
    EXPECT_EQ(c.mesh.vertexCount(), 20U);
    ASSERT_EQ(c.skeleton.joints.size(), 3U);
    EXPECT_EQ(c.skeleton.joints[2].node, c.skeleton.joints[1].node);
    EXPECT_EQ(c.weights.jointsOf(0)[0], 0U);   // first skin: joint 0 is node 1
    EXPECT_EQ(c.weights.jointsOf(10)[0], 2U);  // second skin: joint 0 is node 2 with the identity
    EXPECT_EQ(c.weights.jointsOf(19)[0], 0U);
    EXPECT_EQ(c.mesh.parts[1].instance, 1U);
}

TEST(GltfRead, SkinsThatShareAJointAreOneBody) {
    GlbMaker maker = makeStrip();
    maker.json["nodes"].push_back({{"mesh", 0}, {"skin", 1}});
    maker.json["nodes"].push_back({{"mesh", 0}, {"skin", 2}});
    maker.json["nodes"].push_back({{"name", "other"}});
    Json same = maker.json["skins"][0];
    maker.json["skins"].push_back(same);
    maker.json["skins"].push_back({{"joints", {maker.json["nodes"].size() - 1, maker.json["nodes"].size() - 1}}});
    for (std::size_t n = 3; n < maker.json["nodes"].size(); ++n) maker.json["scenes"][0]["nodes"].push_back(n);
    const Mesh mesh = maker.load().mesh;
    ASSERT_EQ(mesh.parts.size(), 3u);
    EXPECT_EQ(mesh.parts[0].body, mesh.parts[1].body);
    EXPECT_NE(mesh.parts[0].body, mesh.parts[2].body);
}

TEST(GltfRead, EightInfluencesComeFromTwoSets) {
    GlbMaker maker = makeStrip();
    for (int j = 0; j < 6; ++j) maker.json["nodes"].push_back({{"name", "extra"}});
    maker.json["nodes"][1]["children"] = {2, 4, 5, 6, 7, 8, 9};
    maker.json["skins"][0] = {{"joints", {1, 2, 4, 5, 6, 7, 8, 9}}};
    std::vector<std::uint16_t> first, second;
    for (int v = 0; v < 10; ++v) {
        first.insert(first.end(), {0, 1, 2, 3});
        second.insert(second.end(), {4, 5, 6, 7});
    }
    attributesOf(maker)["JOINTS_0"] = maker.addShorts(first, "VEC4");
    attributesOf(maker)["JOINTS_1"] = maker.addShorts(second, "VEC4");
    attributesOf(maker)["WEIGHTS_0"] = maker.addFloats(std::vector<float>(40, 0.125F), "VEC4");
    attributesOf(maker)["WEIGHTS_1"] = maker.addFloats(std::vector<float>(40, 0.125F), "VEC4");
    const Character c = maker.load();
    ASSERT_EQ(c.weights.influenceCount(3), 8U);
    EXPECT_EQ(c.weights.jointsOf(3)[7], 7U);
    EXPECT_EQ(c.weights.weightsOf(3)[7], 0.125F);
}

TEST(GltfRead, MissingInverseBindMatricesAreTheIdentity) {
    GlbMaker maker = makeStrip();
    maker.json["skins"][0].erase("inverseBindMatrices");
    maker.json["nodes"][2].erase("translation");
    const Character c = maker.load();
    EXPECT_TRUE(isIdentity(c.skeleton.joints[0].inverse_bind));
    EXPECT_TRUE(isIdentity(c.skeleton.joints[1].inverse_bind));
}

TEST(GltfRead, MatrixNodesAndEveryAncestorCount) {
    GlbMaker maker = makeStrip();
    // A mirrored matrix above the joints, on a node that is no joint and in no scene.
    maker.json["nodes"].push_back({{"children", {1}}, {"matrix", {-1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1}}});
    maker.json["scenes"][0]["nodes"] = {0};
    const Character c = maker.load();
    ASSERT_EQ(c.skeleton.nodes.size(), 3U);
    EXPECT_EQ(c.skeleton.nodes[0].name, "node_4");
    EXPECT_TRUE(c.skeleton.nodes[0].matrix.has_value());
    EXPECT_EQ(c.skeleton.nodes[0].local.scale.y, 2);
    const auto bones = rig::skinMatricesDouble(c.skeleton, nullptr, 0);
    const Vec3d p = bones[0] * (c.from_file.at(0) * Vec3d{1, 1, 1});
    EXPECT_NEAR(length(p - Vec3d{4, 2, 1}), 0, 1e-12);
    // The nearest TRS of a mirrored matrix is that matrix.
    const Affine3d trs = toAffine(c.skeleton.nodes[0].local);
    for (int i = 0; i < 16; ++i) EXPECT_NEAR(trs.m[i], c.skeleton.nodes[0].matrix->m[i], 1e-12);
}

TEST(GltfRead, TheMeshNodesOwnTransformIsIgnoredForASkin) {
    GlbMaker maker = makeStrip();
    maker.json["nodes"][0]["translation"] = {100.0, 0.0, 0.0};
    EXPECT_EQ(maker.load().mesh.positions[0].x, -0.5F);
}

TEST(GltfRead, CubicSplinesKeepTheirTangents) {
    GlbMaker maker = makeStrip();
    maker.json["animations"][0]["samplers"][0]["interpolation"] = "CUBICSPLINE";
    maker.json["animations"][0]["samplers"][0]["output"] =
        maker.addFloats({0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0}, "VEC4");
    const Character c = maker.load();
    ASSERT_EQ(c.clips[0].channels.size(), 1U);
    EXPECT_EQ(c.clips[0].channels[0].interpolation, Interpolation::cubic_spline);
    EXPECT_EQ(c.clips[0].channels[0].values.size(), 24U);
    EXPECT_EQ(c.clips[0].channels[0].values[10], 1);
}

TEST(GltfRead, ChannelsOfOtherNodesOnlyStretchTheClip) {
    GlbMaker maker = makeStrip();
    const auto input = maker.addFloats({0, 3}, "SCALAR");
    const auto output = maker.addFloats({0, 0, 0, 1, 1, 1}, "VEC3");
    Json& animation = maker.json["animations"][0];
    animation["samplers"].push_back({{"input", input}, {"output", output}});
    animation["channels"].push_back({{"sampler", 1}, {"target", {{"node", 3}, {"path", "translation"}}}});
    animation["channels"].push_back({{"sampler", 1}, {"target", {{"path", "pointer"}}}});
    const Character c = maker.load();
    EXPECT_EQ(c.clips[0].channels.size(), 1U);
    EXPECT_EQ(c.clips[0].last_key, 3);
}

TEST(GltfRead, MorphTargetsListOnlyVerticesThatMove) {
    GlbMaker maker = makeStrip();
    std::vector<float> offsets(30, 0.0F);
    offsets[3 * 4 + 2] = 1;
    primitiveOf(maker)["targets"] = Json::array({{{"POSITION", maker.addFloats(offsets, "VEC3")}}});
    maker.json["meshes"][0]["weights"] = {0.25};
    maker.json["meshes"][0]["extras"] = {{"targetNames", {"bulge"}}};
    maker.json["nodes"][0]["weights"] = {0.5};
    const auto output = maker.addFloats({0, 1}, "SCALAR");
    maker.json["animations"][0]["samplers"].push_back({{"input", 7}, {"output", output}});
    maker.json["animations"][0]["channels"].push_back({{"sampler", 1}, {"target", {{"node", 0}, {"path", "weights"}}}});
    const Character c = maker.load();
    ASSERT_EQ(c.mesh.morphs.size(), 1U);
    EXPECT_EQ(c.mesh.morphs[0].name, "bulge");
    EXPECT_EQ(c.mesh.morphs[0].default_weight, 0.5F);
    EXPECT_EQ(c.mesh.morphs[0].vertices, (std::vector<std::uint32_t>{4}));
    EXPECT_EQ(c.mesh.morphs[0].position_offsets[0], (Vec3f{0, 0, 1}));
    ASSERT_EQ(c.clips[0].channels.size(), 2U);
    EXPECT_EQ(c.clips[0].channels[1].path, ChannelPath::morph_weights);
    EXPECT_EQ(c.clips[0].channels[1].width, 1U);
}

TEST(GltfRead, WithoutASkinMeshesComeInRootSpaceAndMirrorsFlipTriangles) {
    GlbMaker maker = makeStrip();
    maker.json["nodes"][0] = {
        {"name", "body"}, {"mesh", 0}, {"scale", {-2.0, 1.0, 1.0}}, {"translation", {0.0, 3.0, 0.0}}};
    const auto [c, warnings] = maker.loaded();
    EXPECT_EQ(c.mesh.positions[0], (Vec3f{1, 3, 0}));
    EXPECT_EQ(c.mesh.normals[0], (Vec3f{0, 0, 1}));
    EXPECT_EQ(c.mesh.triangles[0], (Triangle{0, 2, 1}));
    EXPECT_TRUE(c.weights.empty());
    EXPECT_EQ(c.skeleton.joints.size(), 2U);  // the unused skin still gives a skeleton to bind to
    EXPECT_TRUE(warnings.empty());
}

TEST(GltfRead, PaintedMapsAreScalarsByName) {
    GlbMaker maker = makeStrip();
    attributesOf(maker)["_LAMBDA"] = maker.addFloats({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, "SCALAR");
    attributesOf(maker)["_DIRECTION"] = maker.addFloats(std::vector<float>(30, 1), "VEC3");
    const Character c = maker.load();
    ASSERT_EQ(c.mesh.attributes.size(), 1U);
    EXPECT_EQ(c.mesh.attributes[0].name, "_LAMBDA");
    EXPECT_EQ(c.mesh.attributes[0].values[9], 9);
}

TEST(GltfRead, AVertexWithoutWeightFollowsItsNeighborsWithAWarning) {
    GlbMaker maker = makeStrip();
    std::vector<float> weights(40, 0.0F);
    for (std::size_t v = 0; v < 9; ++v) weights[v * 4] = 1;
    attributesOf(maker)["WEIGHTS_0"] = maker.addFloats(weights, "VEC4");
    const auto [c, warnings] = maker.loaded();
    ASSERT_EQ(c.weights.influenceCount(9), 1U);
    EXPECT_EQ(c.weights.jointsOf(9)[0], 1U);  // the upper joint, not the first of the skin
    EXPECT_EQ(c.weights.weightsOf(9)[0], 1);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("1 vertex had no valid weight"), std::string::npos) << warnings[0];
}

TEST(GltfRead, NegativeWeightsCountAsZeroWithAWarning) {
    GlbMaker maker = makeStrip();
    std::vector<float> weights(40, 0.0F);
    for (std::size_t v = 0; v < 10; ++v) weights[v * 4] = 1, weights[v * 4 + 1] = -0.5F;
    attributesOf(maker)["WEIGHTS_0"] = maker.addFloats(weights, "VEC4");
    const auto [c, warnings] = maker.loaded();
    EXPECT_EQ(c.weights.influenceCount(0), 1U);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("negative"), std::string::npos);
}

TEST(GltfRead, FaultsNameTheirPlace) {
    GlbMaker maker = makeStrip();
    maker.json["accessors"][0]["bufferView"] = 99;
    EXPECT_EQ(messageOf(maker),
              "made.glb: accessors[0].bufferView: bufferViews[99] does not exist (the file has 9); re-export the file");
    maker = makeStrip();
    maker.json["accessors"][0]["count"] = 1000000000;
    EXPECT_NE(messageOf(maker).find("accessors[0]"), std::string::npos);
    maker = makeStrip();
    maker.json["nodes"][2]["children"] = {1};
    EXPECT_NE(messageOf(maker).find("cycle"), std::string::npos);
    maker = makeStrip();
    maker.json["extensionsRequired"] = {"KHR_texture_transform", "ACME_bones"};
    EXPECT_NE(messageOf(maker).find("'ACME_bones'"), std::string::npos);
    maker = makeStrip();
    primitiveOf(maker)["indices"] = maker.addShorts({0, 1, 10}, "SCALAR");
    EXPECT_NE(messageOf(maker).find("index 2 refers to vertex 10, but there are 10"), std::string::npos)
        << messageOf(maker);
    maker = makeStrip();
    attributesOf(maker)["JOINTS_0"] = maker.addBytes(std::vector<std::uint8_t>(40, 2), "VEC4");
    EXPECT_NE(messageOf(maker).find("joints that the skin does not have (it has 2)"), std::string::npos);
    maker = makeStrip();
    std::vector<float> positions(30, 0.0F);
    for (std::size_t v = 4; v < 10; ++v) positions[3 * v] = std::nanf("");
    attributesOf(maker)["POSITION"] = maker.addFloats(positions, "VEC3");
    EXPECT_NE(messageOf(maker).find("POSITION: vertex 4 and others (6 of 10) are not finite"), std::string::npos)
        << messageOf(maker);
}

TEST(GltfRead, AHugeCountWithoutDataIsRefused) {
    GlbMaker maker = makeStrip();
    attributesOf(maker) = {
        {"POSITION", maker.addAccessor({{"componentType", 5126}, {"count", 4000000000U}, {"type", "VEC3"}})}};
    EXPECT_NE(messageOf(maker).find("without data"), std::string::npos);
}

TEST(GltfRead, DeeplyNestedJsonIsRefused) {
    const std::string bomb = std::string(100000, '[');
    EXPECT_THROW(loadGltf(std::as_bytes(std::span(bomb)), "bomb.gltf"), Error);
}

}  // namespace
}  // namespace pelt::io::test
