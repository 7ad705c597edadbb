// Edited glTF files: what did not change stays as it was.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>

#include <atomic>
#include <fstream>
#include <random>
#include <thread>

#include "glb_maker.h"

namespace pelt::io::test {
namespace {

Loaded reloaded(const Character& character) { return loadGltf(toGlb(character), "saved.glb"); }
Character reload(const Character& character) { return reloaded(character).character; }

void bindTo(Character& c, std::size_t vertex_first, std::size_t vertex_last, std::uint32_t joint) {
    SkinWeights weights;
    for (std::size_t v = 0; v < c.weights.vertexCount(); ++v)
        if (v >= vertex_first && v < vertex_last)
            appendVertex(weights, std::vector{joint}, std::vector{1.0F});
        else
            appendVertex(weights, c.weights.jointsOf(v), c.weights.weightsOf(v));
    c.weights = std::move(weights);
}

std::vector<Vec3d> posed(const Character& c, const Clip* clip, double t) {
    const auto bones = rig::skinMatricesDouble(c.skeleton, clip, t);
    std::vector<Vec3d> out(c.mesh.vertexCount());
    for (std::size_t v = 0; v < out.size(); ++v)
        for (std::size_t i = 0; i < c.weights.influenceCount(v); ++i)
            out[v] += bones[c.weights.jointsOf(v)[i]] * Vec3d(c.mesh.positions[v]) * double(c.weights.weightsOf(v)[i]);
    return out;
}

TEST(GltfSave, WhatDidNotChangeComesBackAsItWas) {
    const GlbMaker maker = makeStrip();
    const Character c = maker.load();
    const std::vector<std::byte> saved = toGlb(c);
    EXPECT_EQ(saved, maker.bytes());
    expectEqual(loadGltf(saved, "saved.glb").character, c);
}

TEST(GltfSave, ChangedWeightsComeBackBitByBitAndNothingElseChanges) {
    const GlbMaker maker = makeStrip();
    Character c = maker.load();
    std::mt19937 random(7);
    SkinWeights weights;
    for (std::size_t v = 0; v < 10; ++v)
        appendVertex(weights, std::vector{0U, 1U}, std::vector{float(random() % 1000 + 1), float(random() % 1000 + 1)});
    c.weights = weights;
    expectEqual(reload(c), c);
    Json was = jsonOf(maker.bytes()), now = jsonOf(toGlb(c));
    for (const char* key : {"JOINTS_0", "WEIGHTS_0"})
        now["meshes"][0]["primitives"][0]["attributes"][key] = was["meshes"][0]["primitives"][0]["attributes"][key];
    for (const char* key : {"accessors", "bufferViews"}) {
        ASSERT_GT(now[key].size(), was[key].size());
        now[key].erase(now[key].begin() + static_cast<std::ptrdiff_t>(was[key].size()), now[key].end());
    }
    now["buffers"] = was["buffers"];
    EXPECT_EQ(now, was);
}

TEST(GltfSave, ManyInfluencesAreSetsOfFourThatSumToOne) {
    GlbMaker maker = makeStrip();
    Json joints = {1, 2};
    for (std::size_t j = 0; j < 300; ++j) {
        joints.push_back(maker.json["nodes"].size());
        maker.json["nodes"][1]["children"].push_back(maker.json["nodes"].size());
        maker.json["nodes"].push_back({{"name", "extra"}});
    }
    maker.json["skins"][0] = {{"joints", joints}};
    Character c = maker.load();
    std::mt19937 random(3);
    SkinWeights weights;
    for (std::size_t v = 0; v < 10; ++v) {
        std::vector<std::uint32_t> slots;
        std::vector<float> values;
        for (std::size_t i = 0; i <= v; ++i) {
            slots.push_back(static_cast<std::uint32_t>(i * 33));
            values.push_back(static_cast<float>(random() % 10000 + 1));
        }
        appendVertex(weights, slots, values);
    }
    c.weights = weights;
    const std::vector<std::byte> saved = toGlb(c);
    const Json json = jsonOf(saved), attributes = json["meshes"][0]["primitives"][0]["attributes"];
    EXPECT_TRUE(attributes.contains("JOINTS_2"));
    EXPECT_FALSE(attributes.contains("JOINTS_3"));
    EXPECT_EQ(json["accessors"][attributes["JOINTS_0"].get<std::size_t>()]["componentType"], 5121);
    EXPECT_EQ(json["accessors"][attributes["JOINTS_2"].get<std::size_t>()]["componentType"], 5123);
    const auto [back, warnings] = loadGltf(saved, "saved.glb");
    EXPECT_TRUE(warnings.empty());
    EXPECT_EQ(back.weights, c.weights);
    for (std::size_t v = 0; v < 10; ++v) {
        double sum = 0;
        for (const float w : back.weights.weightsOf(v)) sum += w;
        EXPECT_NEAR(sum, 1, 2e-7 * static_cast<double>(v + 1));
    }
    // Fewer again: the sets that are not needed go.
    Character fewer = back;
    bindTo(fewer, 0, 10, 5);
    EXPECT_FALSE(jsonOf(toGlb(fewer))["meshes"][0]["primitives"][0]["attributes"].contains("JOINTS_1"));
}

TEST(GltfSave, RowsThatDoNotSumToOneAreNormalizedAndEmptyOnesFollowTheFirstJoint) {
    Character c = makeStrip().load();
    c.weights = {};
    for (std::uint32_t v = 0; v < 10; ++v) {
        if (v != 4) {
            c.weights.joints.insert(c.weights.joints.end(), {1, 0});
            c.weights.weights.insert(c.weights.weights.end(), {3.0F, 1.0F});
        }
        c.weights.offsets.push_back(static_cast<std::uint32_t>(c.weights.joints.size()));
    }
    const auto [back, warnings] = reloaded(c);
    EXPECT_TRUE(warnings.empty());
    EXPECT_EQ(back.weights.weightsOf(0)[0], 0.75F);
    EXPECT_EQ(back.weights.jointsOf(4)[0], 0U);
    EXPECT_EQ(back.weights.weightsOf(4)[0], 1.0F);
}

TEST(GltfSave, AMeshOfTwoNodesIsCopiedOnlyWhereTheirWeightsDiffer) {
    GlbMaker maker = makeStrip();
    maker.json["nodes"].push_back({{"name", "second"}, {"mesh", 0}, {"skin", 0}});
    const Character loaded = maker.load();
    Character c = loaded;
    bindTo(c, 10, 20, 1);
    EXPECT_EQ(jsonOf(toGlb(c))["meshes"].size(), 2U);
    expectEqual(reload(c), c);
    c = loaded;
    bindTo(c, 0, 20, 1);
    EXPECT_EQ(jsonOf(toGlb(c))["meshes"].size(), 1U);
    expectEqual(reload(c), c);
}

TEST(GltfSave, AppendedJointsBecomeNodesOfTheSkin) {
    Character c = makeStrip().load();
    c.skeleton.nodes.push_back({"helper", 1, {{0, 0.5, 0}, {}, {1, 1, 1}}, {}});
    c.skeleton.joints.push_back({2, Affine3d(Mat3d{}, Vec3d{0, -1.5, 0})});
    c.skeleton.nodes.push_back({"unused", 0, {}, {}});
    c.skeleton.joints.push_back({3, {}});
    bindTo(c, 4, 10, 2);
    const Character back = reload(c);
    expectEqual(back, c);
    EXPECT_EQ(rig::jointName(back.skeleton, 2), "helper");
}

TEST(GltfSave, ASecondBindingOfANodeAndASecondRootKeepTheirMeaning) {
    Character c = makeStrip().load();
    c.skeleton.joints.push_back({1, Affine3d(Mat3d{}, Vec3d{1, 2, 3})});
    c.skeleton.nodes.push_back({"loose", -1, {{7, 0, 0}, {}, {1, 1, 1}}, {}});
    c.skeleton.joints.push_back({2, {}});
    bindTo(c, 0, 4, 2);
    bindTo(c, 6, 8, 3);
    Character fresh = c;
    fresh.source = nullptr;
    for (const Character& back : {reload(c), reload(fresh)}) {
        ASSERT_EQ(back.skeleton.joints.size(), 4U);
        const auto expected = posed(c, &c.clips[0], 0.7), actual = posed(back, &back.clips[0], 0.7);
        for (std::size_t v = 0; v < expected.size(); ++v) EXPECT_NEAR(length(expected[v] - actual[v]), 0, 1e-6);
    }
}

TEST(GltfSave, ChangedRestTransformsAndBindsAreWritten) {
    Character c = makeStrip().load();
    c.skeleton.nodes[1].local.translation = {0, 1.25, 0};
    c.skeleton.nodes[1].name = "renamed";
    c.skeleton.joints[1].inverse_bind = Affine3d(Mat3d{}, Vec3d{0, -1.25, 0});
    expectEqual(reload(c), c);
}

TEST(GltfSave, ClipsAreKeptChangedAddedRenamedAndRemoved) {
    GlbMaker maker = makeStrip();
    Json other = maker.json["animations"][0];
    other["name"] = "other";
    other["extras"] = {{"loop", true}};
    other["channels"].push_back({{"sampler", 0}, {"target", {{"node", 3}, {"path", "rotation"}}}});
    maker.json["animations"].push_back(other);
    Character c = maker.load();
    ASSERT_EQ(c.clips.size(), 2U);
    c.clips[1].channels[0].values[3] = -1;
    c.clips[0].name = "bow";
    Clip made = c.clips[0];
    made.name = "made";
    made.channels[0].times = {0, 2};
    made.last_key = 2;
    c.clips.push_back(made);
    const Character back = reload(c);
    expectEqual(back, c);
    const Json json = jsonOf(toGlb(c));
    EXPECT_EQ(json["animations"][1]["extras"]["loop"], true);
    EXPECT_EQ(json["animations"][1]["channels"].size(), 2U) << "the camera's channel must stay";
    c.clips.erase(c.clips.begin());
    expectEqual(reload(c), c);
    c.clips.clear();
    EXPECT_FALSE(jsonOf(toGlb(c)).contains("animations"));
}

TEST(GltfSave, ANodeThatIsNewlyAnimatedLosesItsMatrix) {
    GlbMaker maker = makeStrip();
    maker.json["nodes"][1]["matrix"] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 1, 0, 1};
    Character c = maker.load();
    c.clips[0].channels.push_back({ChannelPath::translation, 0, Interpolation::step, 3, {0, 1}, {0, 1, 0, 0, 2, 0}});
    const std::vector<std::byte> saved = toGlb(c);
    EXPECT_FALSE(jsonOf(saved)["nodes"][1].contains("matrix"));
    EXPECT_EQ(jsonOf(saved)["nodes"][1]["scale"], Json({2.0, 2.0, 2.0}));
    const Character back = loadGltf(saved, "saved.glb").character;
    EXPECT_EQ(posed(back, &back.clips[0], 0.5), posed(c, &c.clips[0], 0.5));
}

TEST(GltfSave, APlainMeshThatGetsWeightsIsSkinnedWhereItStood) {
    GlbMaker maker = makeStrip();
    Json& nodes = maker.json["nodes"];
    nodes[0] = {{"name", "body"}, {"mesh", 0}, {"scale", {1.0, 3.0, 1.0}}};
    nodes.push_back({{"name", "above"}, {"children", {0}}, {"translation", {0.0, 0.0, 5.0}}});
    maker.json["scenes"][0]["nodes"] = {1, 3, 4};
    for (const char* key : {"JOINTS_0", "WEIGHTS_0"}) maker.json["meshes"][0]["primitives"][0]["attributes"].erase(key);
    Character c = maker.load();
    ASSERT_TRUE(c.weights.empty());
    for (std::uint32_t v = 0; v < 10; ++v) appendVertex(c.weights, std::vector{v % 2}, std::vector{1.0F});
    const Character back = reload(c);
    const auto expected = posed(c, &c.clips[0], 0.5), actual = posed(back, &back.clips[0], 0.5);
    for (std::size_t v = 0; v < 10; ++v) EXPECT_NEAR(length(expected[v] - actual[v]), 0, 1e-5);
    EXPECT_EQ(maker.json["materials"], jsonOf(toGlb(c))["materials"]);
}

TEST(GltfSave, MovedVerticesAreWrittenAndNothingElse) {
    const Character was = makeStrip().load();
    Character c = was;
    c.mesh.positions[3] = {7, -8, 9};
    c.mesh.normals[3] = {0, 1, 0};
    const std::vector<std::byte> glb = toGlb(c);
    expectEqual(loadGltf(glb, "moved.glb").character, c);
    const Json json = jsonOf(glb);
    const Json& primitive = json["meshes"][0]["primitives"][0];
    const Json& accessor = json["accessors"][primitive["attributes"]["POSITION"].get<std::size_t>()];
    EXPECT_EQ(accessor["max"][0], 7);
    EXPECT_EQ(accessor["min"][1], -8);
    EXPECT_EQ(primitive["indices"], jsonOf(makeStrip().bytes())["meshes"][0]["primitives"][0]["indices"]);
}

TEST(GltfSave, WhatCannotBeEditedIsRefused) {
    Character c = makeStrip().load();
    std::swap(c.mesh.triangles[0], c.mesh.triangles[1]);
    EXPECT_THROW(toGlb(c), Error);
    c = makeStrip().load();
    c.skeleton.joints.pop_back();
    EXPECT_THROW(toGlb(c), Error);
    c = makeStrip().load();
    c.weights.joints[0] = 17;
    EXPECT_THROW(toGlb(c), Error);
    EXPECT_THROW(saveCharacter(makeStrip().load(), "out.obj"), Error);
    try {
        saveCharacter(makeStrip().load(), "/nonexistent-folder/out.glb");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::system);
    }
}

