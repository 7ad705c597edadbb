// Makes small .glb files by hand.
#include "glb_maker.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>

namespace pelt::io::test {
namespace {

void putU32(std::vector<std::byte>& out, std::uint64_t value) {
    for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::byte>(value >> shift & 0xFFU));
}

std::vector<std::byte> joined(std::string text, std::vector<std::byte> binary) {
    text.resize((text.size() + 3) / 4 * 4, ' ');
    binary.resize((binary.size() + 3) / 4 * 4);
    std::vector<std::byte> out;
    putU32(out, 0x46546C67);
    putU32(out, 2);
    putU32(out, 20 + text.size() + (binary.empty() ? 0 : 8 + binary.size()));
    putU32(out, text.size());
    putU32(out, 0x4E4F534A);
    const auto bytes = std::as_bytes(std::span(text));
    out.insert(out.end(), bytes.begin(), bytes.end());
    if (binary.empty()) return out;
    putU32(out, binary.size());
    putU32(out, 0x004E4942);
    out.insert(out.end(), binary.begin(), binary.end());
    return out;
}

std::uint32_t u32At(std::span<const std::byte> bytes, std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, 4);
    return value;
}

}  // namespace

std::size_t GlbMaker::addView(std::span<const std::byte> bytes, Json more) {
    binary.resize((binary.size() + 3) / 4 * 4);
    Json view = {{"buffer", 0}, {"byteOffset", binary.size()}, {"byteLength", bytes.size()}};
    view.update(more);
    binary.insert(binary.end(), bytes.begin(), bytes.end());
    json["bufferViews"].push_back(std::move(view));
    return json["bufferViews"].size() - 1;
}

std::size_t GlbMaker::addAccessor(Json members) {
    json["accessors"].push_back(std::move(members));
    return json["accessors"].size() - 1;
}

std::size_t GlbMaker::addPacked(std::span<const std::byte> bytes, int component, std::size_t count, const char* type,
                                Json more) {
    Json accessor = {{"bufferView", addView(bytes)}, {"componentType", component}, {"count", count}, {"type", type}};
    accessor.update(more);
    return addAccessor(std::move(accessor));
}

namespace {
std::size_t widthOf(const std::string& type) {
    return type == "SCALAR" ? 1 : type == "VEC2" ? 2 : type == "VEC3" ? 3 : type == "VEC4" ? 4 : 16;
}
}  // namespace

std::size_t GlbMaker::addFloats(const std::vector<float>& values, const char* type, Json more) {
    return addPacked(std::as_bytes(std::span(values)), 5126, values.size() / widthOf(type), type, std::move(more));
}
std::size_t GlbMaker::addBytes(const std::vector<std::uint8_t>& values, const char* type, Json more) {
    return addPacked(std::as_bytes(std::span(values)), 5121, values.size() / widthOf(type), type, std::move(more));
}
std::size_t GlbMaker::addShorts(const std::vector<std::uint16_t>& values, const char* type, Json more) {
    return addPacked(std::as_bytes(std::span(values)), 5123, values.size() / widthOf(type), type, std::move(more));
}

std::vector<std::byte> GlbMaker::bytes() const {
    Json whole = json;
    if (!whole.contains("buffers")) whole["buffers"] = Json::array({Json::object()});
    whole["buffers"][0]["byteLength"] = binary.size();
    return joined(whole.dump(), binary);
}

