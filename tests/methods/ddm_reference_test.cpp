// Direct Delta Mush against values that another implementation computed.
#include "deform/ddm/ddm_reference.h"

#include <gtest/gtest.h>
#include <pelt/deform/ddm.h>
#include <pelt/io/character_file.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "ddm_rows.h"
#include "shared_data.h"

// The variants of Direct Delta Mush against an independent double-precision implementation.

namespace pelt {
namespace {

/// The numbers of a .npy file of doubles in C order.
std::vector<double> readArray(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    const std::string bytes = text.str();
    const std::size_t start = bytes.find('\n') + 1;
    std::vector<double> values((bytes.size() - start) / sizeof(double));
    std::memcpy(values.data(), bytes.data() + start, values.size() * sizeof(double));
    return values;
}

double parameter(const std::string& json, const std::string& name) {
    return std::stod(json.substr(json.find(':', json.find('"' + name + '"')) + 1));
}

struct GoldenDdm {
    std::filesystem::path folder;
    Character character;
    DdmRows<double> rows;
    std::vector<Vec3d> rest;
    std::vector<std::vector<Affine3d>> frames;
    std::vector<double> gap;

    explicit GoldenDdm(const std::string& name) : folder(sharedPath("golden") / name) {
        character = io::loadCharacter(folder / "input.glb").character;
        std::stringstream text;
        text << std::ifstream(folder / "case.json").rdbuf();
        const std::string json = text.str();
        PlainDdm options;
        if (json.find("cotangent") != std::string::npos) options.laplacian = geometry::LaplacianKind::cotangent;
        options.iterations = int(parameter(json, "iterations"));
        options.lambda = parameter(json, "lambda");
        options.kappa = parameter(json, "kappa");
        options.alpha = parameter(json, "alpha");
        if (std::filesystem::exists(folder / "D_lambda.npy")) {
            options.lambda_map = readArray(folder / "D_lambda.npy");
            options.kappa_map = readArray(folder / "D_kappa.npy");
            options.alpha_map = readArray(folder / "D_alpha.npy");
        }
        const auto joints = std::size_t(parameter(json, "joints"));
        rows = plainDdmRows(character.mesh, character.weights, joints, options);
        for (const Vec3f& p : character.mesh.positions) rest.emplace_back(p);
        gap = readArray(folder / "rotation_gap.npy");
        const std::vector<double> matrices = readArray(folder / "joint_matrices.npy");
        for (std::size_t at = 0; at < matrices.size(); at += joints * 16) {
            frames.emplace_back(joints);
            for (std::size_t j = 0; j < joints; ++j)
                for (int k = 0; k < 16; ++k) frames.back()[j].m[k % 4 * 4 + k / 4] = matrices[at + j * 16 + k];
        }
    }

    /// The largest distance to the stored positions of a method where the rotation is well defined.
    template <class Pose>
    double error(const std::string& method, const Pose& pose) const {
        const std::vector<double> expected = readArray(folder / ("expected_" + method + ".npy"));
        if (expected.size() != frames.size() * rest.size() * 3 || gap.size() != frames.size() * rest.size()) return 1e9;
        std::vector<Vec3d> posed(rest.size());
        double largest = 0;
        for (std::size_t f = 0; f < frames.size(); ++f) {
            pose(frames[f], posed);
            for (std::size_t v = 0; v < rest.size(); ++v) {
                const std::size_t at = f * rest.size() + v;
                if (gap[at] < 1e-3) continue;
                const Vec3d e{expected[at * 3], expected[at * 3 + 1], expected[at * 3 + 2]};
                const double distance = length(posed[v] - e);
                largest = std::isfinite(distance) ? std::max(largest, distance) : 1e9;
            }
        }
        return largest;
    }
};

using deform::DdmForm;
constexpr std::pair<DdmForm, const char*> kNamedForms[] = {
    {DdmForm::v0, "ddm-v0"}, {DdmForm::v1, "ddm-v1"}, {DdmForm::v1_printed, "ddm-v1-printed"},
    {DdmForm::v2, "ddm-v2"}, {DdmForm::v3, "ddm-v3"}, {DdmForm::v4, "ddm-v4"},
    {DdmForm::eddm, "eddm"}};

class GoldenDdmTest : public testing::TestWithParam<const char*> {};

TEST_P(GoldenDdmTest, TheReferenceAgreesInEveryForm) {
    PELT_NEEDS_SHARED("golden");
    const GoldenDdm c(GetParam());
    for (const auto& [form, method] : kNamedForms) {
        const auto pose = [&, form = form](const std::vector<Affine3d>& bones, std::vector<Vec3d>& posed) {
            deform::reference::ddm<double>(form, {c.rest, {}}, c.rows, bones, {posed, {}});
        };
        EXPECT_LT(c.error(method, pose), 1e-10) << GetParam() << ' ' << method;
    }
}

TEST_P(GoldenDdmTest, TheKernelsAgreeInEveryForm) {
    PELT_NEEDS_SHARED("golden");
    const GoldenDdm c(GetParam());
    for (const auto& [form, method] : kNamedForms) {
        const deform::DdmRig rig = deform::packDdm(c.character.mesh, toFloat(c.rows), form);
        deform::DdmPose joints(rig);
        std::vector<Vec3f> out(c.rest.size());
        const auto pose = [&](const std::vector<Affine3d>& bones, std::vector<Vec3d>& posed) {
            std::vector<Affine3f> rounded;
            for (const Affine3d& b : bones) rounded.emplace_back(b);
            joints.set(rounded);
            evaluate(rig, joints, {}, 0, out.size(), {out, {}});
            for (std::size_t v = 0; v < out.size(); ++v) posed[v] = Vec3d(out[v]);
        };
        EXPECT_LT(c.error(method, pose), 2e-5) << GetParam() << ' ' << method;
    }
}

std::string referenceName(const testing::TestParamInfo<const char*>& info) {
    std::string name = info.param;
    std::erase(name, '-');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenDdmTest,
                         testing::Values("bar-rigid", "bar-translate", "bar-scale", "y-cotangent-maps"), referenceName);

}  // namespace
}  // namespace pelt
