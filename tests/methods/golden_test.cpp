// Plain skins against values that another implementation computed.
#include <gtest/gtest.h>
#include <pelt/deform/dqs.h>
#include <pelt/deform/lbs.h>
#include <pelt/io/character_file.h>
#include <pelt/io/sequence_file.h>

#include <fstream>
#include <sstream>

#include "deform/reference.h"
#include "shared_data.h"

// The classical methods against an independent double-precision implementation.

namespace pelt {
namespace {

/// The numbers of "times": [...] in a case.json.
std::vector<double> caseTimes(const std::filesystem::path& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    const std::string json = text.str();
    std::size_t at = json.find('[', json.find("\"times\"")) + 1;
    const std::size_t end = json.find(']', at);
    std::vector<double> times;
    while (at < end) {
        times.push_back(std::stod(json.substr(at)));
        at = std::min(json.find(',', at), end) + 1;
    }
    return times;
}

struct GoldenCase {
    Character character;
    std::vector<double> times;
    std::vector<Vec3d> centers;
};

GoldenCase loadGolden(const std::string& name) {
    const std::filesystem::path folder = sharedPath("golden") / name;
    GoldenCase c{io::loadCharacter(folder / "input.glb").character, caseTimes(folder / "case.json"), {}};
    c.centers = rig::jointRestPositions(c.character.skeleton);
    return c;
}

/// Runs `pose(bones, positions)` per frame and compares with the stored results of a method.
template <class Pose>
void expectGolden(const std::string& name, const GoldenCase& c, const std::string& method, const Pose& pose) {
    const auto expected = io::openSequence(sharedPath("golden") / name / ("expected_" + method + ".npy"));
    const std::size_t vertices = c.character.mesh.vertexCount();
    ASSERT_EQ(expected->frameCount(), c.times.size());
    ASSERT_EQ(expected->vertexCount(), vertices);
    std::vector<Vec3f> frame(vertices), posed(vertices);
    for (std::size_t f = 0; f < c.times.size(); ++f) {
        expected->readFrame(f, frame);
        pose(rig::skinMatrices(c.character.skeleton, &c.character.clips.at(0), c.times[f]), posed);
        double largest = 0;
        for (std::size_t v = 0; v < vertices; ++v) largest = std::max<double>(largest, length(posed[v] - frame[v]));
        EXPECT_LT(largest, 1e-5) << name << ' ' << method << " frame " << f;
    }
}

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, LinearBlendSkinning) {
    PELT_NEEDS_SHARED("golden");
    const GoldenCase c = loadGolden(GetParam());
    const deform::LbsRig rig = deform::prepareLbs(c.character.mesh, c.character.weights);
    deform::LbsPose pose(rig);
    expectGolden(GetParam(), c, "lbs", [&](const std::vector<Affine3f>& bones, std::span<Vec3f> out) {
        pose.set(bones);
        deform::evaluate(rig, pose, {}, 0, out.size(), {out, {}});
    });
}

TEST_P(Golden, DualQuaternionSkinning) {
    PELT_NEEDS_SHARED("golden");
    const GoldenCase c = loadGolden(GetParam());
    const deform::DqsRig rig = deform::prepareDqs(c.character.mesh, c.character.weights, c.centers);
    deform::DqsPose dqs_pose(rig);
    expectGolden(GetParam(), c, "dqs", [&](const std::vector<Affine3f>& bones, std::span<Vec3f> out) {
        dqs_pose.set(bones);
        deform::evaluate(rig, dqs_pose, {}, 0, out.size(), {out, {}});
    });
}

TEST_P(Golden, DualQuaternionReference) {
    PELT_NEEDS_SHARED("golden");
    const GoldenCase c = loadGolden(GetParam());
    std::vector<Vec3d> rest, posed(c.character.mesh.vertexCount());
    for (const Vec3f& p : c.character.mesh.positions) rest.emplace_back(p);
    expectGolden(GetParam(), c, "dqs", [&](const std::vector<Affine3f>& bones, std::span<Vec3f> out) {
        const std::vector<Affine3d> exact(bones.begin(), bones.end());
        deform::reference::dqs<double>({rest, {}}, c.character.weights, c.centers, exact, {posed, {}});
        for (std::size_t v = 0; v < out.size(); ++v) out[v] = Vec3f(posed[v]);
    });
}

std::string goldenName(const testing::TestParamInfo<const char*>& info) {
    std::string name = info.param;
    std::erase(name, '-');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, testing::Values("bar-rigid", "bar-translate", "bar-scale", "y-cotangent-maps"),
                         goldenName);

}  // namespace
}  // namespace pelt
