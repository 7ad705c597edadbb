// Clips made of keyed poses.
#include <gtest/gtest.h>
#include <pelt/rig/clip_builder.h>

namespace pelt::rig {
namespace {

TEST(ClipBuilder, GivesBackWhatWasKeyed) {
    ClipBuilder builder("move", 2);
    const Trs first{{1, 2, 3}, axisAngle(Vec3d{0, 0, 1}, 0.5), {1, 1, 1}}, last{{4, 5, 6}, {}, {2, 2, -2}};
    builder.addKeys(1, 0.25f, first);
    builder.addKeys(1, 1.5f, last);
    addKey(builder.channel(ChannelPath::translation, 0), 2.0f, Vec3d{7, 8, 9});
    const Clip clip = builder.take();
    EXPECT_EQ(clip.name, "move");
    EXPECT_EQ(clip.first_key, 0.25);
    EXPECT_EQ(clip.last_key, 2.0);
    ASSERT_EQ(clip.channels.size(), 4u);  // properties without keys have no channel
    Skeleton skeleton;
    skeleton.nodes = {{"a", -1, {}, {}}, {"b", -1, {}, {}}};
    for (const auto& [time, expected] : {std::pair{0.25, first}, std::pair{1.5, last}}) {
        const Affine3d got = sampleLocals(skeleton, &clip, time)[1], wanted = toAffine(expected);
        for (int i = 0; i < 16; ++i) EXPECT_NEAR(got.m[i], wanted.m[i], 1e-6);
    }
    EXPECT_EQ(sampleLocals(skeleton, &clip, 0)[0].translation(), (Vec3d{7, 8, 9}));
}

TEST(ClipBuilder, UnwantedChannelsAreLeftOutButTheirTimeCounts) {
    ClipBuilder builder("hold", 1);
    builder.addKeys(0, 0, {});
    addKey(builder.channel(ChannelPath::scale, 0), 3, Vec3d{1, 1, 1});
    const Clip clip = builder.take([](const Channel& channel) { return channel.path == ChannelPath::rotation; });
    ASSERT_EQ(clip.channels.size(), 1u);
    EXPECT_EQ(clip.channels[0].width, 4u);
    EXPECT_EQ(clip.last_key, 3);
}

TEST(Keys, RotationsDoNotChangeSidesBetweenKeys) {
    Channel channel = emptyChannel(ChannelPath::rotation, 0);
    for (int k = 0; k <= 12; ++k) {
        const Quatd q = axisAngle(Vec3d{0, 1, 0}, 0.9 * k), other{-q.x, -q.y, -q.z, -q.w};
        addKey(channel, float(k), k % 2 == 0 ? q : other);
    }
    for (std::size_t k = 4; k < channel.values.size(); k += 4) {
        double along = 0;
        for (std::size_t i = 0; i < 4; ++i) along += double(channel.values[k + i]) * channel.values[k - 4 + i];
        EXPECT_GT(along, 0.8);
    }
}

TEST(Keys, AKeyIsGivenBackAsAPlayerReadsIt) {
    Channel place = emptyChannel(ChannelPath::translation, 0), turn = emptyChannel(ChannelPath::rotation, 0);
    const Vec3d read = addKey(place, 0, Vec3d{0.1, 0.2, 0.3});
    const Quatd turned = addKey(turn, 0, axisAngle(Vec3d{1, 2, 3}, 0.7));
    double v[4];
    sampleChannel(place, 0, std::span(v, 3));
    EXPECT_EQ(read, (Vec3d{v[0], v[1], v[2]}));
    sampleChannel(turn, 0, v);
    EXPECT_EQ(turned, (Quatd{v[0], v[1], v[2], v[3]}));
}

TEST(Keys, ATimeIsNeverRoundedDown) {
    for (int k = 0; k < 1000; ++k) EXPECT_GE(double(keyTimeFrom(k / 30.0)), k / 30.0);
    EXPECT_EQ(keyTimeFrom(0.5), 0.5f);
}

}  // namespace
}  // namespace pelt::rig
