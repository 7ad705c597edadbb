// Rigid joints for a free pose.
#include <gtest/gtest.h>
#include <pelt/pose/rigid_joints.h>

#include "deform/reference.h"
#include "pose_case.h"

namespace pelt::pose {
namespace {

/// The biped with its left arm raised and its chest turned, by rigid joints.
struct RaisedArm {
    Character biped = posed("biped", 1200);
    std::vector<Vec3d> places = rig::jointRestPositions(biped.skeleton);
    std::vector<std::int32_t> parents = rig::jointParents(biped.skeleton);
    std::vector<Affine3d> joints = std::vector<Affine3d>(parents.size());
    std::vector<Vec3f> skin;

    std::size_t joint(const char* name) const { return rig::findJoint(biped.skeleton, name).value(); }

    RaisedArm() {
        for (std::size_t j = 0; j < joints.size(); ++j) {
            Affine3d own;
            if (j == joint("chest")) own = turnAbout(places[j], {0, 1, 0}, 30);
            if (j == joint("upper_arm_L")) own = turnAbout(places[j], {0, 0, 1}, 60);
            if (j == joint("forearm_L")) own = turnAbout(places[j], {0, 1, 0}, -50);
            joints[j] = parents[j] < 0 ? own : joints[std::size_t(parents[j])] * own;
        }
        const std::vector<Vec3d> rest(biped.mesh.positions.begin(), biped.mesh.positions.end());
        std::vector<Vec3d> posed_skin(rest.size());
        deform::reference::lbs<double>({rest, {}}, biped.weights, joints, {posed_skin, {}});
        for (const Vec3d& p : posed_skin) skin.emplace_back(p);
    }
    PosedSkin posedSkin() const { return {biped.mesh.positions, skin, &biped.weights}; }
};

TEST(RigidJoints, ComeNearThePoseOfASkinFromRest) {
    const RaisedArm arm;
    RigidOptions options;
    options.sweeps = 30;
    const auto found =
        rigidJoints(arm.biped.skeleton, arm.posedSkin(), std::vector<Affine3d>(arm.joints.size()), options);
    for (const char* name : {"pelvis", "chest", "upper_arm_L", "forearm_L", "hand_L", "head", "foot_R"}) {
        const std::size_t j = arm.joint(name);
        EXPECT_LT(length(found[j] * arm.places[j] - arm.joints[j] * arm.places[j]), 0.05) << name;
    }
}

TEST(RigidJoints, AreRigidAndKeepTheLengthsOfBones) {
    const RaisedArm arm;
    std::vector<Affine3d> stretched = arm.joints;
    for (Affine3d& t : stretched) t = Affine3d(Mat3d{{{1.2, 0, 0}, {0, 0.9, 0.1}, {0, 0, 1}}}, {0, 0.05, 0}) * t;
    RigidOptions options;
    options.targets = {{std::uint32_t(arm.joint("hand_L")), {0.4, 1.6, 0.3}, false}};
    const auto found = rigidJoints(arm.biped.skeleton, arm.posedSkin(), stretched, options);
    for (std::size_t j = 0; j < found.size(); ++j) {
        const Mat3d a = found[j].linear();
        EXPECT_NEAR(determinant(a), 1, 1e-9);
        EXPECT_NEAR(dot(a.col[0], a.col[1]), 0, 1e-9);
        if (arm.parents[j] < 0) continue;
        const auto p = std::size_t(arm.parents[j]);
        EXPECT_LT(length(found[j] * arm.places[j] - found[p] * arm.places[j]), 1e-9) << j;  // attached to its parent
    }
    const std::size_t hand = arm.joint("hand_L");
    EXPECT_LT(length(found[hand] * arm.places[hand] - options.targets[0].target), 0.03);
}

}  // namespace
}  // namespace pelt::pose
