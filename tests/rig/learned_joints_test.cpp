// Driven joints with learned coefficients.
#include <gtest/gtest.h>
#include <pelt/rig/driven_joints.h>

#include <algorithm>
#include <cmath>

// Joints that a polynomial in the rotations of others drives.

namespace pelt::rig {
namespace {

/// A limb along x whose elbow does not lie straight in the bind pose.
Skeleton bentLimb() {
    Skeleton skeleton;
    skeleton.nodes = {{"shoulder", -1, {}, {}},
                      {"elbow", 0, {{2, 0, 0}, axisAngle(Vec3d{0, 0, 1}, 0.4), {1, 1, 1}}, {}}};
    const std::vector<Affine3d> world = [&] {
        std::vector<Affine3d> locals{restLocal(skeleton.nodes[0]), restLocal(skeleton.nodes[1])}, out(2);
        worldTransforms(skeleton, locals, out);
        return out;
    }();
    skeleton.joints = {{0, {}}, {1, inverse(world[1])}};
    return skeleton;
}

/// One learned joint on the shoulder with the elbow as input; all coefficients are 0.
DrivenLearned looksAtTheElbow(const Skeleton& skeleton) {
    DrivenLearned joint;
    joint.placed = {{1, 0.5, 0}, axisAngle(Vec3d{1, 1, 0}, 0.3), {1, 1, 1}};
    joint.inputs = {{1, skeleton.nodes[1].local.rotation}};
    joint.coefficients.assign(6 * kLearnedTerms, 0.0);
    return joint;
}

std::vector<Affine3d> localsWithElbow(const Skeleton& skeleton, const Quatd& turn) {
    std::vector<Affine3d> locals;
    for (const SkeletonNode& node : skeleton.nodes) locals.push_back(restLocal(node));
    Trs elbow = skeleton.nodes[1].local;
    elbow.rotation = elbow.rotation * turn;
    locals[1] = toAffine(elbow);
    return locals;
}

Trs learnedIn(const Skeleton& skeleton, const std::vector<DrivenJoint>& driven, const Quatd& turn) {
    std::vector<Affine3d> locals = localsWithElbow(skeleton, turn);
    applyDrivers(skeleton, driven, locals);
    return trsOf(locals[driven.front().node]);
}

TEST(LearnedJoints, TermsAreThoseOfTheTurnFromTheBindPose) {
    const Quatd bind = axisAngle(Vec3d{0.2, 1, 0.3}, 0.9), turn = axisAngle(Vec3d{1, 2, -2}, 1.2);
    for (const double sign : {1.0, -1.0}) {  // one rotation, two quaternions
        const Quatd same{sign * bind.x, sign * bind.y, sign * bind.z, sign * bind.w};
        const auto terms = learnedTerms({1, same}, Affine3d(toMatrix(bind * turn), {5, 6, 7}));
        const double x = turn.x, y = turn.y, z = turn.z;
        const double expected[] = {x, y, z, x * x, y * y, z * z, x * y, y * z, z * x};
        for (std::size_t k = 0; k < kLearnedTerms; ++k) EXPECT_NEAR(terms[k], expected[k], 1e-12) << k;
    }
    for (const double term : learnedTerms({1, bind}, Affine3d(toMatrix(bind), {}))) EXPECT_NEAR(term, 0, 1e-12);
}

TEST(LearnedJoints, NothingMovesInTheBindPose) {
    Skeleton skeleton = bentLimb();
    std::vector<DrivenJoint> driven;
    DrivenLearned joint = looksAtTheElbow(skeleton);
    for (std::size_t i = 0; i < joint.coefficients.size(); ++i) joint.coefficients[i] = std::sin(double(i));
    addLearnedJoint(skeleton, joint, 0, driven);
    ASSERT_EQ(skeleton.joints.size(), 3u);
    ASSERT_EQ(driven.size(), 1u);
    EXPECT_EQ(driven[0].node, 2u);
    EXPECT_EQ(skeleton.nodes[2].parent, 0);
    for (const Affine3d& bone : drivenSkinMatrices(skeleton, driven, nullptr, 0))
        for (int i = 0; i < 16; ++i) EXPECT_NEAR(bone.m[i], Affine3d{}.m[i], 1e-12);
    // A player without driver support shows the same.
    for (const Affine3d& bone : skinMatricesDouble(skeleton, nullptr, 0))
        for (int i = 0; i < 16; ++i) EXPECT_NEAR(bone.m[i], Affine3d{}.m[i], 1e-12);
}

TEST(LearnedJoints, EachCoefficientIsOneTermOfOneMove) {
    Skeleton skeleton = bentLimb();
    const Quatd turn = axisAngle(Vec3d{0.3, -1, 0.7}, 1.1);
    const auto terms = learnedTerms({1, {}}, Affine3d(toMatrix(turn), {}));
    for (std::size_t row = 0; row < 6; ++row)
        for (std::size_t k = 0; k < kLearnedTerms; ++k) {
            Skeleton own = skeleton;
            std::vector<DrivenJoint> driven;
            DrivenLearned joint = looksAtTheElbow(skeleton);
            joint.coefficients[row * kLearnedTerms + k] = 0.25;
            addLearnedJoint(own, joint, 0, driven);
            const Trs moved = learnedIn(own, driven, turn);
            Vec3d move[2];
            move[row / 3][int(row % 3)] = 0.25 * terms[k];
            const Quatd expected = axisAngle(move[1], length(move[1])) * joint.placed.rotation;
            EXPECT_LT(length(moved.translation - joint.placed.translation - move[0]), 1e-12) << row << " " << k;
            EXPECT_NEAR(std::abs(dot(moved.rotation, row < 3 ? joint.placed.rotation : expected)), 1, 1e-12)
                << row << " " << k;
        }
}

TEST(LearnedJoints, AnyPlayerShowsWhatTheyDo) {
    Skeleton skeleton = bentLimb();
    std::vector<DrivenJoint> driven;
    DrivenLearned joint = looksAtTheElbow(skeleton);
    joint.inputs.push_back({0, {}});  // the shoulder too
    for (std::size_t i = 0; i < 2 * 6 * kLearnedTerms; ++i) {
        joint.coefficients.resize(i + 1);
        joint.coefficients[i] = 0.5 * std::sin(double(i));
    }
    addLearnedJoint(skeleton, joint, 0, driven);
    const Quatd bind = skeleton.nodes[1].local.rotation;
    const auto keys = [](std::uint32_t node, std::vector<float> times, const std::vector<Quatd>& turns) {
        Channel channel{ChannelPath::rotation, node, Interpolation::linear, 4, std::move(times), {}};
        for (const Quatd& q : turns)
            for (const double x : {q.x, q.y, q.z, q.w}) channel.values.push_back(float(x));
        return channel;
    };
    Clip clip;
    clip.last_key = 3;
    clip.channels = {keys(1, {0, 1}, {bind, bind * axisAngle(Vec3d{0, 1, 1}, 1.5)}),
                     keys(0, {1, 2, 3}, {{}, axisAngle(Vec3d{1, 0, 0}, 1.2), axisAngle(Vec3d{0, 1, 0}, 0.8)})};
    bakeDrivers(skeleton, driven, clip);
    ASSERT_GT(clip.channels.size(), 2u);
    double most = 0;
    for (double t = 0; t <= 3; t += 0.013) {
        const auto played = skinMatricesDouble(skeleton, &clip, t);
        const auto computed = drivenSkinMatrices(skeleton, driven, &clip, t);
        for (int i = 0; i < 16; ++i) {
            EXPECT_NEAR(played[2].m[i], computed[2].m[i], 5e-3) << t;
            most = std::max(most, std::abs(computed[2].m[i] - Affine3d{}.m[i]));
        }
    }
    EXPECT_GT(most, 0.1);
}

}  // namespace
}  // namespace pelt::rig
