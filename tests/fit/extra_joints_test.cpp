// The choice of extra joints for examples.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/fit/examples.h>
#include <pelt/rig/driven_joints.h>
#include <pelt/scenes/scenes.h>

#include <cmath>
#include <random>

// Selection of extra joints, and the prediction of poses that were not fitted.

namespace pelt::fit {
namespace {

struct Arm {
    std::vector<Vec3d> rest;
    ExamplePoses poses;
    std::size_t core = 0;
};

/// The muscular arm with every joint that can be driven.
Arm drivenArm() {
    Character character = scenes::find("arm")->make(1500);
    Arm arm;
    arm.core = character.skeleton.joints.size();
    rig::DrivenJointChoice choice;
    choice.rotations = 3;
    const auto driven = rig::addDrivenJoints(character.skeleton, choice);
    const auto frames = scenes::armExamples(1500, 6);
    std::vector<Affine3d> bones;
    for (std::size_t f = 0; f < frames->frameCount(); ++f)
        for (const Affine3d& bone :
             rig::drivenSkinMatrices(character.skeleton, driven, &character.clips.at(0), double(f) / 6))
            bones.push_back(bone);
    for (const Vec3f& p : character.mesh.positions) arm.rest.emplace_back(p);
    arm.poses = readExamples(*frames, std::move(bones), character.skeleton.joints.size());
    return arm;
}

ExampleFitOptions affine(std::size_t influences) {
    ExampleFitOptions options;
    options.weights = WeightKind::affine;
    options.influences = influences;
    return options;
}

TEST(ExtraJoints, FewWellChosenOnesBringMostOfWhatAllBring) {
    const Arm arm = drivenArm();
    const ExampleFitOptions options = affine(0);
    const ExtraJointChoice choice = chooseExtraJoints(arm.rest, arm.poses, arm.core, 4, options);
    ASSERT_LE(choice.joints.size(), 4u);
    ASSERT_EQ(choice.rms.size(), choice.joints.size() + 1);
    for (std::size_t i = 1; i < choice.rms.size(); ++i) EXPECT_LT(choice.rms[i], choice.rms[i - 1]);

    std::vector<std::uint32_t> joints;
    for (std::uint32_t j = 0; j < arm.core; ++j) joints.push_back(j);
    const double none = fitExamples(arm.rest, withJoints(arm.poses, joints), options).rms;
    joints.insert(joints.end(), choice.joints.begin(), choice.joints.end());
    const double few = fitExamples(arm.rest, withJoints(arm.poses, joints), options).rms;
    const double all = fitExamples(arm.rest, arm.poses, options).rms;
    EXPECT_LT(few - all, 0.25 * (none - all));
}

/// Vertices on two joints; two more joints do not move with any.
struct Plain {
    std::vector<Vec3d> rest;
    ExamplePoses poses;
};

Plain plainSkin(std::size_t examples, double noise) {
    std::mt19937_64 random(4);
    std::uniform_real_distribution<double> any(-1, 1);
    Plain plain;
    const std::size_t vertices = 60;
    plain.poses = {4, vertices, examples, {}, {}};
    for (std::size_t v = 0; v < vertices; ++v) plain.rest.push_back({any(random), any(random), any(random)});
    for (std::size_t e = 0; e < examples; ++e) {
        for (int j = 0; j < 4; ++j)
            plain.poses.bones.push_back(
                {toMatrix(axisAngle(Vec3d{any(random), any(random), any(random)}, 2 * any(random))),
                 {any(random), 0, 0}});
        for (std::size_t v = 0; v < vertices; ++v) {
            const double w = double(v) / double(vertices - 1);
            plain.poses.positions.push_back(plain.poses.pose(e)[0] * plain.rest[v] * w +
                                            plain.poses.pose(e)[2] * plain.rest[v] * (1 - w) +
                                            Vec3d{any(random), any(random), any(random)} * noise);
        }
    }
    return plain;
}

TEST(ExtraJoints, OnlyOnesThatGainAreTaken) {
    const Plain plain = plainSkin(20, 1e-4);
    const ExtraJointChoice choice = chooseExtraJoints(plain.rest, plain.poses, 2, 10, affine(0));
    ASSERT_FALSE(choice.joints.empty());
    EXPECT_EQ(choice.joints.front(), 2u);
    EXPECT_LT(choice.rms[1], 1e-3 * choice.rms[0]);
    EXPECT_TRUE(chooseExtraJoints(plain.rest, plain.poses, 2, 0, affine(0)).joints.empty());
    EXPECT_THROW(chooseExtraJoints(plain.rest, plain.poses, 5, 1), Error);
    // Once the skin is explained, joint 3 has nothing to gain.
    const Plain exact = plainSkin(20, 0);
    EXPECT_EQ(chooseExtraJoints(exact.rest, exact.poses, 2, 10, affine(0)).joints, (std::vector<std::uint32_t>{2}));
}

TEST(ValidateExamples, PosesThatAModelMadeArePredicted) {
    const Plain exact = plainSkin(12, 0);
    const ExampleValidation validation = validateExamples(exact.rest, exact.poses, affine(0));
    ASSERT_EQ(validation.example_rms.size(), 12u);
    ASSERT_EQ(validation.joint_rms.size(), 4u);
    EXPECT_LT(validation.max, 1e-8);
}

TEST(ValidateExamples, AnExampleThatFollowsNothingStandsOut) {
    Plain plain = plainSkin(12, 0);
    for (std::size_t v = 0; v < 30; ++v) plain.poses.positions[7 * 60 + v].y += 1;  // those that follow joint 2
    const ExampleValidation validation = validateExamples(plain.rest, plain.poses, affine(0));
    for (std::size_t e = 0; e < 12; ++e) {
        if (e != 7) {
            EXPECT_LT(validation.example_rms[e], 0.6 * validation.example_rms[7]);
        }
    }
    EXPECT_NEAR(validation.example_rms[7], std::sqrt(0.5), 1e-6);  // what it was fitted to knew nothing of it
    EXPECT_GT(validation.joint_rms[2], 3 * validation.joint_rms[0]);
    plain.poses = plainSkin(1, 0).poses;
    EXPECT_THROW(validateExamples(plain.rest, plain.poses), Error);
}

}  // namespace
}  // namespace pelt::fit