GlbMaker makeStrip(std::size_t rows) {
    GlbMaker maker;
    std::vector<float> positions, normals, uvs, weights;
    std::vector<std::uint8_t> joints;
    std::vector<std::uint16_t> indices;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t side = 0; side < 2; ++side) {
            const float t = static_cast<float>(r) / static_cast<float>(rows - 1);
            positions.insert(positions.end(), {side == 0 ? -0.5F : 0.5F, 2 * t, 0});
            normals.insert(normals.end(), {0, 0, 1});
            uvs.insert(uvs.end(), {static_cast<float>(side), t});
            const bool upper = t > 0.5F;
            joints.insert(joints.end(), {std::uint8_t(upper), std::uint8_t(!upper), 0, 0});
            weights.insert(weights.end(), {0.75F, 0.25F, 0, 0});
        }
    for (std::size_t r = 0; r + 1 < rows; ++r) {
        const auto a = static_cast<std::uint16_t>(2 * r);
        for (const int corner : {0, 1, 2, 1, 3, 2}) indices.push_back(static_cast<std::uint16_t>(a + corner));
    }
    Json attributes = {
        {"POSITION", maker.addFloats(positions, "VEC3", {{"min", {-0.5, 0.0, 0.0}}, {"max", {0.5, 2.0, 0.0}}})},
        {"NORMAL", maker.addFloats(normals, "VEC3")},
        {"TEXCOORD_0", maker.addFloats(uvs, "VEC2")},
        {"JOINTS_0", maker.addBytes(joints, "VEC4")},
        {"WEIGHTS_0", maker.addFloats(weights, "VEC4")}};
    const std::size_t index = maker.addShorts(indices, "SCALAR");
    maker.json["materials"] = Json::array({{{"name", "skin"}, {"extras", {{"note", "keep me"}}}}});
    maker.json["meshes"] = Json::array(
        {{{"name", "strip"},
          {"primitives", Json::array({{{"attributes", attributes}, {"indices", index}, {"material", 0}}})}}});
    maker.json["nodes"] = Json::array({{{"name", "body"}, {"mesh", 0}, {"skin", 0}},
                                       {{"name", "lower"}, {"children", {2}}},
                                       {{"name", "upper"}, {"translation", {0.0, 1.0, 0.0}}},
                                       {{"name", "eye"}, {"camera", 0}}});
    std::vector<float> matrices(32, 0.0F);
    for (const std::size_t i : {0, 5, 10, 15, 16, 21, 26, 31}) matrices[i] = 1;
    matrices[29] = -1;
    maker.json["skins"] =
        Json::array({{{"inverseBindMatrices", maker.addFloats(matrices, "MAT4")}, {"joints", {1, 2}}}});
    const std::size_t input = maker.addFloats({0, 1}, "SCALAR", {{"min", {0.0}}, {"max", {1.0}}});
    const std::size_t output = maker.addFloats({0, 0, 0, 1, 0, 0, 0.70710678F, 0.70710678F}, "VEC4");
    maker.json["animations"] =
        Json::array({{{"name", "bend"},
                      {"channels", Json::array({{{"sampler", 0}, {"target", {{"node", 2}, {"path", "rotation"}}}}})},
                      {"samplers", Json::array({{{"input", input}, {"output", output}}})}}});
    maker.json["cameras"] = Json::array({{{"type", "perspective"}, {"perspective", {{"yfov", 1.0}, {"znear", 0.1}}}}});
    maker.json["extensionsUsed"] = {"TEST_nobody_knows"};
    maker.json["extensions"] = {{"TEST_nobody_knows", {{"answer", 42}}}};
    maker.json["scene"] = 0;
    maker.json["scenes"] = Json::array({{{"nodes", {0, 1, 3}}}});
    return maker;
}

Json jsonOf(std::span<const std::byte> glb) {
    const auto* text = reinterpret_cast<const char*>(glb.data() + 20);
    return Json::parse(text, text + u32At(glb, 12));
}

std::vector<std::byte> withJson(std::span<const std::byte> glb, const Json& json) {
    const std::size_t at = 20 + u32At(glb, 12);
    std::vector<std::byte> binary;
    if (glb.size() > at + 8) binary.assign(glb.begin() + static_cast<std::ptrdiff_t>(at + 8), glb.end());
    return joined(json.dump(), std::move(binary));
}

