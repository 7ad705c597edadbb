// Damaged glTF files: read or refused, never worse.
#include <gtest/gtest.h>
#include <pelt/core/error.h>

#include <random>

#include "compressed_maker.h"
#include "payload_maker.h"

/// Damaged files: each loads or is refused with bad input, and what loads can be written and read again.
namespace pelt::io::test {
namespace {

struct Outcome {
    int loaded = 0, refused = 0;
};

void tryFile(std::span<const std::byte> bytes, Outcome& outcome) {
    try {
        Character c = loadGltf(bytes, "mutated.glb").character;
        ++outcome.loaded;
        try {
            toGlb(c);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
        }
        c.source = nullptr;
        EXPECT_NO_THROW(loadGltf(toGlb(c), "again.glb"));
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        ++outcome.refused;
    }
}

GlbMaker makeRichStrip() {
    GlbMaker maker = makeStrip();
    std::vector<float> offsets(30, 0.0F);
    offsets[14] = 1;
    Json& primitive = maker.json["meshes"][0]["primitives"][0];
    primitive["targets"] = Json::array({{{"POSITION", maker.addFloats(offsets, "VEC3")}}});
    maker.json["meshes"][0]["weights"] = {0.5};
    const auto indices = maker.addView(std::vector<std::uint8_t>{3, 7, 0, 0});
    const auto values = maker.addView(std::vector<float>{0, 0, 1, 0, 0, 1});
    maker.json["accessors"][1]["sparse"] = {{"count", 2},
                                            {"indices", {{"bufferView", indices}, {"componentType", 5121}}},
                                            {"values", {{"bufferView", values}}}};
    maker.json["nodes"][1]["rotation"] = {0.0, 0.0, 0.0, 1.0};
    return maker;
}

std::vector<std::byte> makeMushedStrip(DdmEncoding encoding) {
    Character c = makeStrip(3).load();
    const auto payload = makePayload(c, 0.8);
    payload->encoding = encoding;
    c.ddm = payload;
    c.weights = keepHeaviest(c.weights, 1);
    return toGlb(c);
}

std::vector<std::vector<std::byte>> seeds() {
    return {makeRichStrip().bytes(), makeMeshoptStrip().bytes(), makeDracoStrip(0).bytes(),
            makeMushedStrip(DdmEncoding::float32), makeMushedStrip(DdmEncoding::q16)};
}

/// Every number, string, bool and object of the document, for a mutation to pick one.
void collect(Json& json, std::vector<Json*>& out) {
    for (Json& child : json) {
        out.push_back(&child);
        if (child.is_structured()) collect(child, out);
    }
}

TEST(GltfMutation, TruncatedFiles) {
    Outcome outcome;
    for (const auto& seed : seeds())
        for (std::size_t length = 0; length < seed.size(); length += 1 + length / 7)
            tryFile(std::span(seed).first(length), outcome);
    EXPECT_EQ(outcome.loaded, 0);
}

TEST(GltfMutation, EveryValueOfTheJsonReplaced) {
    const std::vector<Json> values = {0,
                                      1,
                                      -1,
                                      3,
                                      99,
                                      1e9,
                                      4294967295U,
                                      1e300,
                                      "",
                                      true,
                                      Json(),
                                      "VEC2",
                                      0.5,
                                      Json::array(),
                                      Json::object(),
                                      "CUBICSPLINE",
                                      Json::array({0, 0, 0, 0})};
    Outcome outcome;
    std::mt19937 random(11);
    for (const auto& seed : seeds()) {
        const Json original = jsonOf(seed);
        Json counted = original;
        std::vector<Json*> all;
        collect(counted, all);
        for (std::size_t i = 0; i < all.size(); ++i) {
            Json mutated = original;
            std::vector<Json*> places;
            collect(mutated, places);
            *places[i] = values[random() % values.size()];
            tryFile(withJson(seed, mutated), outcome);
        }
    }
    EXPECT_GT(outcome.loaded, 20);
    EXPECT_GT(outcome.refused, 100);
}

TEST(GltfMutation, EveryKeyOfTheJsonRemoved) {
    Outcome outcome;
    for (const auto& seed : seeds()) {
        const Json original = jsonOf(seed);
        Json counted = original;
        std::vector<Json*> all;
        collect(counted, all);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (!all[i]->is_object()) continue;
            for (std::size_t k = 0; k < all[i]->size(); ++k) {
                Json mutated = original;
                std::vector<Json*> places;
                collect(mutated, places);
                auto key = places[i]->begin();
                std::advance(key, static_cast<std::ptrdiff_t>(k));
                places[i]->erase(std::string(key.key()));
                tryFile(withJson(seed, mutated), outcome);
            }
        }
    }
    EXPECT_GT(outcome.refused, 30);
}

TEST(GltfMutation, FlippedBytes) {
    Outcome outcome;
    std::mt19937 random(5);
    const auto all = seeds();
    for (int round = 0; round < 600; ++round) {
        std::vector<std::byte> bytes = all[static_cast<std::size_t>(round) % all.size()];
        for (std::size_t flips = 1 + random() % 3; flips > 0; --flips)
            bytes[random() % bytes.size()] = static_cast<std::byte>(random());
        tryFile(bytes, outcome);
    }
    EXPECT_GT(outcome.loaded, 50);
    EXPECT_GT(outcome.refused, 50);
}

TEST(GltfMutation, NotANumberAnywhereInTheBinary) {
    Outcome outcome;
    const std::vector<std::byte> seed = makeRichStrip().bytes();
    const std::size_t first = seed.size() - makeRichStrip().binary.size();
    for (std::size_t at = first / 4 * 4; at + 4 <= seed.size(); at += 4)
        for (const std::uint32_t bits : {0x7FC00000U, 0xFF800000U, 0x7F7FFFFFU}) {
            std::vector<std::byte> bytes = seed;
            std::memcpy(bytes.data() + at, &bits, 4);
            tryFile(bytes, outcome);
        }
    EXPECT_GT(outcome.loaded, 10 * outcome.refused);  // mended, as a rule
}

TEST(GltfMutation, AnyHalfWordOfAPayload) {
    Outcome outcome;
    for (const DdmEncoding encoding : {DdmEncoding::float32, DdmEncoding::q16}) {
        const std::vector<std::byte> seed = makeMushedStrip(encoding);
        Json json = jsonOf(seed);
        const std::size_t records = json["bufferViews"].back()["byteLength"].get<std::size_t>();
        for (std::size_t at = seed.size() - records; at + 2 <= seed.size(); at += 10)
            for (const std::uint16_t bits : {0x0000, 0x0001, 0x7FC0, 0xFF80, 0x7F7F, 0xFFFF}) {
                std::vector<std::byte> bytes = seed;
                std::memcpy(bytes.data() + at, &bits, 2);
                tryFile(bytes, outcome);
            }
    }
    EXPECT_GT(outcome.loaded, 100);
    EXPECT_GT(outcome.refused, 100);
}

}  // namespace
}  // namespace pelt::io::test
