// Keys that repeat their neighbors.
#include <gtest/gtest.h>
#include <pelt/rig/repeated_keys.h>

#include <array>

namespace pelt::rig {
namespace {

/// A clip with one channel, of the x coordinate of a translation.
Clip clipOf(Interpolation interpolation, const std::vector<float>& values) {
    Channel channel;
    channel.interpolation = interpolation;
    for (std::size_t k = 0; k < values.size(); ++k) {
        channel.times.push_back(float(k));
        if (interpolation == Interpolation::cubic_spline) channel.values.insert(channel.values.end(), 3, 0.0F);
        channel.values.insert(channel.values.end(), {values[k], 7, 0});
        if (interpolation == Interpolation::cubic_spline) channel.values.insert(channel.values.end(), 3, 0.0F);
    }
    return {"clip", 0, double(values.size() - 1), {channel}};
}

void expectSameMotion(const Clip& a, const Clip& b) {
    for (double t = -1; t < 12; t += 0.125)
        for (std::size_t c = 0; c < a.channels.size(); ++c) {
            std::array<double, 4> p{}, q{};
            sampleChannel(a.channels[c], t, p);
            sampleChannel(b.channels[c], t, q);
            const bool opposite = a.channels[c].path == ChannelPath::rotation && p[3] * q[3] < 0;
            for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(p[i], opposite ? -q[i] : q[i], 1e-5) << "at " << t;
        }
}

std::vector<float> keysLeft(Clip clip, std::size_t channel = 0) {
    const Clip before = clip;
    const std::size_t removed = removeRepeatedKeys(clip);
    EXPECT_EQ(removed, keyCount(before) - keyCount(clip));
    expectSameMotion(before, clip);
    return clip.channels[channel].times;
}

using Times = std::vector<float>;

TEST(RepeatedKeys, OfAStretchWithoutChangeTheEndsStay) {
    EXPECT_EQ(keysLeft(clipOf(Interpolation::linear, {0, 1, 1, 1, 1, 2})), (Times{0, 1, 4, 5}));
    EXPECT_EQ(keysLeft(clipOf(Interpolation::linear, {0, 1, 1, 2, 2, 3})), (Times{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(keysLeft(clipOf(Interpolation::cubic_spline, {0, 1, 1, 1, 1, 2})), (Times{0, 1, 4, 5}));
    EXPECT_EQ(keysLeft(clipOf(Interpolation::step, {0, 1, 1, 1, 1, 2})), (Times{0, 1, 5}));
}

TEST(RepeatedKeys, SlowChangesAreNotRepetitions) {
    std::vector<float> values;
    for (int k = 0; k < 12; ++k) values.push_back(7 + 6e-6F * float(k));  // each step is below the tolerance
    Clip clip = clipOf(Interpolation::linear, values);
    const Clip before = clip;
    removeRepeatedKeys(clip);
    EXPECT_GT(clip.channels[0].times.size(), 4u);
    expectSameMotion(before, clip);
}

TEST(RepeatedKeys, AtTheEndsTheValueIsHeldByItself) {
    // Another channel has the first and the last key of the clip.
    for (const Interpolation kind : {Interpolation::linear, Interpolation::cubic_spline}) {
        Clip clip = clipOf(kind, {1, 1, 1, 2, 2, 2});
        clip.channels.push_back(clipOf(Interpolation::linear, {1, 2, 3, 4, 5, 6}).channels[0]);
        EXPECT_EQ(keysLeft(clip), (Times{2, 3}));
    }
}

TEST(RepeatedKeys, TheClipLastsAsLongAsBefore) {
    Clip clip = clipOf(Interpolation::linear, {1, 1, 1, 2, 2, 2});
    clip.channels.push_back(clipOf(Interpolation::step, {3, 3, 3, 3, 3, 3}).channels[0]);
    removeRepeatedKeys(clip);
    EXPECT_EQ(clip.channels[0].times, (Times{2, 3, 5}));
    EXPECT_EQ(clip.channels[1].times, (Times{0}));
    Clip still = clipOf(Interpolation::linear, {4, 4, 4, 4});
    removeRepeatedKeys(still);
    EXPECT_EQ(still.channels[0].times, (Times{0, 3}));
}

TEST(RepeatedKeys, ASplineThatSwingsBetweenEqualKeysStays) {
    Clip clip = clipOf(Interpolation::cubic_spline, {0, 1, 1, 1, 1, 2});
    clip.channels[0].values[9 * 2 + 6] = 3;  // leaves the third key with a slope
    EXPECT_EQ(keysLeft(clip), (Times{0, 1, 2, 3, 4, 5}));
}

TEST(RepeatedKeys, BothQuaternionsOfARotationAreEqual) {
    Clip clip = clipOf(Interpolation::linear, {0, 1, 1, 1, 1, 2});
    Channel turn;
    turn.path = ChannelPath::rotation;
    turn.width = 4;
    turn.times = {0, 1, 2, 3, 4};
    turn.values = {0, 0, 0, 1, 0, 0.6F, 0, 0.8F, 0, -0.6F, 0, -0.8F, 0, 0.6F, 0, 0.8F, 0, 0.8F, 0, 0.6F};
    clip.channels.push_back(turn);
    EXPECT_EQ(keysLeft(clip, 1), (Times{0, 1, 3, 4}));
}

}  // namespace
}  // namespace pelt::rig
