// Sequences as morph targets in .glb.
#include <pelt/io/mesh_file.h>
#include <pelt/io/sequence_file.h>
#include <sys/wait.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/mesh/file_test_tools.h"
#include "places.h"

using namespace pelt;
using namespace pelt::test;

namespace {

/// Parses a .glb independently, so that the writer is not checked by the library's own reader.
struct Glb {
    nlohmann::json json;
    std::vector<std::byte> bin;

    explicit Glb(const std::filesystem::path& path) {
        const std::vector<std::byte> file = io::readFile(path);
        const auto word = [&](std::size_t at) {
            std::uint32_t value = 0;
            std::memcpy(&value, file.data() + at, 4);
            return value;
        };
        EXPECT_EQ(word(0), 0x46546C67u);
        EXPECT_EQ(word(4), 2u);
        EXPECT_EQ(word(8), file.size());
        const std::uint32_t json_bytes = word(12);
        EXPECT_EQ(word(16), 0x4E4F534Au);
        EXPECT_EQ(json_bytes % 4, 0u);
        const auto* text = reinterpret_cast<const char*>(file.data()) + 20;
        json = nlohmann::json::parse(text, text + json_bytes);
        EXPECT_EQ(word(20 + json_bytes), file.size() - 28 - json_bytes);
        EXPECT_EQ(word(24 + json_bytes), 0x004E4942u);
        bin.assign(file.begin() + 28 + json_bytes, file.end());
        EXPECT_EQ(json["buffers"][0]["byteLength"].get<std::size_t>(), bin.size());
    }

    template <class T>
    std::vector<T> read(std::size_t accessor_index) const {
        const auto& accessor = json["accessors"][accessor_index];
        const auto& view = json["bufferViews"][accessor["bufferView"].get<std::size_t>()];
        const std::size_t offset = view["byteOffset"].get<std::size_t>() + accessor.value("byteOffset", std::size_t(0));
        const std::size_t width = accessor["type"] == "VEC3" ? 3 : accessor["type"] == "VEC2" ? 2 : 1;
        std::vector<T> values(accessor["count"].get<std::size_t>() * width * 4 / sizeof(T));
        EXPECT_LE(offset + values.size() * sizeof(T), bin.size());
        std::memcpy(values.data(), bin.data() + offset, values.size() * sizeof(T));
        return values;
    }

    /// min and max must be the extremes of the floats that are there.
    void expectExactExtent(std::size_t accessor) const {
        const std::vector<Vec3f> values = read<Vec3f>(accessor);
        for (int k = 0; k < 3; ++k) {
            float low = values[0][k], high = low;
            for (const Vec3f& v : values) low = std::min(low, v[k]), high = std::max(high, v[k]);
            EXPECT_EQ(json["accessors"][accessor]["min"][static_cast<std::size_t>(k)].get<double>(), double(low));
            EXPECT_EQ(json["accessors"][accessor]["max"][static_cast<std::size_t>(k)].get<double>(), double(high));
        }
    }
};

std::vector<std::vector<Vec3f>> wave(const Mesh& mesh, std::size_t frames) {
    std::vector<std::vector<Vec3f>> all(frames, mesh.positions);
    for (std::size_t f = 0; f < frames; ++f)
        for (Vec3f& p : all[f]) p.z += std::sin(p.x + 0.37f * static_cast<float>(f)) - 1e-30f;
    return all;
}

void writeMorphs(const std::filesystem::path& path, const std::vector<std::vector<Vec3f>>& frames, const Mesh* mesh) {
    const auto writer = io::createSequence(path, {frames.size(), frames[0].size(), 1.0 / 24, mesh});
    for (const auto& frame : frames) writer->write(frame);
    writer->finish();
}

}  // namespace

