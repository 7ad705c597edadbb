// What is repaired while a glTF file is read.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/rig/props.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "glb_maker.h"

/// Faults that viewers tolerate: they are repaired with one warning, and saved files are valid.
namespace pelt::io::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinite = std::numeric_limits<float>::infinity();

Json& attributesIn(GlbMaker& maker) { return maker.json["meshes"][0]["primitives"][0]["attributes"]; }
Json& samplerIn(GlbMaker& maker) { return maker.json["animations"][0]["samplers"][0]; }

/// The strip with four numbers in place of the weights of some vertices.
GlbMaker stripWithWeights(const std::map<std::size_t, std::array<float, 4>>& rows) {
    GlbMaker maker = makeStrip();
    std::vector<float> weights;
    for (std::size_t v = 0; v < 10; ++v) {
        const auto row = rows.find(v);
        for (std::size_t i = 0; i < 4; ++i)
            weights.push_back(row != rows.end() ? row->second[i] : i == 0 ? 0.75F : i == 1 ? 0.25F : 0.0F);
    }
    attributesIn(maker)["WEIGHTS_0"] = maker.addFloats(weights, "VEC4");
    return maker;
}

/// Loads it with one warning that says this.
Character mended(const GlbMaker& maker, const std::string& words) {
    Loaded loaded = maker.loaded();
    EXPECT_EQ(loaded.warnings.size(), 1U) << words;
    for (const std::string& warning : loaded.warnings) EXPECT_NE(warning.find(words), std::string::npos) << warning;
    return std::move(loaded.character);
}

void expectSound(const Character& c) {
    for (std::size_t v = 0; v < c.weights.vertexCount(); ++v) {
        double sum = 0;
        for (const float w : c.weights.weightsOf(v)) {
            EXPECT_TRUE(std::isfinite(w) && w > 0);
            sum += double(w);
        }
        EXPECT_NEAR(sum, 1, 1e-6) << v;
    }
    for (const Vec3f& p : c.mesh.positions) EXPECT_TRUE(isFinite(p));
    for (const Clip& clip : c.clips)
        for (const Channel& channel : clip.channels)
            for (std::size_t k = 1; k < channel.times.size(); ++k) EXPECT_GT(channel.times[k], channel.times[k - 1]);
}

/// No float of the file is left that is not finite, used or not.
void expectFiniteFloats(std::span<const std::byte> glb) {
    const Json json = jsonOf(glb);
    const std::size_t binary = glb.size() - json["buffers"][0]["byteLength"].get<std::size_t>();
    for (const Json& accessor : json["accessors"]) {
        if (accessor["componentType"] != 5126) continue;
        const Json& view = json["bufferViews"][accessor["bufferView"].get<std::size_t>()];
        for (std::size_t i = 0; i + 4 <= view["byteLength"].get<std::size_t>(); i += 4) {
            float value = 0;
            std::memcpy(&value, glb.data() + binary + view.value("byteOffset", std::size_t(0)) + i, 4);
            EXPECT_TRUE(std::isfinite(value));
        }
    }
}

/// Saved unchanged, the file is valid and needs no repair.
Character savedAndLoaded(const Character& c) {
    expectSound(c);
    expectFiniteFloats(toGlb(c));
    Loaded again = loadGltf(toGlb(c), "again.glb");
    EXPECT_TRUE(again.warnings.empty()) << again.warnings.front();
    expectEqual(again.character, c);
    return std::move(again.character);
}

TEST(GltfMend, WeightsThatAreNotFiniteGoAndTheOthersAreNormalized) {
    const Character c = mended(stripWithWeights({{4, {0.5F, kNan, 0, 0}}, {5, {kInfinite, 1, 0, 0}}}),
                               "2 vertices had weights that are not finite");
    ASSERT_EQ(c.weights.influenceCount(4), 1U);
    EXPECT_EQ(c.weights.jointsOf(4)[0], 0U);
    EXPECT_EQ(c.weights.jointsOf(5)[0], 1U);
    savedAndLoaded(c);
}

