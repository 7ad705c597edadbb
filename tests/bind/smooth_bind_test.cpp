// Smooth weights for a skeleton.
#include <gtest/gtest.h>
#include <pelt/bind/smooth_bind.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>

#include <algorithm>
#include <numeric>

#include "bind/smooth/joint_words.h"
#include "bind_shapes.h"
#include "made_scene.h"

namespace pelt::bind {
namespace {

/// The branch of scenes/ without its weights.
const Character& plainBranch() {
    static const Character branch = madeScene("branch", 1500);
    return branch;
}

const SmoothBind& boundBranch() {
    static const SmoothBind bound = bindSmooth(plainBranch().mesh, plainBranch().skeleton);
    return bound;
}

TEST(SmoothBind, EveryVertexHasWeightsOfSumOneOnAtMostFourJoints) {
    const SkinWeights& weights = boundBranch().weights;
    ASSERT_EQ(weights.vertexCount(), plainBranch().mesh.vertexCount());
    EXPECT_LE(maxInfluences(weights), 4u);
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
        const auto row = weights.weightsOf(v);
        ASSERT_FALSE(row.empty());
        EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-5);
    }
}

TEST(SmoothBind, ItIsSmoothWithFewJointsAVertex) {
    const SkinWeights& weights = boundBranch().weights;
    const double each = double(weights.joints.size()) / double(weights.vertexCount());
    EXPECT_FALSE(boundBranch().rigid);
    EXPECT_GT(each, 1.05);
    EXPECT_LT(each, 3);
}

TEST(SmoothBind, OneThreadAndManyGiveTheSameBytes) {
    SkinWeights alone;
    withThreads(1, [&] { alone = bindSmooth(plainBranch().mesh, plainBranch().skeleton).weights; });
    EXPECT_EQ(alone, boundBranch().weights);
}

TEST(SmoothBind, ConfidenceIsAShareForEachVertex) {
    const auto& sure = boundBranch().confidence;
    ASSERT_EQ(sure.size(), plainBranch().mesh.vertexCount());
    for (const float c : sure) EXPECT_TRUE(c > 0 && c <= 1) << c;
}

TEST(SmoothBind, JointsThatTheUserLeavesOutGetNoSkin) {
    const std::uint32_t left_out = plainBranch().weights.jointsOf(0)[0];
    BindOptions options;
    options.excluded = {left_out};
    const SkinWeights weights = bindSmooth(plainBranch().mesh, plainBranch().skeleton, 4, options).weights;
    EXPECT_EQ(std::count(weights.joints.begin(), weights.joints.end(), left_out), 0);
}

TEST(SmoothBind, ASkeletonWithoutJointsIsRefused) { EXPECT_THROW(bindSmooth(plainBranch().mesh, Skeleton{}), Error); }

TEST(SmoothBind, AMeshBesideItsSkeletonGetsTheNearestBones) {
    Mesh away = plainBranch().mesh;
    for (Vec3f& p : away.positions) p.x += 1000;
    const SmoothBind bound = bindSmooth(away, plainBranch().skeleton);
    EXPECT_TRUE(bound.rigid);
    EXPECT_EQ(bound.weights, bindNearestBone(away, plainBranch().skeleton));
}

/// A neck and a head with two eyeballs. Joints: chest, neck, head, its eyes, and a control at the head.
struct Portrait {
    Mesh mesh;
    Skeleton skeleton = skeletonOf({{0, 0.1, 0}, {0, 1.5, 0}, {0, 2.4, 0}, {-0.4, 3, 0.9}, {0.4, 3, 0.9}, {0, 2.4, 0}},
                                   {-1, 0, 1, 2, 2, 0});
    std::uint32_t left = 0, right = 0;

    Portrait() {
        addTube(mesh, {0, 0, 0}, {0, 2.2, 0}, 0.5, 24);
        addTube(mesh, {0, 1.9, 0}, {0, 4.4, 0}, 1.2, 24);
        left = addTube(mesh, {-0.4, 3, 0.7}, {-0.4, 3, 1.1}, 0.2, 6, 8);
        right = addTube(mesh, {0.4, 3, 0.7}, {0.4, 3, 1.1}, 0.2, 6, 8);
        const char* const names[] = {"Chest", "Neck", "Head", "LeftEye", "RightEye", "head_IK"};
        for (std::size_t k = 0; k < std::size(names); ++k) skeleton.nodes[k].name = names[k];
    }
};

TEST(SmoothBind, AnEyeGetsItsEyeballAndNothingOfTheHead) {
    const Portrait portrait;
    const SkinWeights weights = bindSmooth(portrait.mesh, portrait.skeleton).weights;
    for (std::uint32_t v = 0; v < weights.vertexCount(); ++v) {
        const std::uint32_t joint = weights.jointsOf(v)[0];
        if (v >= portrait.right)
            EXPECT_EQ(joint, 4u) << v;
        else if (v >= portrait.left)
            EXPECT_EQ(joint, 3u) << v;
        else
            EXPECT_LT(joint, 3u) << v;
    }
}

TEST(SmoothBind, EyesInAHeadWithoutEyeballsTakeLittleOfIt) {
    Portrait portrait;
    const std::uint32_t skin = portrait.left;
    std::erase_if(portrait.mesh.triangles, [&](const Triangle& t) { return t[0] >= skin; });
    portrait.mesh.positions.resize(skin);
    const SkinWeights weights = bindSmooth(portrait.mesh, portrait.skeleton).weights;
    std::size_t on_eyes = 0;
    for (std::uint32_t v = 0; v < skin; ++v) on_eyes += weights.jointsOf(v)[0] > 2;
    EXPECT_LT(on_eyes, skin / 20);
}

TEST(SmoothBind, AControlCarriesNoSkin) {
    const Portrait portrait;
    const SkinWeights weights = bindSmooth(portrait.mesh, portrait.skeleton).weights;
    EXPECT_EQ(std::count(weights.joints.begin(), weights.joints.end(), 5u), 0);
}

TEST(JointWords, NamesAreReadInManySpellings) {
    for (const char* eye : {"LeftEye", "eye.L", "Bip01 LEye", "J_Adj_L_FaceEye", "Eyeball_R"})
        EXPECT_EQ(jointWordOf(eye), JointWord::eye) << eye;
    for (const char* steer : {"foot_IK.R", "PoleTarget.L", "ik_hand_gun", "CTRL_spine", "LookAt"})
        EXPECT_EQ(jointWordOf(steer), JointWord::steer) << steer;
    for (const char* face : {"Bip01 LEyeBlinkTop", "eyelid_upper", "brow_inner.R", "LowerLip", "Bip01 RMasseter"})
        EXPECT_EQ(jointWordOf(face), JointWord::face) << face;
    for (const char* plain : {"LeftUpLeg", "Spine1", "hand_l", "Bone.003", "Striker", "kneel", ""})
        EXPECT_EQ(jointWordOf(plain), JointWord::plain) << plain;
    EXPECT_EQ(jointWordOf("MJaw"), JointWord::jaw);
    EXPECT_EQ(jointWordOf("HeadTop_End"), JointWord::end);
    EXPECT_EQ(jointWordOf("mixamorig:Head"), JointWord::head);
}

}  // namespace
}  // namespace pelt::bind
