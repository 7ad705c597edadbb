// The examples of the muscular arm.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/scenes/scenes.h>

#include "scene_checks.h"
#include "self_intersection.h"

namespace pelt::scenes {
namespace {

constexpr std::size_t kResolution = 3000;

class ArmExamples : public testing::Test {
protected:
    // Made once: meshing the arm takes longer than all the tests together.
    static void SetUpTestSuite() {
        arm = find("arm")->make(kResolution);
        examples = armExamples(kResolution, 30);
    }
    static void TearDownTestSuite() {
        arm = {};
        examples.reset();
    }
    inline static Character arm;
    inline static std::unique_ptr<MeshSequence> examples;

    std::vector<Vec3f> frameAt(double seconds) {
        std::vector<Vec3f> positions(examples->vertexCount());
        examples->readFrame(static_cast<std::size_t>(std::lround(seconds * 30)), positions);
        return positions;
    }
    std::vector<Affine3d> bonesAt(double seconds) const {
        return rig::skinMatricesDouble(arm.skeleton, &arm.clips[0], seconds);
    }
};

TEST_F(ArmExamples, HaveTheVertexOrderAndTheSamplesOfTheScene) {
    ASSERT_EQ(examples->vertexCount(), arm.mesh.vertexCount());
    EXPECT_EQ(examples->frameCount(), rig::sampleTimes(arm.clips[0], 30).size());
    EXPECT_DOUBLE_EQ(examples->frameSeconds(), 1.0 / 30);
    ASSERT_NE(examples->mesh(), nullptr);
    EXPECT_EQ(examples->mesh()->positions, arm.mesh.positions);
    EXPECT_EQ(examples->mesh()->triangles, arm.mesh.triangles);
    EXPECT_THROW(armExamples(kResolution, 0), Error);
}

TEST_F(ArmExamples, StartAtRest) {
    const auto first = frameAt(0);
    for (std::size_t v = 0; v < first.size(); ++v) EXPECT_NEAR(length(first[v] - arm.mesh.positions[v]), 0, 1e-6);
}

TEST_F(ArmExamples, FollowTheBonesAwayFromTheJoints) {
    for (const double t : {0.4, 1.5, 2.6, 4.2}) {
        const auto bones = bonesAt(t);
        const auto frame = frameAt(t);
        for (std::size_t v = 0; v < frame.size(); ++v) {
            const Vec3d rest(arm.mesh.positions[v]);
            const int bone = rest.x < 0.02 ? 0 : rest.x > 0.585 ? 2 : -1;
            if (bone >= 0) {
                EXPECT_NEAR(length(Vec3d(frame[v]) - bones[bone] * rest), 0, 2e-6);
            }
        }
    }
}

TEST_F(ArmExamples, KeepTheVolumeWithinAFewPercentAtEveryFrame) {
    const double rest = signedVolume(arm.mesh.positions, arm.mesh.triangles);
    for (double t = 0; t <= 6; t += 0.25) {
        EXPECT_NEAR(signedVolume(frameAt(t), arm.mesh.triangles) / rest, 1, 0.05) << t;
    }
}

TEST_F(ArmExamples, TheBicepsBulgesNonLinearlyWithTheElbow) {
    double rest_height = 0, half_height = 0, full_height = 0, half_angle = 0, full_angle = 0;
    const auto highest = [&](double t, double& angle) {
        const auto locals = rig::sampleLocals(arm.skeleton, &arm.clips[0], t);
        angle = std::acos(locals[1].linear()(0, 0));
        const auto frame = frameAt(t);
        double height = 0;
        for (std::size_t v = 0; v < frame.size(); ++v) {
            if (arm.mesh.positions[v].x > 0.10 && arm.mesh.positions[v].x < 0.2)
                height = std::max(height, double(frame[v].y));
        }
        return height;
    };
    double none = 0;
    rest_height = highest(0, none);
    half_height = highest(0.4, half_angle);
    full_height = highest(1.5, full_angle);
    EXPECT_GT(full_height, rest_height + 0.02);
    ASSERT_GT(half_angle, 0.3);
    // Linear in the angle, the bulge at the smaller angle would be larger.
    EXPECT_LT(half_height - rest_height, 0.85 * (full_height - rest_height) * half_angle / full_angle);
}

TEST_F(ArmExamples, HaveNoNeedlesForFaces) {
    for (const double t : {0.7, 1.5, 2.5, 4.5}) {
        const auto frame = frameAt(t);
        EXPECT_GT(smallestAngle(frame, arm.mesh.triangles), 4) << t;
    }
}

TEST_F(ArmExamples, PassThroughThemselvesAtNoAngle) {
    for (double t = 0; t <= 6; t += 0.5) {
        EXPECT_EQ(countSelfIntersections(frameAt(t), arm.mesh.triangles), 0u) << t;
    }
}

TEST_F(ArmExamples, PressTheInsideOfTheElbowTogetherInOrder) {
    // In the plane through the hinge, seen from it, the flesh keeps its order: no forearm inside the upper arm.
    const auto frame = frameAt(1.5);
    std::vector<std::pair<double, double>> polar;
    for (std::size_t v = 0; v < frame.size(); ++v) {
        const Vec3f& rest = arm.mesh.positions[v];
        if (std::abs(rest.z) > 0.01f || rest.y < 0.025f || std::abs(rest.x - 0.30f) > 0.06f) continue;
        polar.emplace_back(std::atan2(rest.x - 0.30, rest.y), std::atan2(frame[v].x - 0.30, frame[v].y));
    }
    std::sort(polar.begin(), polar.end());
    ASSERT_GT(polar.size(), 10u);
    for (std::size_t i = 1; i < polar.size(); ++i) EXPECT_GT(polar[i].second, polar[i - 1].second - 0.05);
}

}  // namespace
}  // namespace pelt::scenes
