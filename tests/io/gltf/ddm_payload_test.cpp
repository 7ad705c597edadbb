#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/io/ddm_storage.h>
#include <pelt/scenes/scenes.h>

#include <cmath>
#include <functional>

#include "compressed_maker.h"
#include "payload_maker.h"

namespace pelt::io::test {
namespace {

constexpr const char* kExtension = "PELT_direct_delta_mush";

Character mushed(Character c, double radius = 0.8, DdmEncoding encoding = DdmEncoding::float32) {
    auto payload = makePayload(c, radius);
    payload->encoding = encoding;
    c.ddm = payload;
    return c;
}

Character reload(const Character& c) { return loadGltf(toGlb(c), "saved.glb"); }

Json& extensionOf(Json& json, std::size_t mesh = 0, std::size_t primitive = 0) {
    return json["meshes"][mesh]["primitives"][primitive]["extensions"][kExtension];
}

void expectIgnored(std::span<const std::byte> glb, const std::string& words) {
    const Character c = loadGltf(glb, "stale.glb");
    EXPECT_FALSE(c.ddm) << words;
    ASSERT_EQ(c.warnings.size(), 1U) << words;
    EXPECT_NE(c.warnings[0].find(words), std::string::npos) << c.warnings[0];
}

void expectRefused(std::span<const std::byte> glb, const std::string& words) {
    try {
        loadGltf(glb, "bad.glb");
        ADD_FAILURE() << "loaded: " << words;
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        const std::string line = error.what();
        EXPECT_EQ(line.find('\n'), std::string::npos);
        EXPECT_NE(line.find(words), std::string::npos) << line;
        EXPECT_NE(line.find(kExtension), std::string::npos) << line;
    }
}

/// The file with `edit(extension)` applied to its JSON.
std::vector<std::byte> withExtension(std::span<const std::byte> glb, const std::function<void(Json&)>& edit) {
    Json json = jsonOf(glb);
    edit(extensionOf(json));
    return withJson(glb, json);
}

/// Where the records lie in the file's bytes.
std::size_t recordsAt(std::span<const std::byte> glb, const char* key) {
    Json json = jsonOf(glb);
    const Json& extension = extensionOf(json);
    const Json& view = json["bufferViews"][extension["bufferView"].get<std::size_t>()];
    const std::size_t binary = glb.size() - json["buffers"][0]["byteLength"].get<std::size_t>();
    return binary + view.value("byteOffset", std::size_t(0)) + extension[key].get<std::size_t>();
}

template <class T>
std::vector<std::byte> withValue(std::vector<std::byte> glb, std::size_t at, T value) {
    std::memcpy(glb.data() + at, &value, sizeof value);
    return glb;
}

GlbMaker makeTwoParts() {
    GlbMaker maker = makeStrip();
    Json& primitives = maker.json["meshes"][0]["primitives"];
    const Json second = primitives[0];
    primitives.push_back(second);
    return maker;
}

TEST(DdmPayloadFile, FloatRowsComeBackBitByBitEditedAndNew) {
    for (const Character& c : {makeStrip().load(), makeTwoParts().load(), scenes::find("bar")->make(200)}) {
        Character in = mushed(c);
        for (int round = 0; round < 2; ++round) {
            const Character back = reload(in);
            ASSERT_TRUE(back.ddm);
            EXPECT_EQ(*back.ddm, *in.ddm);
            EXPECT_EQ(back.weights, in.weights);
            EXPECT_TRUE(back.warnings.empty());
            in.source = nullptr;
        }
    }
}

TEST(DdmPayloadFile, TheExtensionIsUsedAndNeverRequired) {
    Json json = jsonOf(toGlb(mushed(makeStrip().load())));
    EXPECT_NE(json["extensionsUsed"].dump().find(kExtension), std::string::npos);
    EXPECT_EQ(json.value("extensionsRequired", Json::array()).dump().find(kExtension), std::string::npos);
    EXPECT_EQ(extensionOf(json)["version"], 1);
    EXPECT_EQ(extensionOf(json)["variant"], "v0");
    EXPECT_EQ(extensionOf(json)["encoding"], "float");
    EXPECT_EQ(extensionOf(json)["settings"]["iterations"], 20);
    EXPECT_FALSE(extensionOf(json)["settings"].contains("kappa")) << "what was not set is not said";
}

TEST(DdmPayloadFile, ABlockTakes24BytesAndAVertex16InQ16) {
    for (const DdmEncoding encoding : {DdmEncoding::float32, DdmEncoding::q16}) {
        const Character c = mushed(makeTwoParts().load(), 0.8, encoding);
        Json json = jsonOf(toGlb(c));
        const std::size_t view = extensionOf(json)["bufferView"].get<std::size_t>();
        const std::size_t blocks = c.ddm->rows.joints.size();
        const std::size_t bytes = 20 * 16 + blocks * (encoding == DdmEncoding::q16 ? 24 : 48);
        EXPECT_EQ(json["bufferViews"][view]["byteLength"], bytes);
        EXPECT_EQ(storedBytes(c.ddm->rows, encoding), bytes);
        EXPECT_EQ(extensionOf(json, 0, 1)["bufferView"], view) << "one view for the whole file";
        EXPECT_EQ(json["accessors"].size(), makeTwoParts().json["accessors"].size()) << "the bind is there already";
    }
}

TEST(DdmPayloadFile, AnUnchangedFileComesBackByteByByte) {
    for (const DdmEncoding encoding : {DdmEncoding::float32, DdmEncoding::q16}) {
        const std::vector<std::byte> once = toGlb(mushed(makeTwoParts().load(), 0.8, encoding));
        EXPECT_EQ(toGlb(loadGltf(once, "once.glb")), once);
    }
}

TEST(DdmPayloadFile, WithoutAPayloadTheFileIsWhatItWas) {
    const GlbMaker maker = makeTwoParts();
    const std::vector<std::byte> with = toGlb(mushed(maker.load()));
    Character c = loadGltf(with, "with.glb");
    c.ddm = nullptr;
    EXPECT_EQ(toGlb(c), maker.bytes());
}

TEST(DdmPayloadFile, MushingAgainReplacesThePayloadAndKeepsTheBind) {
    Character c = mushed(makeTwoParts().load());
    c.weights = keepHeaviest(c.weights, 1);
    const std::vector<std::byte> once = toGlb(c);
    Character again = loadGltf(once, "once.glb");
    EXPECT_EQ(again.ddm->bind, c.ddm->bind) << "the skin before the fallback";
    auto other = std::make_shared<DdmPayload>(*again.ddm);
    for (float& x : other->rows.psi) x = 1 - x;
    other->encoding = DdmEncoding::q16;
    again.ddm = other;
    const std::vector<std::byte> twice = toGlb(again);
    EXPECT_LT(twice.size(), once.size());
    const Character back = loadGltf(twice, "twice.glb");
    EXPECT_EQ(back.ddm->rows, asStored(other->rows, DdmEncoding::q16));
    EXPECT_EQ(back.ddm->bind, c.ddm->bind);
    EXPECT_EQ(back.weights, c.weights);
    again.ddm = c.ddm;
    EXPECT_EQ(toGlb(again).size(), once.size());
}

TEST(DdmPayloadFile, ABindThatTheFileDoesNotHaveIsWritten) {
    Character c = mushed(makeStrip().load());
    auto payload = std::make_shared<DdmPayload>(*c.ddm);
    payload->bind = keepHeaviest(c.weights, 1);
    c.ddm = payload;
    EXPECT_EQ(*reload(c).ddm, *payload);
    payload->bind = {};
    EXPECT_EQ(*reload(c).ddm, *payload);
}

void expectCloseRows(const DdmRows<float>& a, const DdmRows<float>& b) {
    ASSERT_EQ(a.offsets, b.offsets);
    EXPECT_EQ(a.centers, b.centers);
    for (std::size_t v = 0; v < a.vertexCount(); ++v) {
        double largest = 0, omega = 0, psi = 0, sum[3] = {0, 0, 0};
        for (std::size_t e = a.offsets[v]; e < a.offsets[v + 1]; ++e)
            largest = std::max({largest, std::abs(double(b.blocks[e].xx)), std::abs(double(b.blocks[e].yy)),
                                std::abs(double(b.blocks[e].zz))});
        for (std::size_t e = a.offsets[v]; e < a.offsets[v + 1]; ++e) {
            std::size_t f = b.offsets[v];
            while (b.joints[f] != a.joints[e]) ++f;
            EXPECT_NEAR(a.blocks[e].w, b.blocks[f].w, 1.6e-5);
            EXPECT_NEAR(a.psi[e], b.psi[f], 1.6e-5);
            EXPECT_NEAR(a.blocks[e].xy, b.blocks[f].xy, largest / 32000);
            EXPECT_NEAR(a.blocks[e].yy, b.blocks[f].yy, largest / 32000);
            EXPECT_NEAR(a.blocks[e].y, b.blocks[f].y, 1e-4);
            omega += a.blocks[e].w, psi += a.psi[e];
            sum[0] += a.blocks[e].x, sum[1] += a.blocks[e].y, sum[2] += a.blocks[e].z;
        }
        EXPECT_NEAR(omega, 1, 2e-7);
        EXPECT_NEAR(psi, 1, 2e-7);
        for (const double s : sum) EXPECT_EQ(s, 0);
    }
}

TEST(DdmPayloadFile, Q16RoundsOnceAndKeepsTheSums) {
    const Character c = mushed(scenes::find("bar")->make(300), 0.4, DdmEncoding::q16);
    const Character back = reload(c);
    ASSERT_TRUE(back.ddm);
    expectCloseRows(back.ddm->rows, c.ddm->rows);
    EXPECT_EQ(back.ddm->rows, asStored(c.ddm->rows, DdmEncoding::q16));
    EXPECT_EQ(asStored(back.ddm->rows, DdmEncoding::q16), back.ddm->rows);
    EXPECT_EQ(asStored(c.ddm->rows, DdmEncoding::float32), c.ddm->rows);
}

TEST(DdmPayloadFile, Q16TakesMomentsOfAnySize) {
    const Character c = mushed(scenes::find("bar")->make(100));
    for (const float scale : {1e-15F, 1e-6F, 1.0F, 1e4F, 1e15F}) {
        DdmRows<float> rows = c.ddm->rows;
        for (DdmBlock<float>& b : rows.blocks) {
            for (float* x : {&b.xx, &b.xy, &b.xz, &b.yy, &b.yz, &b.zz}) *x *= scale * scale;
            for (float* x : {&b.x, &b.y, &b.z}) *x *= scale;
        }
        for (Vec3f& p : rows.centers) p *= scale;
        const DdmRows<float> stored = asStored(rows, DdmEncoding::q16);
        double error = 0, size = 0;
        for (std::size_t e = 0; e < rows.blocks.size(); ++e) {
            error = std::max(error, std::abs(double(stored.blocks[e].yy) - double(rows.blocks[e].yy)));
            size = std::max(size, std::abs(double(rows.blocks[e].yy)));
        }
        EXPECT_LT(error, size / 30000) << scale;
    }
}

TEST(DdmPayloadFile, APayloadThatNoLongerFitsIsIgnoredWithOneWarning) {
    const std::vector<std::byte> good = toGlb(mushed(makeTwoParts().load()));
    ASSERT_TRUE(loadGltf(good, "good.glb").ddm);
    Json json = jsonOf(good);
    const std::size_t binary = good.size() - json["buffers"][0]["byteLength"].get<std::size_t>();
    const Json& accessor =
        json["accessors"][json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].get<std::size_t>()];
    const std::size_t position =
        binary + json["bufferViews"][accessor["bufferView"].get<std::size_t>()].value("byteOffset", std::size_t(0));
    expectIgnored(withValue(good, position, 0.015625F), "vertices");