TEST(GltfSave, UnknownChunksOfAGlbComeBack) {
    std::vector<std::byte> bytes = makeStrip().bytes();
    for (const int b : {4, 0, 0, 0, int('T'), int('E'), int('S'), int('T'), 1, 2, 3, 4}) bytes.push_back(std::byte(b));
    const auto total = static_cast<std::uint32_t>(bytes.size());
    std::memcpy(bytes.data() + 8, &total, 4);
    EXPECT_EQ(toGlb(loadGltf(bytes, "chunks.glb").character), bytes);
}

void writeText(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

TEST(GltfSave, TextFilesReadTheirNeighborsAndTakeThemAlong) {
    const TemporaryFolder folder;
    const std::string png = "\x89PNG\r\n\x1A\nnot really";
    writeText(folder / "in/my data.bin", "");
    GlbMaker maker = makeStrip();
    {
        AtomicFile file(folder / "in/my data.bin");
        file.write(maker.binary);
        file.commit();
    }
    writeText(folder / "in/tex/color.png", png);
    maker.json["buffers"] =
        Json::array({{{"uri", "my%20data.bin"}, {"byteLength", maker.binary.size()}, {"name", "numbers"}}});
    maker.json["images"] = Json::array({{{"uri", "tex/color.png"}}, {{"uri", "../gone.png"}}});
    writeText(folder / "in/hero.gltf", maker.json.dump());
    const Character c = loadCharacter(folder / "in/hero.gltf").character;
    expectEqual(c, makeStrip().load());

    // Beside the source, pictures stay where they are, and the source's own files are not touched.
    saveCharacter(c, folder / "in/my data.gltf");
    const Json beside = Json::parse(std::ifstream(folder / "in/my data.gltf"));
    EXPECT_EQ(beside["buffers"][0]["uri"], "my%20data_1.bin");
    EXPECT_EQ(beside["images"][0]["uri"], "tex/color.png");
    expectEqual(loadCharacter(folder / "in/my data.gltf").character, c);

    // Elsewhere they come along; one that is missing keeps its address.
    std::filesystem::create_directories(folder / "out");
    saveCharacter(c, folder / "out/hero.gltf");
    const Json away = Json::parse(std::ifstream(folder / "out/hero.gltf"));
    EXPECT_EQ(away["buffers"][0]["uri"], "hero.bin");
    EXPECT_FALSE(away["images"][0].contains("uri"));
    EXPECT_EQ(away["images"][0]["mimeType"], "image/png");
    EXPECT_EQ(away["images"][1]["uri"], "../gone.png");
    const std::vector<std::byte> bin = readFile(folder / "out/hero.bin");
    const Json& view = away["bufferViews"][away["images"][0]["bufferView"].get<std::size_t>()];
    EXPECT_EQ(std::memcmp(bin.data() + view["byteOffset"].get<std::size_t>(), png.data(), png.size()), 0);
    expectEqual(loadCharacter(folder / "out/hero.gltf").character, c);
    saveCharacter(c, folder / "out/hero.glb");
    expectEqual(loadCharacter(folder / "out/hero.glb").character, c);
}

TEST(GltfSave, AGltfAndItsBinAreTheOldOnesOrTheNewOnesAtEveryMoment) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / "hero.gltf";
    const Character small = makeStrip().load();
    Character large = makeStrip().load();
    large.clips.push_back(large.clips[0]);
    saveCharacter(small, path);
    std::atomic<bool> done{false};
    std::atomic<int> torn{0};
    const auto text = [&] {
        std::ifstream file(path);
        return std::string{std::istreambuf_iterator<char>(file), {}};
    };
    std::thread reader([&] {
        while (!done) {
            const std::string seen = text();
            const Json buffer = Json::parse(seen)["buffers"][0];
            std::error_code fault;
            const auto size = std::filesystem::file_size(folder / buffer["uri"].get<std::string>(), fault);
            if ((fault || size != buffer["byteLength"].get<std::size_t>()) && text() == seen) ++torn;
        }
    });
    for (int i = 0; i < 100; ++i) saveCharacter(i % 2 == 0 ? large : small, path);
    done = true;
    reader.join();
    EXPECT_EQ(torn, 0);
    const auto files = std::distance(std::filesystem::directory_iterator(folder / ""), {});
    EXPECT_EQ(files, 2) << "an old .bin was left";
    expectEqual(loadCharacter(path).character, small);
}