TEST(GltfMend, AVertexWithoutSoundWeightsTakesTheMeanOfItsNeighbors) {
    const Character c =
        mended(stripWithWeights({{9, {kNan, kNan, kNan, kNan}}, {8, {0, 0, 0, 0}}}), "2 vertices had no valid weight");
    for (const std::size_t v : {8, 9}) {
        ASSERT_EQ(c.weights.influenceCount(v), 2U);
        EXPECT_EQ(c.weights.jointsOf(v)[0], 1U);
        EXPECT_NEAR(c.weights.weightsOf(v)[0], 0.75F, 1e-6F);
    }
    savedAndLoaded(c);
}

TEST(GltfMend, ACopyAtTheSamePlaceLendsItsRow) {
    GlbMaker maker = stripWithWeights({{9, {0, 0, 0, 0}}});
    std::vector<float> positions;
    for (int v = 0; v < 10; ++v) positions.insert(positions.end(), {v % 2 ? 0.5F : -0.5F, 0.5F * float(v / 2), 0});
    for (int i = 0; i < 3; ++i) positions[27 + std::size_t(i)] = positions[std::size_t(i)];  // vertex 9 lies on 0
    attributesIn(maker)["POSITION"] = maker.addFloats(positions, "VEC3");
    const Character c = maker.load();
    EXPECT_EQ(c.weights.jointsOf(9)[0], 0U);
    EXPECT_EQ(c.weights.weightsOf(9)[0], 0.75F);
}

TEST(GltfMend, APieceWithoutAnyWeightFollowsTheNearestVertex) {
    // The last face is a separate piece, not connected to the others.
    std::map<std::size_t, std::array<float, 4>> rows;
    for (const std::size_t v : {7, 8, 9}) rows[v] = {0, 0, 0, 0};
    rows[5] = {0.25F, 0.75F, 0, 0};  // the nearest, below vertex 7
    GlbMaker maker = stripWithWeights(rows);
    maker.json["meshes"][0]["primitives"][0]["indices"] = maker.addShorts({0, 1, 2, 4, 5, 6, 7, 9, 8}, "SCALAR");
    const Character c = mended(maker, "3 vertices had no valid weight");
    for (const std::size_t v : {7, 8, 9}) EXPECT_EQ(c.weights.jointsOf(v)[0], 1U) << v;
    savedAndLoaded(c);
}

TEST(GltfMend, JointsBeyondTheSkinAreIgnoredWithoutWeightAndLeftOutWithIt) {
    GlbMaker maker = makeStrip();
    std::vector<std::uint8_t> joints;
    for (int v = 0; v < 10; ++v) joints.insert(joints.end(), {0, 1, 200, 255});
    attributesIn(maker)["JOINTS_0"] = maker.addBytes(joints, "VEC4");
    EXPECT_TRUE(maker.loaded().warnings.empty());
    joints[1] = 9;
    attributesIn(maker)["JOINTS_0"] = maker.addBytes(joints, "VEC4");
    const Character c = mended(maker, "1 vertex had weights on joints that the skin does not have");
    EXPECT_EQ(c.weights.influenceCount(0), 1U);
    savedAndLoaded(c);
}

TEST(GltfMend, JointsMayBeWholeNumbersInFloats) {
    GlbMaker maker = makeStrip();
    std::vector<float> joints;
    for (int v = 0; v < 10; ++v) joints.insert(joints.end(), {v < 6 ? 0.0F : 1.0F, v < 6 ? 1.0F : 0.0F, 0, 0});
    attributesIn(maker)["JOINTS_0"] = maker.addFloats(joints, "VEC4");
    EXPECT_EQ(maker.load().weights, makeStrip().load().weights);
    joints[0] = 0.5F;
    attributesIn(maker)["JOINTS_0"] = maker.addFloats(joints, "VEC4");
    EXPECT_THROW(maker.load(), Error);
}

