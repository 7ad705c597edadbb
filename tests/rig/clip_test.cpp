// Channels, and skeletons that they move.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/rig/clip.h>

#include <array>
#include <numbers>

namespace pelt::rig {
namespace {

Channel translationKeys(Interpolation interpolation, std::vector<float> times, std::vector<float> values) {
    Channel channel;
    channel.interpolation = interpolation;
    channel.times = std::move(times);
    channel.values = std::move(values);
    return channel;
}

Vec3d at(const Channel& channel, double t) {
    std::array<double, 3> v{};
    sampleChannel(channel, t, v);
    return {v[0], v[1], v[2]};
}

TEST(Channels, LinearKeysInterpolateAndClampAtTheEnds) {
    const Channel c = translationKeys(Interpolation::linear, {1, 2, 4}, {0, 0, 0, 1, 2, 3, 5, 2, 3});
    EXPECT_EQ(at(c, 0), (Vec3d{0, 0, 0}));
    EXPECT_EQ(at(c, 1.5), (Vec3d{0.5, 1, 1.5}));
    EXPECT_EQ(at(c, 2), (Vec3d{1, 2, 3}));
    EXPECT_EQ(at(c, 3), (Vec3d{3, 2, 3}));
    EXPECT_EQ(at(c, 99), (Vec3d{5, 2, 3}));
}

TEST(Channels, StepTakesTheNewValueAtItsKey) {
    const Channel c = translationKeys(Interpolation::step, {0, 1}, {1, 0, 0, 2, 0, 0});
    EXPECT_EQ(at(c, 0.999).x, 1);
    EXPECT_EQ(at(c, 1).x, 2);
}

TEST(Channels, CubicSplinesFollowTheirTangents) {
    // x(t) = t^3 on [0, 2] exactly: values 0 and 8, slopes 0 and 12.
    const Channel c =
        translationKeys(Interpolation::cubic_spline, {0, 2}, {9, 9, 9, 0, 0, 0, 0, 0, 0, 12, 0, 0, 8, 0, 0, 9, 9, 9});
    for (const double t : {0.0, 0.5, 1.0, 1.7, 2.0}) EXPECT_NEAR(at(c, t).x, t * t * t, 1e-12);
    EXPECT_NEAR(at(c, 1).y, 0, 1e-15);
}

TEST(Channels, RotationsComeOutUnitAlongTheShorterArc) {
    Channel c;
    c.path = ChannelPath::rotation;
    c.width = 4;
    c.times = {0, 1};
    c.values = {0, 0, 0, 2, 0, 0, -1, -1};  // the identity, and a quarter turn about z with the other sign
    std::array<double, 4> q{};
    sampleChannel(c, 0.5, q);
    const Quatd expected = axisAngle(Vec3d{0, 0, 1}, std::numbers::pi / 4);
    EXPECT_NEAR(std::abs(dot(Quatd{q[0], q[1], q[2], q[3]}, expected)), 1, 1e-7);
}

/// root (not a joint) - shoulder - twist (not a joint) - elbow
Skeleton arm() {
    Skeleton s;
    s.nodes = {{"root", -1, {{0, 1, 0}, {}, {1, 1, 1}}, {}},
               {"shoulder", 0, {{1, 0, 0}, {}, {1, 1, 1}}, {}},
               {"twist", 1, {}, Affine3d(Mat3d{}, {0.5, 0, 0})},
               {"elbow", 2, {{0.5, 0, 0}, {}, {1, 1, 1}}, {}}};
    s.joints = {{1, Affine3d(Mat3d{}, {-1, -1, 0})}, {3, Affine3d(Mat3d{}, {-2, -1, 0})}};
    return s;
}

TEST(Skeletons, ParentsSkipNodesThatAreNoJoints) {
    const Skeleton s = arm();
    EXPECT_EQ(jointParents(s), (std::vector<std::int32_t>{-1, 0}));
    EXPECT_EQ(jointName(s, 1), "elbow");
    EXPECT_EQ(findJoint(s, "elbow"), 1u);
    EXPECT_FALSE(findJoint(s, "twist").has_value());
    EXPECT_EQ(jointRestPositions(s)[1], (Vec3d{2, 1, 0}));
}

TEST(Skeletons, WithoutAClipTheRestIsTheIdentity) {
    for (const Affine3d& bone : skinMatricesDouble(arm(), nullptr, 0)) {
        EXPECT_LT(length(bone * Vec3d{3, 4, 5} - Vec3d{3, 4, 5}), 1e-15);
    }
}

TEST(Skeletons, AncestorsThatAreNoJointsMoveTheSkinToo) {
    Clip clip;
    clip.channels = {translationKeys(Interpolation::linear, {0}, {0, 11, 0})};  // the root rises by 10
    const auto bones = skinMatrices(arm(), &clip, 0);
    EXPECT_EQ(bones[1] * Vec3f(2, 1, 0), (Vec3f{2, 11, 0}));
}

TEST(Skeletons, AChildTurnsAboutItsParentsJoint) {
    Clip clip;
    Channel turn;
    turn.path = ChannelPath::rotation;
    turn.target = 1;
    turn.width = 4;
    turn.times = {0};
    turn.values = {0, 0, std::numbers::sqrt2_v<float> / 2, std::numbers::sqrt2_v<float> / 2};
    clip.channels = {turn};
    const auto bones = skinMatricesDouble(arm(), &clip, 0);
    EXPECT_LT(length(bones[1] * Vec3d{3, 1, 0} - Vec3d{1, 3, 0}), 1e-7);  // along x from (1,1) becomes along y
}

TEST(Sampling, TimesRunFromTheFirstKeyToTheLast) {
    Clip clip;
    clip.first_key = 0.5;
    clip.last_key = 1.5;
    const auto times = sampleTimes(clip, 30);
    ASSERT_EQ(times.size(), 31u);  // the last one within 1e-4 of a step
    EXPECT_DOUBLE_EQ(times.front(), 0.5);
    EXPECT_DOUBLE_EQ(times.back(), 1.5);
    EXPECT_EQ(sampleTimes(clip, 29.5).size(), 30u);
    clip.last_key = clip.first_key;
    EXPECT_EQ(sampleTimes(clip, 30).size(), 1u);
}

TEST(Sampling, AbsurdRatesAreRefused) {
    Clip clip;
    clip.last_key = 1e30;
    EXPECT_THROW(sampleTimes(clip, 30), Error);
    EXPECT_THROW(sampleTimes(clip, 0), Error);
    EXPECT_THROW(sampleTimes(clip, std::nan("")), Error);
}

TEST(Morphs, WeightsOfAnInstanceGoToItsOwnTargets) {
    Mesh mesh;
    mesh.positions = {{0, 0, 0}, {1, 0, 0}};
    mesh.morphs = {{"smile", 0, 0.25f, {1}, {{0, 1, 0}}, {}}, {"frown", 1, 0, {0}, {{0, -1, 0}}, {}}};
    EXPECT_EQ(morphWeights(mesh, nullptr, 0), (std::vector<float>{0.25f, 0}));

    Clip clip;
    Channel weights;
    weights.path = ChannelPath::morph_weights;
    weights.target = 1;
    weights.width = 1;
    weights.times = {0, 1};
    weights.values = {0, 2};
    clip.channels = {weights};
    const auto sampled = morphWeights(mesh, &clip, 0.5);
    EXPECT_EQ(sampled, (std::vector<float>{0.25f, 1}));

    std::vector<Vec3f> positions = mesh.positions;
    addMorphs(mesh, sampled, positions, {});
    EXPECT_EQ(positions[0], (Vec3f{0, -1, 0}));
    EXPECT_EQ(positions[1], (Vec3f{1, 0.25f, 0}));
}

}  // namespace
}  // namespace pelt::rig
