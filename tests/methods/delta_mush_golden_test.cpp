// Delta Mush against values that another implementation computed.
#include <gtest/gtest.h>
#include <pelt/deform/delta_mush.h>
#include <pelt/io/character_file.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "deform/delta_mush/delta_mush_reference.h"
#include "shared_data.h"

// Delta Mush with Procrustes frames against an independent double-precision implementation.

namespace pelt {
namespace {

std::string readAll(const std::filesystem::path& path) {
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

/// The numbers of a .npy of version 1 in double precision.
std::vector<double> readDoubles(const std::filesystem::path& path) {
    const std::string bytes = readAll(path);
    const std::size_t header = 10 + std::uint8_t(bytes.at(8)) + 256 * std::uint8_t(bytes.at(9));
    EXPECT_NE(bytes.substr(0, header).find("'<f8', 'fortran_order': False"), std::string::npos) << path;
    std::vector<double> values((bytes.size() - header) / sizeof(double));
    std::memcpy(values.data(), bytes.data() + header, values.size() * sizeof(double));
    return values;
}

std::vector<Vec3d> readVectors(const std::filesystem::path& path) {
    const auto numbers = readDoubles(path);
    std::vector<Vec3d> vectors;
    for (std::size_t i = 0; i + 2 < numbers.size(); i += 3)
        vectors.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
    return vectors;
}

/// What follows "key": in a case.json.
std::string valueOf(const std::string& json, const std::string& key) {
    return json.substr(json.find(':', json.find('"' + key + '"')) + 2);
}

struct MushCase {
    Character character;
    deform::DeltaMushOptions options;
    std::vector<Affine3d> bones;  ///< frame by frame, the joints of each
    std::vector<Vec3d> expected;  ///< frame by frame
    std::vector<double> gap;

    std::size_t frameCount() const { return expected.size() / character.mesh.vertexCount(); }
    std::size_t jointCount() const { return character.skeleton.joints.size(); }
    std::span<const Affine3d> bonesOf(std::size_t frame) const {
        return std::span(bones).subspan(frame * jointCount(), jointCount());
    }

    /// The largest distance where the rotation is well defined.
    template <class Point>
    double error(std::size_t frame, const std::vector<Point>& posed) const {
        double largest = 0;
        for (std::size_t v = 0; v < posed.size(); ++v) {
            const std::size_t i = frame * posed.size() + v;
            if (gap[i] < 1e-3) continue;
            const double d = length(Vec3d(posed[v]) - expected[i]);
            largest = std::isfinite(d) ? std::max(largest, d) : 1e300;
        }
        return largest;
    }
};

MushCase loadCase(const char* name) {
    const std::filesystem::path folder = sharedPath("golden") / name;
    const std::string json = readAll(folder / "case.json");
    MushCase c{io::loadCharacter(folder / "input.glb").character, {}, {}, {}, {}};
    c.expected = readVectors(folder / "expected_delta-mush-procrustes.npy");
    c.gap = readDoubles(folder / "rotation_gap.npy");

    c.options.laplacian = valueOf(json, "laplacian").starts_with("\"uniform") ? geometry::LaplacianKind::uniform
                                                                              : geometry::LaplacianKind::cotangent;
    c.options.smoothing = valueOf(json, "scheme").starts_with("\"implicit") ? geometry::SmoothingKind::implicit
                                                                            : geometry::SmoothingKind::explicit_;
    c.options.iterations = std::stoi(valueOf(json, "iterations"));
    c.options.lambda.assign(c.character.mesh.vertexCount(), 1.0);
    if (std::filesystem::exists(folder / "D_lambda.npy")) c.options.lambda = readDoubles(folder / "D_lambda.npy");
    for (double& lambda : c.options.lambda) lambda *= std::stod(valueOf(json, "lambda"));

    const auto matrices = readDoubles(folder / "joint_matrices.npy");  // 4x4 by rows
    for (std::size_t i = 0; i < matrices.size(); i += 16) {
        Affine3d& bone = c.bones.emplace_back();
        for (int r = 0; r < 3; ++r)
            for (int k = 0; k < 4; ++k) bone.m[4 * k + r] = matrices[i + std::size_t(4 * r + k)];
    }
    return c;
}

class DeltaMushGolden : public testing::TestWithParam<const char*> {};

TEST_P(DeltaMushGolden, SinglePrecision) {
    PELT_NEEDS_SHARED("golden");
    const MushCase c = loadCase(GetParam());
    const std::size_t count = c.character.mesh.vertexCount();
    const auto rig = deform::prepareDeltaMush(c.character.mesh, c.character.weights, c.options);
    deform::DeltaMushPose pose(rig);
    std::vector<Vec3f> posed(count);
    ASSERT_GT(c.frameCount(), 1u);
    for (std::size_t f = 0; f < c.frameCount(); ++f) {
        const auto bones = c.bonesOf(f);
        pose.set(std::vector<Affine3f>(bones.begin(), bones.end()));
        evaluate(rig, pose, {}, 0, count, {posed, {}});
        EXPECT_LT(c.error(f, posed), 2e-6) << "frame " << f;
    }
}

TEST_P(DeltaMushGolden, DoublePrecision) {
    PELT_NEEDS_SHARED("golden");
    const MushCase c = loadCase(GetParam());
    const Mesh& mesh = c.character.mesh;
    const std::vector<Vec3d> rest(mesh.positions.begin(), mesh.positions.end());
    const auto matrix = deform::reference::smoothingMatrix(rest, mesh.triangles, c.options);
    std::vector<Vec3d> posed(rest.size());
    for (std::size_t f = 0; f < c.frameCount(); ++f) {
        deform::reference::deltaMush({rest, {}}, c.character.weights, matrix, c.bonesOf(f), {posed, {}});
        EXPECT_LT(c.error(f, posed), 1e-10) << "frame " << f;
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, DeltaMushGolden,
                         testing::Values("bar-rigid", "bar-translate", "bar-scale", "y-cotangent-maps"),
                         [](const testing::TestParamInfo<const char*>& param) {
                             std::string name = param.param;
                             std::erase(name, '-');
                             return name;
                         });

}  // namespace
}  // namespace pelt