TEST(GltfMend, WeightsWithoutJointsAreLeftOut) {
    GlbMaker maker = makeStrip();
    attributesIn(maker)["WEIGHTS_1"] = attributesIn(maker)["WEIGHTS_0"];
    const Character c = mended(maker, "no counterpart");
    EXPECT_EQ(c.weights, makeStrip().load().weights);
}

TEST(GltfMend, KeysAreSortedAndOfEqualTimesTheLastCounts) {
    GlbMaker maker = makeStrip();
    const float h = std::sqrt(0.5F);
    samplerIn(maker)["input"] = maker.addFloats({2, 0, 1, 1, 1}, "SCALAR");
    samplerIn(maker)["output"] = maker.addFloats({0, 0, h, h, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0}, "VEC4");
    auto [c, warnings] = maker.loaded();
    ASSERT_EQ(warnings.size(), 2U);
    EXPECT_NE(warnings[0].find("out of order"), std::string::npos);
    EXPECT_NE(warnings[1].find("equal times"), std::string::npos);
    ASSERT_EQ(c.clips[0].channels.size(), 1U);
    // Before the jump the motion leads to the first of the equal keys; after it, it starts from the last.
    const Channel& channel = c.clips[0].channels[0];
    ASSERT_EQ(channel.times.size(), 4U);
    std::array<double, 4> at{};
    rig::sampleChannel(channel, 1 - 1e-6, at);
    EXPECT_NEAR(std::abs(at[2]), 1, 1e-4);
    rig::sampleChannel(channel, 1, at);
    EXPECT_NEAR(std::abs(at[0]), 1, 1e-6);
    EXPECT_EQ(c.clips[0].last_key, 2);
    savedAndLoaded(c);
    samplerIn(maker)["interpolation"] = "STEP";
    c = maker.load();
    EXPECT_EQ(c.clips[0].channels[0].times, (std::vector<float>{0, 1, 2}));
}

TEST(GltfMend, KeysThatAreNotFiniteAreLeftOut) {
    GlbMaker maker = makeStrip();
    samplerIn(maker)["input"] = maker.addFloats({0, 0.5F, kNan, 1}, "SCALAR");
    samplerIn(maker)["output"] = maker.addFloats({0, 0, 0, 1, 0, kNan, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0}, "VEC4");
    const Character c = mended(maker, "not finite");
    EXPECT_EQ(c.clips[0].channels[0].times, (std::vector<float>{0, 1}));
    EXPECT_EQ(c.clips[0].last_key, 1);
    savedAndLoaded(c);
}

TEST(GltfMend, AChannelThatCannotBeReadIsLeftOut) {
    GlbMaker maker = makeStrip();
    samplerIn(maker)["output"] = maker.addFloats({0, 0, 0, 1}, "VEC4");
    const Character c = mended(maker, "1 animation channels cannot be read");
    EXPECT_TRUE(c.clips[0].channels.empty());
}

TEST(GltfMend, AChannelWithoutASamplerIsLeftOut) {
    GlbMaker maker = makeStrip();
    Json channel = maker.json["animations"][0]["channels"][0];
    channel["sampler"] = 7;
    maker.json["animations"][0]["channels"].push_back(channel);
    Character c = mended(maker, "1 animation channels cannot be read");
    ASSERT_EQ(c.clips[0].channels.size(), 1U);
    c.clips[0].channels[0].values[3] = 0.5F;
    EXPECT_TRUE(loadGltf(toGlb(c), "again.glb").warnings.empty());
}

TEST(GltfMend, AMatrixThatCannotBeUndoneIsTakenFromWhereItsJointStands) {
    for (const int fault : {0, 1, 2}) {
        GlbMaker maker = makeStrip();
        std::vector<float> matrices(32, 0.0F);
        for (const std::size_t i : {0, 5, 10, 15, 16, 21, 26, 31}) matrices[i] = 1;
        if (fault == 0) std::fill(matrices.begin() + 16, matrices.end(), 0.0F);
        if (fault == 1) matrices[20] = kNan;
        if (fault == 2) matrices.resize(16);
        maker.json["skins"][0]["inverseBindMatrices"] = maker.addFloats(matrices, "MAT4");
        const Character c = mended(maker, "1 inverse bind matrices");
        EXPECT_EQ(c.skeleton.joints[1].inverse_bind.m[13], -1) << fault;
        savedAndLoaded(c);
    }
}