TEST(GltfSave, ABinOfSomebodyElseIsLeftAlone) {
    const TemporaryFolder folder;
    const Character c = makeStrip().load();
    writeText(folder / "hero.bin", "not of a glTF");
    saveCharacter(c, folder / "hero.gltf");
    saveCharacter(c, folder / "hero.gltf");
    EXPECT_EQ(readFile(folder / "hero.bin").size(), 13u);
    EXPECT_EQ(Json::parse(std::ifstream(folder / "hero.gltf"))["buffers"][0]["uri"], "hero_1.bin");
    expectEqual(loadCharacter(folder / "hero.gltf").character, c);
}

TEST(GltfSave, BuffersMayBeDataUrisButNotAbsoluteFiles) {
    GlbMaker maker = makeStrip();
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string uri = "data:application/octet-stream;base64,";
    for (std::size_t i = 0; i < maker.binary.size(); i += 3) {
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            bits = bits << 8 | (i + k < maker.binary.size() ? std::to_integer<std::uint32_t>(maker.binary[i + k]) : 0);
        for (std::size_t k = 0; k < 4; ++k)
            uri += i + k > maker.binary.size() ? '=' : digits[bits >> (18 - 6 * k) & 63U];
    }
    maker.json["buffers"] = Json::array({{{"byteLength", maker.binary.size()}, {"uri", uri}}});
    std::string text = maker.json.dump();
    expectEqual(loadGltf(std::as_bytes(std::span(text)), "embedded.gltf").character, makeStrip().load());
    for (const char* refused : {"/etc/hostname", "file:///etc/hostname", "http://example.com/a.bin", "data:,plain"}) {
        maker.json["buffers"][0]["uri"] = refused;
        text = maker.json.dump();
        EXPECT_THROW(loadGltf(std::as_bytes(std::span(text)), "outside.gltf", "."), Error) << refused;
    }
}

TEST(GltfSave, AMeshOfZerosWithoutABufferGetsWeights) {
    GlbMaker maker;
    maker.json["asset"] = {{"version", "2.0"}};
    maker.json["nodes"] = Json::array({{{"mesh", 0}, {"skin", 0}}, {{"name", "joint"}}});
    maker.json["skins"] = Json::array({{{"joints", {1}}}});
    maker.json["accessors"] = Json::array({{{"type", "VEC3"}, {"componentType", 5126}, {"count", 3}}});
    maker.json["meshes"] = Json::array({{{"primitives", Json::array({{{"attributes", {{"POSITION", 0}}}}})}}});
    Character c = maker.load();
    for (int v = 0; v < 3; ++v) appendVertex(c.weights, std::vector<std::uint32_t>{0}, std::vector<float>{1});
    EXPECT_EQ(loadGltf(toGlb(c), "zeros.glb").character.weights.vertexCount(), 3U);
}

}  // namespace
}  // namespace pelt::io::test
