// Payloads in glTF that are damaged or no longer fit.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/io/ddm_storage.h>

#include <cmath>
#include <cstdio>
#include <functional>

#include "glb_maker.h"
#include "payload_maker.h"

/// Payloads that no longer fit, are malformed, or cannot be written.
namespace pelt::io::test {
namespace {

void expectIgnored(std::span<const std::byte> glb, const std::string& words) {
    const auto [c, warnings] = loadGltf(glb, "stale.glb");
    EXPECT_FALSE(c.ddm) << words;
    ASSERT_EQ(warnings.size(), 1U) << words;
    EXPECT_NE(warnings[0].find(words), std::string::npos) << warnings[0];
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
        EXPECT_NE(line.find(kPayloadExtension), std::string::npos) << line;
    }
}

/// The file with `edit(extension)` applied to its JSON.
std::vector<std::byte> withExtension(std::span<const std::byte> glb, const std::function<void(Json&)>& edit) {
    Json json = jsonOf(glb);
    edit(payloadOf(json));
    return withJson(glb, json);
}

/// The position of the records in the file.
std::size_t recordsAt(std::span<const std::byte> glb, const char* key) {
    Json json = jsonOf(glb);
    const Json& extension = payloadOf(json);
    const Json& view = json["bufferViews"][extension["bufferView"].get<std::size_t>()];
    const std::size_t binary = glb.size() - json["buffers"][0]["byteLength"].get<std::size_t>();
    return binary + view.value("byteOffset", std::size_t(0)) + extension[key].get<std::size_t>();
}

template <class T>
std::vector<std::byte> withValue(std::vector<std::byte> glb, std::size_t at, T value) {
    std::memcpy(glb.data() + at, &value, sizeof value);
    return glb;
}

/// FNV-1a as described in docs/payload.md.
std::string hashOf(std::string_view bytes) {
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
    return digits;
}

TEST(DdmPayloadFaults, TheHashesAreThoseOfThePage) {
    GlbMaker maker = makeStrip();
    maker.json["skins"][0] = {{"joints", {1, 2}}};
    maker.json["nodes"][1]["name"] = "hip";
    maker.json["nodes"][2].erase("name");
    const std::vector<Vec3f> stored = makeStrip().load().mesh.positions;
    Json json = jsonOf(toGlb(mushed(maker.load())));
    const std::string_view positions(reinterpret_cast<const char*>(stored.data()), stored.size() * 12);
    EXPECT_EQ(payloadOf(json)["positionHash"], hashOf(positions));
    const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const std::string matrix(reinterpret_cast<const char*>(identity), sizeof identity);
    const std::string nothing(1, '\0');
    EXPECT_EQ(payloadOf(json)["jointsHash"], hashOf("hip" + nothing + matrix + nothing + matrix));
    EXPECT_EQ(hashOf("hip" + nothing + matrix), "3f8b7a820c06249a");
    const float two[6] = {0, 0, 0, 1, 2, 3};
    EXPECT_EQ(hashOf({reinterpret_cast<const char*>(two), sizeof two}), "932e9f9e1e67e7e8");
}

TEST(DdmPayloadFaults, APayloadThatNoLongerFitsIsIgnoredWithOneWarning) {
    const std::vector<std::byte> good = toGlb(mushed(makeTwoParts().load()));
    ASSERT_TRUE(loadGltf(good, "good.glb").character.ddm);
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
    payloadOf(json) = {{"version", 4}};
    expectIgnored(withJson(good, json), "version 4");
    json = jsonOf(good);
    json["meshes"][0]["primitives"][1].erase("extensions");
    expectIgnored(withJson(good, json), "has none");
    json = jsonOf(good);
    payloadOf(json, 0, 1)["variant"] = "v2";
    expectIgnored(withJson(good, json), "different settings");

    // Ignored data is not written again.
    const Character stale = loadGltf(withJson(good, json), "stale.glb").character;
    EXPECT_EQ(jsonOf(toGlb(stale)).dump().find(kPayloadExtension), std::string::npos);
}

TEST(DdmPayloadFaults, MalformedPayloadsAreRefusedInOneLine) {
    const std::vector<std::byte> good = toGlb(mushed(makeStrip().load()));
    const std::vector<std::pair<std::string, std::function<void(Json&)>>> edits = {
        {"must be a JSON object", [](Json& e) { e = 3; }},
        {"'version' is missing", [](Json& e) { e.erase("version"); }},
        {"'positionHash' is missing", [](Json& e) { e.erase("positionHash"); }},
        {"must be a string", [](Json& e) { e["jointsHash"] = 12; }},
        {"unknown name 'v7'", [](Json& e) { e["variant"] = "v7"; }},
        {"unknown name 'q8'", [](Json& e) { e["encoding"] = "q8"; }},
        {"does not exist", [](Json& e) { e["bufferView"] = 99; }},
        {"exceeds the buffer view", [](Json& e) { e["vertexOffset"] = 1 << 30; }},
        {"vertices exceed", [](Json& e) { e["vertexOffset"] = e["entryOffset"].get<int>() + 900; }},
        {"entries exceed", [](Json& e) { e["entryOffset"] = e["entryOffset"].get<int>() + 4; }},
        {"must be a non-negative integer", [](Json& e) { e["settings"]["iterations"] = -2; }},
        {"must be a number", [](Json& e) { e["settings"]["lambda"] = "much"; }},
        {"16 numbers",
         [](Json& e) {
             e["space"] = {1, 2};
         }},
        {"invertible", [](Json& e) { e["space"] = std::vector<double>(16, 0.0); }},
        {"'JOINTS_0' is missing", [](Json& e) { e["bind"] = Json::object(); }},
        {"does not exist", [](Json& e) { e["bind"]["JOINTS_0"] = 99; }}};
    for (const auto& [words, edit] : edits) expectRefused(withExtension(good, edit), words);
}

TEST(DdmPayloadFaults, AFittedSkinIsOneOfPlainBlending) {
    Character c = makeStrip().load();
    c.ddm = makeFittedPayload(c);
    const std::vector<std::byte> good = toGlb(c);
    expectRefused(withExtension(good, [](Json& e) { e["variant"] = "v0"; }), "has the variant v5");
    expectRefused(withExtension(good, [](Json& e) { e["fitted"] = 1; }), "must be");
    expectRefused(withValue(good, recordsAt(good, "entryOffset") + 4, 0.25F), "not to 1");
}

TEST(DdmPayloadFaults, MalformedRecordsAreRefusedInOneLine) {
    const std::vector<std::byte> good = toGlb(mushed(makeStrip().load()));
    const std::size_t vertex = recordsAt(good, "vertexOffset"), entry = recordsAt(good, "entryOffset");
    expectRefused(withValue(good, vertex + 12, 0U), "vertex 0 has no entry");
    expectRefused(withValue(good, vertex + 16 + 12, 0xFFFFFFFFU), "entries exceed");
    expectRefused(withValue(good, vertex, std::nanf("")), "not finite");
    expectRefused(withValue(good, entry, 2U), "uses joint 2, but the skin has 2");
    expectRefused(withValue(good, entry + 48, 0U), "names a joint twice");
    expectRefused(withValue(good, entry + 4, HUGE_VALF), "not finite");
    expectRefused(withValue(good, entry + 40, 0.25F), "not to 1");
    expectRefused(withValue(good, entry + 44, 0.25F), "not to 1");

    const std::vector<std::byte> small = toGlb(mushed(makeStrip().load(), DdmEncoding::q16));
    const std::size_t head = recordsAt(small, "vertexOffset"), block = recordsAt(small, "entryOffset");
    expectRefused(withValue(small, head + 12, std::uint16_t(0)), "has no entry");
    expectRefused(withValue(small, head + 14, std::int8_t(127)), "not finite");
    expectRefused(withValue(small, block, std::uint16_t(7)), "uses joint 7");
    std::vector<std::byte> zero = withValue(small, block + 22, std::uint16_t(0));
    expectRefused(withValue(zero, block + 24 + 22, std::uint16_t(0)), "all 0");
}

TEST(DdmPayloadFaults, WhatCannotBeWrittenIsRefused) {
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
        [](Character&, DdmPayload& p) { p.fitted = true; },
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
    DdmRows<float> without_rows;
    without_rows.centers = {Vec3f{}};
    EXPECT_THROW(asStored(without_rows, DdmEncoding::q16), Error);
}

}  // namespace
}  // namespace pelt::io::test