    std::swap(json["skins"][0]["joints"][0], json["skins"][0]["joints"][1]);
    expectIgnored(withJson(good, json), "joints");
    json = jsonOf(good);
    json["nodes"][1]["name"] = "another";
    expectIgnored(withJson(good, json), "joints");
    json = jsonOf(good);
    json["skins"][0].erase("inverseBindMatrices");
    expectIgnored(withJson(good, json), "joints");
    json = jsonOf(good);
    extensionOf(json) = {{"version", 2}};
    expectIgnored(withJson(good, json), "version 2");
    json = jsonOf(good);
    json["meshes"][0]["primitives"][1].erase("extensions");
    expectIgnored(withJson(good, json), "has none");
    json = jsonOf(good);
    extensionOf(json, 0, 1)["variant"] = "v2";
    expectIgnored(withJson(good, json), "different settings");

    // What is ignored does not come back.
    const Character stale = loadGltf(withJson(good, json), "stale.glb");
    EXPECT_EQ(jsonOf(toGlb(stale)).dump().find(kExtension), std::string::npos);
}

TEST(DdmPayloadFile, MalformedPayloadsAreRefusedInOneLine) {
    const std::vector<std::byte> good = toGlb(mushed(makeStrip().load()));
    const std::vector<std::pair<std::string, std::function<void(Json&)>>> edits = {
        {"must be a JSON object", [](Json& e) { e = 3; }},
        {"'version' is missing", [](Json& e) { e.erase("version"); }},
        {"'positionHash' is missing", [](Json& e) { e.erase("positionHash"); }},
        {"must be a string", [](Json& e) { e["jointsHash"] = 12; }},
        {"unknown name 'v7'", [](Json& e) { e["variant"] = "v7"; }},
        {"unknown name 'q8'", [](Json& e) { e["encoding"] = "q8"; }},
        {"does not exist", [](Json& e) { e["bufferView"] = 99; }},
        {"beyond the buffer view", [](Json& e) { e["vertexOffset"] = 1 << 30; }},
        {"vertices do not lie", [](Json& e) { e["vertexOffset"] = e["entryOffset"].get<int>() + 900; }},
        {"entries do not lie", [](Json& e) { e["entryOffset"] = e["entryOffset"].get<int>() + 4; }},
        {"must be a whole number", [](Json& e) { e["settings"]["iterations"] = -2; }},
        {"must be a number", [](Json& e) { e["settings"]["lambda"] = "much"; }},
        {"'JOINTS_0' is missing", [](Json& e) { e["bind"] = Json::object(); }},
        {"does not exist", [](Json& e) { e["bind"]["JOINTS_0"] = 99; }}};
    for (const auto& [words, edit] : edits) expectRefused(withExtension(good, edit), words);
}

TEST(DdmPayloadFile, MalformedRecordsAreRefusedInOneLine) {
    const std::vector<std::byte> good = toGlb(mushed(makeStrip().load()));
    const std::size_t vertex = recordsAt(good, "vertexOffset"), entry = recordsAt(good, "entryOffset");
    expectRefused(withValue(good, vertex + 12, 0U), "vertex 0 has no entry");
    expectRefused(withValue(good, vertex + 16 + 12, 0xFFFFFFFFU), "entries do not lie");
    expectRefused(withValue(good, vertex, std::nanf("")), "not finite");
    expectRefused(withValue(good, entry, 2U), "follows joint 2, but the skin has 2");
    expectRefused(withValue(good, entry + 48, 0U), "names a joint twice");
    expectRefused(withValue(good, entry + 4, HUGE_VALF), "not finite");
    expectRefused(withValue(good, entry + 40, 0.25F), "not to 1");
    expectRefused(withValue(good, entry + 44, 0.25F), "not to 1");

    const std::vector<std::byte> small = toGlb(mushed(makeStrip().load(), 0.8, DdmEncoding::q16));
    const std::size_t head = recordsAt(small, "vertexOffset"), block = recordsAt(small, "entryOffset");
    expectRefused(withValue(small, head + 12, std::uint16_t(0)), "has no entry");
    expectRefused(withValue(small, head + 14, std::int8_t(127)), "not finite");
    expectRefused(withValue(small, block, std::uint16_t(7)), "follows joint 7");
    std::vector<std::byte> zero = withValue(small, block + 22, std::uint16_t(0));
    expectRefused(withValue(zero, block + 24 + 22, std::uint16_t(0)), "all 0");
}

TEST(DdmPayloadFile, RowsThatAreNotCentredAreCentredWhileLoading) {
    // The same Ω about another centre p - d: χ' grows by ω d and Ω' by χ' d^T + d χ'^T + ω d d^T.
    const Character c = mushed(makeStrip().load());
    const Vec3f d{0.125F, -0.25F, 0.5F};
    auto moved = std::make_shared<DdmPayload>(*c.ddm);
    for (DdmBlock<float>& b : moved->rows.blocks) {
        const DdmBlock<float> a = b;
        b.xx += 2 * a.x * d.x + a.w * d.x * d.x, b.yy += 2 * a.y * d.y + a.w * d.y * d.y;
        b.zz += 2 * a.z * d.z + a.w * d.z * d.z, b.xy += a.x * d.y + a.y * d.x + a.w * d.x * d.y;
        b.xz += a.x * d.z + a.z * d.x + a.w * d.x * d.z, b.yz += a.y * d.z + a.z * d.y + a.w * d.y * d.z;
        b.x += a.w * d.x, b.y += a.w * d.y, b.z += a.w * d.z;
    }
    for (Vec3f& p : moved->rows.centers) p -= d;
    Character other = c;
    other.ddm = moved;
    const Character back = reload(other);
    ASSERT_TRUE(back.ddm);
    const DdmRows<float>&is = back.ddm->rows, &was = c.ddm->rows;
    for (std::size_t v = 0; v < was.vertexCount(); ++v) EXPECT_LT(length(is.centers[v] - was.centers[v]), 1e-6F);
    for (std::size_t e = 0; e < was.blocks.size(); ++e) {
        EXPECT_NEAR(is.blocks[e].xx, was.blocks[e].xx, 1e-6);
        EXPECT_NEAR(is.blocks[e].xy, was.blocks[e].xy, 1e-6);
        EXPECT_NEAR(is.blocks[e].yz, was.blocks[e].yz, 1e-6);
        EXPECT_NEAR(is.blocks[e].z, was.blocks[e].z, 1e-6);
    }
}

TEST(DdmPayloadFile, JointIndicesAreThoseOfEachPrimitivesSkin) {
    // A second node shows the mesh with a skin that lists the joints the other way round.
    GlbMaker maker = makeStrip();
    maker.json["skins"].push_back(maker.json["skins"][0]);
    maker.json["skins"][0].erase("inverseBindMatrices");
    maker.json["skins"][1].erase("inverseBindMatrices");
    maker.json["skins"][1]["joints"] = {maker.json["skins"][0]["joints"][1], maker.json["skins"][0]["joints"][0]};
    maker.json["nodes"].push_back({{"name", "second"}, {"mesh", 0}, {"skin", 1}});
    const Character c = maker.load();
    ASSERT_EQ(c.skeleton.joints.size(), 2U);
    const Character in = mushed(c), back = reload(in);
    ASSERT_TRUE(back.ddm);
    EXPECT_EQ(*back.ddm, *in.ddm);
    EXPECT_EQ(back.weights, in.weights);
    EXPECT_EQ(jsonOf(toGlb(in))["meshes"].size(), 2U) << "one payload cannot mean two skins";

    GlbMaker same = makeStrip();
    same.json["nodes"].push_back({{"name", "second"}, {"mesh", 0}, {"skin", 0}});
    const Character shared = mushed(same.load());
    EXPECT_EQ(jsonOf(toGlb(shared))["meshes"].size(), 1U);
    EXPECT_EQ(*reload(shared).ddm, *shared.ddm);
}

TEST(DdmPayloadFile, NewNamesBindsAndJointsKeepThePayload) {
    Character c = reload(mushed(makeStrip().load()));
    const DdmPayload was = *c.ddm;
    c.skeleton.nodes[1].name = "renamed";
    c.skeleton.joints[1].inverse_bind = Affine3d(Mat3d{}, Vec3d{0, -1.25, 0});
    c.skeleton.nodes.push_back({"helper", 1, {}, {}});
    c.skeleton.joints.push_back({2, {}});
    const Character back = reload(c);
    ASSERT_TRUE(back.ddm);
    EXPECT_EQ(*back.ddm, was);
    EXPECT_EQ(back.skeleton.joints.size(), 3U);
}

TEST(DdmPayloadFile, CompressedPrimitivesGoOutPlain) {
    for (const GlbMaker& maker : {makeMeshoptStrip(), makeDracoStrip(0), makeDracoStrip(1)}) {
        const Character in = mushed(maker.load());
        const std::vector<std::byte> saved = toGlb(in);
        EXPECT_EQ(jsonOf(saved).dump().find("compression"), std::string::npos);
        const Character back = loadGltf(saved, "plain.glb");
        ASSERT_TRUE(back.ddm);
        EXPECT_EQ(*back.ddm, *in.ddm);
        expectEqual(back, in);
    }
}

TEST(DdmPayloadFile, WhatCannotBeWrittenIsRefused) {
    const Character good = mushed(makeStrip().load());
    const std::vector<std::function<void(Character&, DdmPayload&)>> faults = {
        [](Character& c, DdmPayload&) { c.weights = {}, c.source = nullptr; },
        [](Character&, DdmPayload& p) { p.rows.centers.pop_back(); },
        [](Character&, DdmPayload& p) { p.rows.psi.pop_back(); },
        [](Character&, DdmPayload& p) { p.rows.offsets[1] = 0; },
        [](Character&, DdmPayload& p) { p.rows.joints[0] = 2; },
        [](Character&, DdmPayload& p) { p.rows.blocks[0].xy = std::nanf(""); },
        [](Character&, DdmPayload& p) { p.rows.blocks[0].w += 0.1F; },
        [](Character&, DdmPayload& p) { p.bind.joints[0] = 2; },
        [](Character&, DdmPayload& p) { p.settings.lambda = std::nan(""); },
        [](Character&, DdmPayload& p) { p.settings.iterations = -1; }};
    for (std::size_t i = 0; i < faults.size(); ++i) {
        Character c = good;
        auto payload = std::make_shared<DdmPayload>(*good.ddm);
        faults[i](c, *payload);
        c.ddm = payload;
        try {
            toGlb(c);
            ADD_FAILURE() << "fault " << i;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_usage) << error.what();
        }
    }
    EXPECT_THROW(asStored({{0}, {}, {}, {}, {Vec3f{}}}, DdmEncoding::q16), Error);
}

}  // namespace
}  // namespace pelt::io::test
