// Smooth weights for a skeleton.
#include <gtest/gtest.h>
#include <pelt/bind/smooth_bind.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>

#include <algorithm>
#include <numeric>

#include "bind/smooth/joint_words.h"
#include "made_scene.h"

namespace pelt::bind {
namespace {

/// The biped of scenes/ without its weights.
const Character& plainBiped() {
    static const Character biped = madeScene("biped", 600);
    return biped;
}

const SmoothBind& boundBiped() {
    static const SmoothBind bound = bindSmooth(plainBiped().mesh, plainBiped().skeleton);
    return bound;
}

TEST(SmoothBind, EveryVertexHasWeightsOfSumOneOnAtMostFourJoints) {
    const SkinWeights& weights = boundBiped().weights;
    ASSERT_EQ(weights.vertexCount(), plainBiped().mesh.vertexCount());
    EXPECT_LE(maxInfluences(weights), 4u);
    for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
        const auto row = weights.weightsOf(v);
        ASSERT_FALSE(row.empty());
        EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-5);
    }
}

TEST(SmoothBind, ItIsSmoothWithFewJointsAVertex) {
    const SkinWeights& weights = boundBiped().weights;
    const double each = double(weights.joints.size()) / double(weights.vertexCount());
    EXPECT_FALSE(boundBiped().rigid);
    EXPECT_GT(each, 1.05);
    EXPECT_LT(each, 3);
}

TEST(SmoothBind, OneThreadAndManyGiveTheSameBytes) {
    SkinWeights alone;
    withThreads(1, [&] { alone = bindSmooth(plainBiped().mesh, plainBiped().skeleton).weights; });
    EXPECT_EQ(alone, boundBiped().weights);
}

TEST(SmoothBind, ConfidenceIsAShareForEachVertex) {
    const auto& sure = boundBiped().confidence;
    ASSERT_EQ(sure.size(), plainBiped().mesh.vertexCount());
    for (const float c : sure) EXPECT_TRUE(c > 0 && c <= 1) << c;
}

TEST(SmoothBind, JointsThatTheUserLeavesOutGetNoSkin) {
    const std::uint32_t left_out = plainBiped().weights.jointsOf(0)[0];
    BindOptions options;
    options.excluded = {left_out};
    const SkinWeights weights = bindSmooth(plainBiped().mesh, plainBiped().skeleton, 4, options).weights;
    EXPECT_EQ(std::count(weights.joints.begin(), weights.joints.end(), left_out), 0);
}

TEST(SmoothBind, ASkeletonWithoutJointsIsRefused) { EXPECT_THROW(bindSmooth(plainBiped().mesh, Skeleton{}), Error); }

TEST(SmoothBind, AMeshBesideItsSkeletonGetsTheNearestBones) {
    Mesh away = plainBiped().mesh;
    for (Vec3f& p : away.positions) p.x += 1000;
    const SmoothBind bound = bindSmooth(away, plainBiped().skeleton);
    EXPECT_TRUE(bound.rigid);
    EXPECT_EQ(bound.weights, bindNearestBone(away, plainBiped().skeleton));
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