TEST(GltfMend, VerticesThatAreNotFiniteGoBetweenTheirNeighbors) {
    GlbMaker maker = makeStrip();
    std::vector<float> positions;
    for (int v = 0; v < 10; ++v) positions.insert(positions.end(), {v % 2 ? 0.5F : -0.5F, 0.5F * float(v / 2), 0});
    positions[3 * 4 + 1] = kNan;
    positions[3 * 9] = kInfinite;
    attributesIn(maker)["POSITION"] = maker.addFloats(positions, "VEC3");
    const Character c = mended(maker, "2 vertices were not finite");
    // 4 has the neighbors 2, 3, 5 and 6; 9 has 7 and 8.
    EXPECT_NEAR(length(c.mesh.positions[4] - Vec3f{0, 0.875F, 0}), 0, 1e-6F);
    EXPECT_NEAR(length(c.mesh.positions[9] - Vec3f{0, 1.75F, 0}), 0, 1e-6F);
    savedAndLoaded(c);
}

TEST(GltfMend, AttributesThatDoNotFitAreLeftOut) {
    GlbMaker maker = makeStrip();
    attributesIn(maker)["NORMAL"] = maker.addFloats(std::vector<float>(27, 1), "VEC3");
    const Character c = mended(maker, "does not match the number of vertices; it was left out");
    EXPECT_TRUE(c.mesh.normals.empty());
    EXPECT_EQ(c.mesh.vertexCount(), 10U);
}

TEST(GltfMend, ANodeWithTwoParentsStaysWithTheLast) {
    GlbMaker maker = makeStrip();
    maker.json["nodes"][3] = {{"name", "late"}, {"translation", {0.0, 0.0, 4.0}}, {"children", {2}}};
    const Character c = mended(maker, "two parents");
    EXPECT_NEAR(rig::nodeWorlds(c, nullptr, 0)[c.skeleton.joints[1].node].translation().z, 4, 1e-12);
    EXPECT_TRUE(loadGltf(toGlb(c), "again.glb").warnings.empty());
}

TEST(GltfMend, QuaternionsNeedNotHaveLengthOne) {
    GlbMaker maker = makeStrip();
    samplerIn(maker)["output"] = maker.addFloats({0, 0, 0, 3, 0, 0, 5, 5}, "VEC4");
    maker.json["nodes"][1]["rotation"] = {0.0, 0.0, 0.0, 0.5};
    const Character c = maker.load();
    const Affine3d bone = rig::skinMatricesDouble(c.skeleton, &c.clips[0], 1)[1];
    EXPECT_NEAR(length(bone.linear().col[0]), 1, 1e-9);
}

TEST(GltfMend, AMissingPaddingAndAStrideOfZeroAreForgiven) {
    GlbMaker maker = makeStrip();
    maker.json["bufferViews"][0]["byteStride"] = 0;
    std::vector<std::byte> bytes = maker.bytes();
    Json json = jsonOf(bytes);
    json["buffers"][0]["byteLength"] = json["buffers"][0]["byteLength"].get<int>() + 3;
    expectEqual(loadGltf(withJson(bytes, json), "short.glb").character, makeStrip().load());
}

