// Numbers at the edges of the types that files store them in.
#include <gtest/gtest.h>
#include <pelt/core/error.h>

#include "glb_maker.h"
#include "io/gltf/payload/ddm_records.h"

namespace pelt::io::test {
namespace {

/// A row of vertices with a few triangles, at both ends, and `joints` joints of which the last vertices use the last.
Character makeLong(std::size_t vertices, std::size_t joints, std::size_t influences = 1) {
    Character c;
    const auto last = std::uint32_t(vertices - 1);
    for (std::size_t v = 0; v < vertices; ++v) c.mesh.positions.push_back({float(v), float(v % 2), 0});
    c.mesh.triangles = {{0, 1, 2}, {last - 2, last - 1, last}, {0, 1, last}};
    c.skeleton.nodes.resize(joints);
    for (std::size_t j = 0; j < joints; ++j) {
        c.skeleton.nodes[j].name = "j" + std::to_string(j);
        c.skeleton.nodes[j].parent = j == 0 ? -1 : 0;
        c.skeleton.joints.push_back({std::uint32_t(j), {}});
    }
    std::vector<std::uint32_t> slots;
    std::vector<float> weights;
    for (std::size_t i = 0; i < influences; ++i) {
        slots.push_back(std::uint32_t(joints - 1 - i));
        weights.push_back(float(influences - i));
    }
    for (std::size_t v = 0; v < vertices; ++v) appendVertex(c.weights, slots, weights);
    return c;
}

const Json& accessorOf(const Json& json, const Json& index) { return json["accessors"][index.get<std::size_t>()]; }

TEST(GltfEdges, NoIndexIsTheOneThatRestartsPrimitives) {
    for (const std::size_t vertices : {255, 256, 257, 65535, 65536, 65537}) {
        const Character c = makeLong(vertices, 1);
        const std::vector<std::byte> glb = toGlb(c);
        const Json json = jsonOf(glb), indices = accessorOf(json, json["meshes"][0]["primitives"][0]["indices"]);
        const int type = indices["componentType"];
        const std::size_t restart = type == 5121 ? 255 : type == 5123 ? 65535 : 0xFFFFFFFF;
        EXPECT_LT(vertices - 1, restart) << vertices << " vertices in " << type;
        EXPECT_EQ(type, vertices <= 65535 ? 5123 : 5125) << "no wider than needed";
        EXPECT_EQ(loadGltf(glb, "long.glb").character.mesh.triangles, c.mesh.triangles) << vertices;
    }
}

TEST(GltfEdges, TheLastJointKeepsItsNumber) {
    for (const std::size_t joints : {2, 255, 256, 257, 1000}) {
        const Character c = makeLong(4, joints);
        const std::vector<std::byte> glb = toGlb(c);
        const Json json = jsonOf(glb);
        EXPECT_EQ(accessorOf(json, json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"])["componentType"],
                  joints <= 256 ? 5121 : 5123);
        EXPECT_EQ(loadGltf(glb, "joints.glb").character.weights, c.weights) << joints;
    }
    Character most = makeLong(4, 65535);
    EXPECT_EQ(loadGltf(toGlb(most), "most.glb").character.weights, most.weights);
    EXPECT_THROW(toGlb(makeLong(4, 65536)), Error) << "the last index would be 65535, of a skin that is too large";
}

TEST(GltfEdges, AnInfluenceMoreThanASetHoldsGetsASetMore) {
    for (const std::size_t influences : {4, 5, 8, 9}) {
        const Character c = makeLong(4, 12, influences);
        const std::vector<std::byte> glb = toGlb(c);
        const Json attributes = jsonOf(glb)["meshes"][0]["primitives"][0]["attributes"];
        const std::size_t sets = (influences + 3) / 4;
        EXPECT_TRUE(attributes.contains("JOINTS_" + std::to_string(sets - 1))) << influences;
        EXPECT_FALSE(attributes.contains("JOINTS_" + std::to_string(sets))) << influences;
        EXPECT_EQ(loadGltf(glb, "sets.glb").character.weights.joints, c.weights.joints);
    }
}

TEST(GltfEdges, MorphTargetsMoveTheVertexThatTheyName) {
    for (const std::uint32_t vertex : {255u, 256u, 65535u, 65536u}) {
        Character c = makeLong(65540, 1);
        c.mesh.morphs = {{"one", 0, 0, {vertex}, {{1, 2, 3}}, {}}};
        c.mesh.parts = {{"row", "", 0, 65540, 0, 3, 0}};
        const Character back = loadGltf(toGlb(c), "morph.glb").character;
        ASSERT_EQ(back.mesh.morphs.size(), 1u);
        EXPECT_EQ(back.mesh.morphs[0].vertices, (std::vector<std::uint32_t>{vertex}));
    }
}

/// What two joints get when their rows are stored in 16 bits and read again.
DdmRows<float> stored(const DdmRows<float>& rows, DdmEncoding encoding) {
    const gltf::DdmRecords records =
        gltf::encodeRecords(rows, 0, rows.vertexCount(), encoding, [](std::uint32_t slot) { return slot; });
    std::vector<std::uint32_t> slots(rows.joints.size());
    for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = std::uint32_t(i);
    DdmRows<float> back;
    EXPECT_EQ(gltf::appendRecords(records.vertices, records.entries, encoding, slots, back), "");
    return back;
}

TEST(GltfEdges, TheLargestNumberThatFits16BitsFitsAndTheNextDoesToo) {
    for (const int power : {-20, 0, 7})
        for (const double mantissa : {32766.6, 32767.0, 32767.4, 32767.5, 32767.6, 32768.0, 32769.0, 65534.0, 65536.0})
            for (const double sign : {1.0, -1.0}) {
                const auto largest = float(std::ldexp(sign * mantissa, power));
                SCOPED_TRACE(largest);
                DdmRows<float> rows;
                // P is symmetric, and the first moments of a row cancel.
                rows.blocks = {{largest, 0, 0, 0, 0, 0, largest, 0, 0, 0.75F},
                               {0, 0, 0, 0, 0, 0, -largest, 0, 0, 0.25F}};
                rows.joints = {0, 1};
                rows.psi = {0.5F, 0.5F};
                rows.centers = {{0, 0, 0}};
                rows.offsets = {0, 2};
                const DdmRows<float> back = stored(rows, DdmEncoding::q16);
                const double step = std::abs(largest) / 16383;  // of 15 bits at least
                EXPECT_NEAR(back.blocks[0].xx, largest, step);
                EXPECT_NEAR(back.blocks[0].x, largest, step);
                EXPECT_NEAR(back.blocks[1].x, -largest, step);
            }
}

TEST(GltfEdges, RowsOfAnyLengthKeepTheirSum) {
    for (const std::size_t entries : {1, 2, 3, 255, 256, 257}) {
        DdmRows<float> rows;
        for (std::size_t i = 0; i < entries; ++i) {
            rows.joints.push_back(std::uint32_t(i));
            rows.blocks.push_back({0, 0, 0, 0, 0, 0, 0, 0, 0, 1.0F / float(entries)});
            rows.psi.push_back(1.0F / float(entries));
        }
        rows.centers = {{0, 0, 0}};
        rows.offsets = {0, std::uint32_t(entries)};
        for (const DdmEncoding encoding : {DdmEncoding::q16, DdmEncoding::float32}) {
            const DdmRows<float> back = stored(rows, encoding);
            ASSERT_EQ(back.joints.size(), entries);
            double sum = 0;
            for (const DdmBlock<float>& block : back.blocks) sum += double(block.w);
            EXPECT_NEAR(sum, 1, 1e-6);
        }
    }
}

TEST(GltfEdges, NarrowNumbersOfOtherProgramsAreRead) {
    // 256 vertices by bytes, the last index 255, and 256 joints of which the last one is 255.
    GlbMaker maker;
    std::vector<float> positions;
    for (int v = 0; v < 256; ++v) positions.insert(positions.end(), {float(v), float(v % 2), 0});
    std::vector<std::uint8_t> joints(256 * 4, 0);
    for (int v = 0; v < 256; ++v) joints[std::size_t(4 * v)] = std::uint8_t(v);
    std::vector<float> weights(256 * 4, 0);
    for (int v = 0; v < 256; ++v) weights[std::size_t(4 * v)] = 1;
    const auto attributes = Json{{"POSITION", maker.addFloats(positions, "VEC3")},
                                 {"JOINTS_0", maker.addBytes(joints, "VEC4")},
                                 {"WEIGHTS_0", maker.addFloats(weights, "VEC4")}};
    const auto indices = maker.addBytes({0, 1, 2, 253, 254, 255}, "SCALAR");
    maker.json["meshes"] = {{{"primitives", {{{"attributes", attributes}, {"indices", indices}}}}}};
    maker.json["nodes"] = {{{"mesh", 0}, {"skin", 0}}};
    Json list = Json::array();
    for (int j = 0; j < 256; ++j) {
        list.push_back(maker.json["nodes"].size());
        maker.json["nodes"].push_back({{"name", "j" + std::to_string(j)}});
    }
    maker.json["skins"] = {{{"joints", list}}};
    const Character c = maker.load();
    EXPECT_EQ(c.mesh.triangles.back(), (Triangle{253, 254, 255}));
    EXPECT_EQ(c.skeleton.nodes[c.skeleton.joints[c.weights.jointsOf(255)[0]].node].name, "j255");
}

}  // namespace
}  // namespace pelt::io::test