namespace {

void expectEqualMesh(const Mesh& a, const Mesh& b) {
    EXPECT_EQ(a.positions, b.positions);
    EXPECT_EQ(a.normals, b.normals);
    EXPECT_EQ(a.tangents, b.tangents);
    EXPECT_EQ(a.uvs, b.uvs);
    EXPECT_EQ(a.triangles, b.triangles);
    ASSERT_EQ(a.parts.size(), b.parts.size());
    for (std::size_t p = 0; p < a.parts.size(); ++p) {
        EXPECT_EQ(a.parts[p].name, b.parts[p].name);
        EXPECT_EQ(a.parts[p].material, b.parts[p].material);
        EXPECT_EQ(a.parts[p].first_vertex, b.parts[p].first_vertex);
        EXPECT_EQ(a.parts[p].vertex_count, b.parts[p].vertex_count);
        EXPECT_EQ(a.parts[p].first_triangle, b.parts[p].first_triangle);
        EXPECT_EQ(a.parts[p].triangle_count, b.parts[p].triangle_count);
        EXPECT_EQ(a.parts[p].instance, b.parts[p].instance);
    }
    ASSERT_EQ(a.morphs.size(), b.morphs.size());
    for (std::size_t m = 0; m < a.morphs.size(); ++m) {
        EXPECT_EQ(a.morphs[m].name, b.morphs[m].name);
        EXPECT_EQ(a.morphs[m].instance, b.morphs[m].instance);
        EXPECT_EQ(a.morphs[m].default_weight, b.morphs[m].default_weight);
        EXPECT_EQ(a.morphs[m].vertices, b.morphs[m].vertices);
        EXPECT_EQ(a.morphs[m].position_offsets, b.morphs[m].position_offsets);
        EXPECT_EQ(a.morphs[m].normal_offsets, b.morphs[m].normal_offsets);
    }
    ASSERT_EQ(a.attributes.size(), b.attributes.size());
    for (std::size_t i = 0; i < a.attributes.size(); ++i) {
        EXPECT_EQ(a.attributes[i].name, b.attributes[i].name);
        EXPECT_EQ(a.attributes[i].values, b.attributes[i].values);
    }
}

void expectEqualMatrix(const Affine3d& a, const Affine3d& b) {
    for (int i = 0; i < 16; ++i) EXPECT_EQ(a.m[i], b.m[i]);
}

void expectEqualSkeleton(const Skeleton& a, const Skeleton& b) {
    ASSERT_EQ(a.nodes.size(), b.nodes.size());
    for (std::size_t n = 0; n < a.nodes.size(); ++n) {
        EXPECT_EQ(a.nodes[n].name, b.nodes[n].name);
        EXPECT_EQ(a.nodes[n].parent, b.nodes[n].parent);
        EXPECT_EQ(a.nodes[n].matrix.has_value(), b.nodes[n].matrix.has_value());
        expectEqualMatrix(rig::restLocal(a.nodes[n]), rig::restLocal(b.nodes[n]));
    }
    ASSERT_EQ(a.joints.size(), b.joints.size());
    for (std::size_t j = 0; j < a.joints.size(); ++j) {
        EXPECT_EQ(a.joints[j].node, b.joints[j].node);
        expectEqualMatrix(a.joints[j].inverse_bind, b.joints[j].inverse_bind);
    }
}

void expectEqualClip(const Clip& a, const Clip& b) {
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.first_key, b.first_key);
    EXPECT_EQ(a.last_key, b.last_key);
    ASSERT_EQ(a.channels.size(), b.channels.size());
    for (std::size_t i = 0; i < a.channels.size(); ++i) {
        EXPECT_EQ(a.channels[i].path, b.channels[i].path);
        EXPECT_EQ(a.channels[i].target, b.channels[i].target);
        EXPECT_EQ(a.channels[i].interpolation, b.channels[i].interpolation);
        EXPECT_EQ(a.channels[i].width, b.channels[i].width);
        EXPECT_EQ(a.channels[i].times, b.channels[i].times);
        EXPECT_EQ(a.channels[i].values, b.channels[i].values);
    }
}

}  // namespace

void expectEqual(const Character& a, const Character& b) {
    expectEqualMesh(a.mesh, b.mesh);
    expectEqualSkeleton(a.skeleton, b.skeleton);
    EXPECT_EQ(a.weights, b.weights);
    ASSERT_EQ(a.clips.size(), b.clips.size());
    for (std::size_t c = 0; c < a.clips.size(); ++c) expectEqualClip(a.clips[c], b.clips[c]);
}

TemporaryFolder::TemporaryFolder() {
    static std::atomic<int> serial{0};
    path_ = std::filesystem::temp_directory_path() / fmt::format("pelt-gltf-{}-{}", ::getpid(), serial++);
    std::filesystem::create_directories(path_);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace pelt::io::test