TEST(GltfMend, ExtensionsOfAvatarsAndMaterialsMayBeRequired) {
    GlbMaker maker = makeStrip();
    maker.json["extensionsUsed"] = {"VRM", "VRMC_vrm", "KHR_materials_unlit", "KHR_texture_basisu", "EXT_texture_webp"};
    maker.json["extensionsRequired"] = maker.json["extensionsUsed"];
    maker.json["extensions"] = {{"VRMC_vrm", {{"specVersion", "1.0"}}}};
    const TemporaryFolder folder;
    const auto bytes = maker.bytes();
    std::ofstream(folder / "avatar.vrm", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
    const Character c = loadCharacter(folder / "avatar.vrm").character;
    EXPECT_EQ(jsonOf(toGlb(c))["extensions"], maker.json["extensions"]);
}

TEST(GltfMend, NamesInAnotherEncodingAreForgiven) {
    GlbMaker maker = makeStrip();
    maker.json["nodes"][1]["name"] = "Kxrper";
    std::vector<std::byte> bytes = maker.bytes();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    bytes[text.find("Kxrper") + 1] = std::byte{0xF6};  // Latin-1
    EXPECT_EQ(rig::jointName(loadGltf(bytes, "latin.glb").character.skeleton, 0), "K?rper");
}

TEST(GltfMend, ASkeletonAndItsClipsNeedNoMesh) {
    GlbMaker maker = makeStrip();
    maker.json["nodes"][0] = {{"name", "body"}};
    maker.json.erase("meshes");
    for (const bool skin : {true, false}) {
        if (!skin) maker.json.erase("skins");
        const Character c = maker.load();
        EXPECT_EQ(c.mesh.vertexCount(), 0U);
        EXPECT_EQ(c.skeleton.joints.size(), skin ? 2U : 0U);
        ASSERT_EQ(c.clips.size(), 1U);
        EXPECT_EQ(c.clips[0].channels.size(), 1U);
    }
    maker.json.erase("animations");
    EXPECT_THROW(maker.load(), Error);
}

/// The strip with a hat on the upper joint, and one more mesh that no scene shows.
GlbMaker stripWithHat() {
    GlbMaker maker = makeStrip();
    const std::size_t positions = maker.addFloats({0, 0, 0, 1, 0, 0, 0, 1, 0}, "VEC3");
    maker.json["meshes"].push_back(
        {{"name", "hat"}, {"primitives", Json::array({{{"attributes", {{"POSITION", positions}}}}})}});
    maker.json["nodes"][2]["children"] = {4};
    maker.json["nodes"].push_back({{"name", "crown"}, {"mesh", 1}, {"translation", {0.0, 1.0, 0.0}}});
    maker.json["nodes"].push_back({{"name", "spare"}, {"mesh", 1}});
    return maker;
}

TEST(GltfProps, MeshesOfTheSceneWithoutASkinAreProps) {
    const auto [c, warnings] = stripWithHat().loaded();
    EXPECT_TRUE(warnings.empty());
    EXPECT_EQ(c.mesh.vertexCount(), 10U);
    EXPECT_EQ(c.skeleton.joints.size(), 2U);
    ASSERT_EQ(c.props.mesh.parts.size(), 1U);
    EXPECT_EQ(c.props.mesh.parts[0].name, "hat");
    EXPECT_EQ(c.props.mesh.positions[1], (Vec3f{1, 0, 0}));
    EXPECT_EQ(c.skeleton.nodes[c.props.nodes[0]].name, "crown");
    ASSERT_EQ(c.props.mesh.normals.size(), 3U);  // the skin has normals, so they are made
    EXPECT_EQ(c.props.mesh.normals[0], (Vec3f{0, 0, 1}));
    const Mesh whole = rig::wholeMesh(c);
    ASSERT_EQ(whole.vertexCount(), 13U);
    EXPECT_EQ(whole.positions[11], (Vec3f{1, 2, 0}));
    EXPECT_EQ(whole.triangles.back(), (Triangle{10, 11, 12}));
}

TEST(GltfProps, SavingLeavesThemAsTheyAre) {
    Character c = stripWithHat().load();
    SkinWeights rigid;
    for (std::size_t v = 0; v < 10; ++v) appendVertex(rigid, std::vector<std::uint32_t>{1}, std::vector<float>{1});
    c.weights = rigid;
    const auto saved = toGlb(c);
    const Json json = jsonOf(saved);
    EXPECT_EQ(json["nodes"][4], stripWithHat().json["nodes"][4]);
    EXPECT_EQ(json["meshes"][1], stripWithHat().json["meshes"][1]);
    const Character again = loadGltf(saved, "again.glb").character;
    EXPECT_EQ(again.props.mesh.positions, c.props.mesh.positions);
    EXPECT_EQ(again.props.nodes, c.props.nodes);
}

TEST(GltfProps, ANewDocumentHasThemToo) {
    for (const bool mirrored : {false, true}) {
        GlbMaker maker = stripWithHat();
        if (mirrored) maker.json["nodes"][4]["scale"] = {-1.0, 1.0, 1.0};
        Character c = maker.load();
        c.source = nullptr;
        const Character again = loadGltf(toGlb(c), "new.glb").character;
        ASSERT_EQ(again.props.mesh.parts.size(), 1U);
        EXPECT_EQ(again.props.mesh.positions, c.props.mesh.positions);
        EXPECT_EQ(again.props.mesh.triangles, c.props.mesh.triangles);
        EXPECT_EQ(again.skeleton.nodes[again.props.nodes[0]].name, "crown");
    }
}

TEST(GltfProps, AMirroredNodeTurnsFacesBack) {
    GlbMaker maker = stripWithHat();
    maker.json["nodes"][4]["scale"] = {-1.0, 1.0, 1.0};
    const Mesh whole = rig::wholeMesh(maker.load());
    const Triangle t = whole.triangles.back();
    const Vec3f normal =
        cross(whole.positions[t[1]] - whole.positions[t[0]], whole.positions[t[2]] - whole.positions[t[0]]);
    EXPECT_GT(dot(normal, whole.normals[t[0]]), 0);
}

TEST(GltfProps, ClipsThatMoveTheirNodesAndMorphTargetsAreRead) {
    GlbMaker maker = stripWithHat();
    Json& animation = maker.json["animations"][0];
    const std::size_t offsets = maker.addFloats({0, 0, 1, 0, 0, 0, 0, 0, 0}, "VEC3");
    maker.json["meshes"][1]["primitives"][0]["targets"] = Json::array({{{"POSITION", offsets}}});
    animation["samplers"].push_back({{"input", 7}, {"output", maker.addFloats({0, 0, 0, 0, 5, 0}, "VEC3")}});
    animation["samplers"].push_back({{"input", 7}, {"output", maker.addFloats({0, 1}, "SCALAR")}});
    animation["channels"].push_back({{"sampler", 1}, {"target", {{"node", 4}, {"path", "translation"}}}});
    animation["channels"].push_back({{"sampler", 2}, {"target", {{"node", 4}, {"path", "weights"}}}});
    const Character c = maker.load();
    ASSERT_EQ(c.clips[0].channels.size(), 3U);
    EXPECT_EQ(c.clips[0].channels[1].target, c.props.nodes[0]);
    EXPECT_EQ(rig::morphWeights(c.props.mesh, &c.clips[0], 1), std::vector<float>{1});
    EXPECT_EQ(jsonOf(toGlb(c))["animations"], maker.json["animations"]);
}

TEST(GltfMend, AttributesOfAnotherLengthAreNotPartOfALevelOfDetail) {
    GlbMaker maker = makeStrip();
    Json& primitive = maker.json["meshes"][0]["primitives"][0];
    maker.json["accessors"][primitive["attributes"]["NORMAL"].get<std::size_t>()]["count"] = 3;
    const std::vector<float> offsets(30, 0.5F);
    primitive["targets"] = Json::array(
        {{{"POSITION", maker.addFloats(offsets, "VEC3")}, {"TANGENT", maker.addFloats({1, 2, 3}, "VEC3")}}});
    const Character c = maker.load();
    const Character level = withTriangles(c, c.mesh.triangles, {});
    const Json made = jsonOf(toGlb(level))["meshes"][0]["primitives"][0];
    EXPECT_TRUE(made["attributes"].contains("POSITION"));
    EXPECT_FALSE(made["attributes"].contains("NORMAL"));
    EXPECT_TRUE(made["targets"][0].contains("POSITION"));
    EXPECT_FALSE(made["targets"][0].contains("TANGENT"));
}

}  // namespace
}  // namespace pelt::io::test