TEST(MorphGlb, BasePlusTargetIsTheFrameAndWeightsAreOneHot) {
    const TempFolder folder;
    const Mesh mesh = gridMesh(6);
    const auto frames = wave(mesh, 7);
    writeMorphs(folder / "a.glb", frames, &mesh);
    const Glb glb(folder / "a.glb");
    const auto& primitive = glb.json["meshes"][0]["primitives"][0];
    const std::size_t base_accessor = primitive["attributes"]["POSITION"];
    const auto base = glb.read<Vec3f>(base_accessor);
    expectSameBits(base, mesh.positions);
    glb.expectExactExtent(base_accessor);
    EXPECT_EQ(glb.read<Triangle>(primitive["indices"]), mesh.triangles);
    EXPECT_EQ(glb.read<Vec2f>(primitive["attributes"]["TEXCOORD_0"]), mesh.uvs);
    ASSERT_EQ(primitive["targets"].size(), frames.size());
    for (std::size_t f = 0; f < frames.size(); ++f) {
        const std::size_t target = primitive["targets"][f]["POSITION"];
        glb.expectExactExtent(target);
        const auto offsets = glb.read<Vec3f>(target);
        for (std::size_t v = 0; v < base.size(); ++v) EXPECT_LE(length(base[v] + offsets[v] - frames[f][v]), 1e-6f);
    }
    const auto& animation = glb.json["animations"][0];
    EXPECT_EQ(animation["samplers"][0]["interpolation"], "LINEAR");
    EXPECT_EQ(animation["channels"][0]["target"]["path"], "weights");
    const auto times = glb.read<float>(animation["samplers"][0]["input"]);
    const auto weights = glb.read<float>(animation["samplers"][0]["output"]);
    ASSERT_EQ(times.size(), frames.size());
    ASSERT_EQ(weights.size(), frames.size() * frames.size());
    for (std::size_t f = 0; f < frames.size(); ++f) {
        EXPECT_EQ(times[f], static_cast<float>(static_cast<double>(f) / 24));
        for (std::size_t k = 0; k < frames.size(); ++k) EXPECT_EQ(weights[f * frames.size() + k], f == k ? 1.0f : 0.0f);
    }
}

TEST(MorphGlb, WithoutAMeshTheFirstFrameIsTheBase) {
    const TempFolder folder;
    const auto frames = wave(gridMesh(3), 2);
    writeMorphs(folder / "a.glb", frames, nullptr);
    const Glb glb(folder / "a.glb");
    const auto& primitive = glb.json["meshes"][0]["primitives"][0];
    EXPECT_EQ(primitive["mode"], 0);
    EXPECT_FALSE(primitive.contains("indices"));
    expectSameBits(glb.read<Vec3f>(primitive["attributes"]["POSITION"]), frames[0]);
    EXPECT_EQ(glb.read<Vec3f>(primitive["targets"][0]["POSITION"]), std::vector<Vec3f>(9));
}

TEST(MorphGlb, AnyFloatsFitTheRoomThatIsKeptForTheJson) {
    const TempFolder folder;
    std::vector<std::vector<Vec3f>> frames;
    for (unsigned f = 0; f < 60; ++f) {
        frames.push_back(anyPoints(2, f));
        for (Vec3f& p : frames.back()) p *= 0.25f;  // so that no difference overflows
    }
    writeMorphs(folder / "a.glb", frames, nullptr);
    const Glb glb(folder / "a.glb");
    for (const auto& target : glb.json["meshes"][0]["primitives"][0]["targets"])
        glb.expectExactExtent(target["POSITION"]);
}

TEST(MorphGlb, TheSameFramesGiveTheSameBytes) {
    const TempFolder folder;
    const Mesh mesh = gridMesh(4);
    for (const char* name : {"a.glb", "b.glb"}) writeMorphs(folder / name, wave(mesh, 3), &mesh);
    EXPECT_EQ(io::readFile(folder / "a.glb"), io::readFile(folder / "b.glb"));
}

TEST(MorphGlb, TheKhronosValidatorFindsNothing) {
    const TempFolder folder;
    const Mesh mesh = gridMesh(4);
    writeMorphs(folder / "mesh.glb", wave(mesh, 5), &mesh);
    writeMorphs(folder / "points.glb", wave(mesh, 1), nullptr);
    const std::string script = (std::filesystem::path(kTestData) / "../../scripts/validate_gltf").string();
    const std::string files = " '" + (folder / "mesh.glb").string() + "' '" + (folder / "points.glb").string() + "'";
    const std::string report_path = (folder / "report").string();
    const int status = std::system(("'" + script + "'" + files + " > '" + report_path + "' 2> /dev/null").c_str());
    if (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127) GTEST_SKIP() << "needs node and gltf-validator";
    ASSERT_EQ(status, 0);
    const auto report = io::readFile(report_path);
    std::istringstream lines(std::string(reinterpret_cast<const char*>(report.data()), report.size()));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        const auto found = nlohmann::json::parse(line);
        EXPECT_TRUE(found["errors"].empty() && found["warnings"].empty()) << line;
    }
    EXPECT_EQ(count, 2);
}

TEST(MorphGlb, LoadsAsAMeshWithAMorphTargetPerFrame) {
    const TempFolder folder;
    const Mesh mesh = gridMesh(5);
    writeMorphs(folder / "a.glb", wave(mesh, 3), &mesh);
    const Mesh back = io::loadMesh(folder / "a.glb");
    expectSameBits(back.positions, mesh.positions);
    EXPECT_EQ(back.triangles, mesh.triangles);
    EXPECT_EQ(back.morphs.size(), 3u);
}
