// Files and helpers for tests of imports.
#include "import_support.h"

#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <stdlib.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

#include "places.h"

namespace fs = std::filesystem;
using namespace pelt;

fs::path importData(const std::string& name) { return fs::path(kTestData) / "import" / name; }

std::string readBytes(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in) << path;
    return {std::istreambuf_iterator<char>(in), {}};
}

Frames readTruth(const std::string& name) {
    const std::string bytes = readBytes(importData(name + ".truth.npy"));
    std::size_t frames = 0, vertices = 0;
    const std::size_t shape = bytes.find("(") + 1;
    EXPECT_EQ(std::sscanf(bytes.c_str() + shape, "%zu, %zu", &frames, &vertices), 2);
    const char* data = bytes.data() + bytes.size() - frames * vertices * sizeof(Vec3f);
    Frames result(frames, std::vector<Vec3f>(vertices));
    for (std::size_t f = 0; f < frames; ++f)
        for (std::size_t v = 0; v < vertices; ++v)
            std::memcpy(&result[f][v], data + (f * vertices + v) * sizeof(Vec3f), sizeof(Vec3f));
    return result;
}

std::vector<Vec3f> skinLinearlyAt(const Character& character, const Clip* clip, double t) {
    std::vector<Vec3f> points = character.mesh.positions;
    rig::addMorphs(character.mesh, rig::morphWeights(character.mesh, clip, t), points, {});
    if (character.weights.empty()) return points;
    const std::vector<Affine3d> bones = rig::skinMatricesDouble(character.skeleton, clip, t);
    for (std::size_t v = 0; v < points.size(); ++v) {
        Vec3d sum;
        for (std::size_t i = 0; i < character.weights.influenceCount(v); ++i)
            sum +=
                bones[character.weights.jointsOf(v)[i]] * Vec3d(points[v]) * double(character.weights.weightsOf(v)[i]);
        points[v] = Vec3f(sum);
    }
    return points;
}

Frames skinLinearly(const Character& character, std::size_t frames, double fps) {
    Frames shown;
    const Clip* clip = character.clips.empty() ? nullptr : &character.clips.front();
    for (std::size_t f = 0; f < frames; ++f) shown.push_back(skinLinearlyAt(character, clip, double(f) / fps));
    return shown;
}

double distanceToTruth(const Frames& shown, const Frames& truth) {
    double worst = 0;
    for (std::size_t v = 0; v < shown[0].size(); ++v) {
        std::size_t nearest = 0;
        float least = std::numeric_limits<float>::max();
        for (std::size_t t = 0; t < truth[0].size(); ++t)
            if (const float d = length(truth[0][t] - shown[0][v]); d < least) least = d, nearest = t;
        for (std::size_t f = 0; f < shown.size(); ++f)
            worst = std::max(worst, double(length(truth[f][nearest] - shown[f][v])));
    }
    return worst;
}

ScratchFolder::ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "pelt_import_XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    path_ = name;
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

fs::path ScratchFolder::write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
}

std::string importFault(const fs::path& path, const io::ImportOptions& options) {
    try {
        io::importCharacter(path, options);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find(path.filename().string()), std::string::npos) << error.what();
        return error.what();
    }
    return {};
}
