// Motions of bones as keys of joints.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/fit/bone_skeleton.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pelt::fit {
namespace {

constexpr std::size_t kBones = 5;
constexpr std::size_t kFrames = 30;

Mat3d rotationOf(std::size_t bone, double t) {
    const double b = static_cast<double>(bone);
    return toMatrix(axisAngle(Vec3d(std::sin(b), std::cos(b + 0.05 * t), 0.5), 0.25 * t * (1 + 0.3 * b)));
}

/// Tumbling bones, round and round, so that quaternions pass through both signs.
Decomposition rigidMotion() {
    Decomposition d;
    d.bones = kBones;
    d.frames = kFrames;
    for (std::size_t t = 0; t < kFrames; ++t) {
        for (std::size_t bone = 0; bone < kBones; ++bone) {
            const double u = static_cast<double>(t);
            d.motion.emplace_back(rotationOf(bone, u), Vec3d(0.1 * u, std::sin(u * 0.2) + double(bone), 0.3));
        }
    }
    return d;
}

Mat3d scaling(double x, double y, double z) { return {{{x, 0, 0}, {0, y, 0}, {0, 0, z}}}; }

/// Shears and stretches that pass through uniform ones; bone 1 mirrors, bone 2 mirrors in some frames, bone 3 is flat,
/// bone 4 is the mirror image of a rigid one.
Decomposition flexibleMotion() {
    Decomposition d = rigidMotion();
    for (std::size_t t = 0; t < kFrames; ++t) {
        for (std::size_t bone = 0; bone < kBones; ++bone) {
            const double s = std::sin(0.2 * static_cast<double>(t));
            const Mat3d axes = rotationOf(bone + 7, 3 + 0.2 * static_cast<double>(t));
            Mat3d stretch = scaling(1 + 0.3 * s, 1, 1 - 0.2 * s);
            if (bone == 1) stretch = scaling(-1, 1 + 0.2 * s, 1.1);
            if (bone == 2) stretch = scaling(1, 1.2, s);
            if (bone == 3) stretch = scaling(1.5, 1, 0);
            if (bone == 4) stretch = scaling(-1, 1, 1);
            Affine3d& m = d.motion[t * kBones + bone];
            m = {m.linear() * axes * stretch * transposed(axes), m.translation()};
        }
    }
    return d;
}

std::vector<BoneLink> someLinks() {
    std::vector<BoneLink> links(kBones);
    const std::int32_t parents[kBones] = {3, 0, 0, -1, 2};  // children before and after their parents
    for (std::size_t bone = 0; bone < kBones; ++bone) {
        links[bone].parent = parents[bone];
        links[bone].center = {0.3 * double(bone), 1 - 0.2 * double(bone), 0.1};
    }
    return links;
}

const std::vector<FrameRange> kAll{{"all", 0, kFrames}};

double largestDifference(const BoneAnimation& animation, const Clip& clip, double seconds,
                         std::span<const Affine3d> motion) {
    const std::vector<Affine3d> skin = rig::skinMatricesDouble(animation.skeleton, &clip, seconds);
    double largest = skin.size() == motion.size() ? 0 : 1e30;
    for (std::size_t bone = 0; bone < skin.size(); ++bone) {
        for (int i = 0; i < 16; ++i) largest = std::max(largest, std::abs(skin[bone].m[i] - motion[bone].m[i]));
    }
    return largest;
}

void expectMotion(const Decomposition& d, std::span<const BoneLink> links) {
    const BoneAnimation animation = animateBones(d, links, kAll);
    ASSERT_EQ(animation.clips.size(), 1u);
    for (std::size_t t = 0; t < d.frames; ++t) {
        EXPECT_LT(largestDifference(animation, animation.clips[0], float(double(t) / 30), d.pose(t)), 2e-6) << t;
    }
}

TEST(AnimateBones, KeysGiveTheMotionBack) { expectMotion(rigidMotion(), {}); }

TEST(AnimateBones, KeysOfAHierarchyGiveTheMotionBack) { expectMotion(rigidMotion(), someLinks()); }

TEST(AnimateBones, FlexibleMirroredAndFlatBonesComeBack) {
    expectMotion(flexibleMotion(), {});
    expectMotion(flexibleMotion(), someLinks());
}

TEST(AnimateBones, RoundingDoesNotAddUpAlongALongChain) {
    Decomposition d;
    d.bones = 200;
    d.frames = 3;
    std::vector<BoneLink> links(d.bones);
    for (std::size_t bone = 0; bone < d.bones; ++bone) {
        links[bone].parent = static_cast<std::int32_t>(bone) - 1;
        links[bone].center = {double(bone), 0, 0};
    }
    for (std::size_t i = 0; i < d.bones * d.frames; ++i) d.motion.emplace_back(rotationOf(i, 4), Vec3d(0, 1, 0));
    const BoneAnimation animation = animateBones(d, links, std::vector<FrameRange>{{"all", 0, 3}});
    // In units of the chain's length, 200.
    EXPECT_LT(largestDifference(animation, animation.clips[0], 0, d.pose(0)) / 200, 3e-7);
}

TEST(AnimateBones, ARigidBoneIsOneNodeWithoutScale) {
    const BoneAnimation animation = animateBones(rigidMotion(), {}, kAll);
    EXPECT_EQ(animation.skeleton.nodes.size(), kBones + 1);  // siblings need a common root
    EXPECT_EQ(animation.skeleton.joints.size(), kBones);
    EXPECT_EQ(animation.clips[0].channels.size(), 2 * kBones);
    for (const Channel& channel : animation.clips[0].channels) EXPECT_NE(channel.path, ChannelPath::scale);
    for (std::size_t bone = 0; bone < kBones; ++bone) {
        EXPECT_EQ(rig::jointName(animation.skeleton, bone), "bone_0" + std::to_string(bone));
        EXPECT_EQ(animation.skeleton.nodes[animation.skeleton.joints[bone].node].local.translation, Vec3d());
    }
}

TEST(AnimateBones, AFlexibleBoneWithoutHierarchyIsTwoNodes) {
    EXPECT_EQ(animateBones(flexibleMotion(), {}, kAll).skeleton.nodes.size(), 2 * kBones + 1);
    EXPECT_EQ(animateBones(flexibleMotion(), {}, kAll).skeleton.joints.size(), kBones);
}

TEST(AnimateBones, AHierarchyStandsAtItsCentersAtRest) {
    const std::vector<BoneLink> links = someLinks();
    for (const Decomposition& d : {rigidMotion(), flexibleMotion()}) {
        const Skeleton skeleton = animateBones(d, links, kAll).skeleton;
        const std::vector<Vec3d> rest = rig::jointRestPositions(skeleton);
        for (std::size_t bone = 0; bone < kBones; ++bone) {
            EXPECT_LT(length(rest[bone] - links[bone].center), 1e-12);
        }
        for (const Affine3d& m : rig::skinMatricesDouble(skeleton, nullptr, 0)) {
            for (int i = 0; i < 16; ++i) EXPECT_NEAR(m.m[i], Affine3d{}.m[i], 1e-12);
        }
        for (std::size_t node = 0; node < skeleton.nodes.size(); ++node) {
            EXPECT_LT(skeleton.nodes[node].parent, std::int32_t(node));
        }
    }
}

TEST(AnimateBones, JointsOfRigidBonesHaveTheLinksParents) {
    const std::vector<BoneLink> links = someLinks();
    const std::vector<std::int32_t> parents = rig::jointParents(animateBones(rigidMotion(), links, kAll).skeleton);
    for (std::size_t bone = 0; bone < kBones; ++bone) EXPECT_EQ(parents[bone], links[bone].parent);
}

TEST(AnimateBones, EachRangeIsAClipFromZero) {
    const Decomposition d = flexibleMotion();
    const std::vector<FrameRange> ranges{{"walk", 0, 10}, {"run", 10, 20}};
    const BoneAnimation animation = animateBones(d, someLinks(), ranges, 0.1);
    ASSERT_EQ(animation.clips.size(), 2u);
    EXPECT_EQ(animation.clips[1].name, "run");
    EXPECT_EQ(animation.clips[1].first_key, 0);
    EXPECT_NEAR(animation.clips[1].last_key, 1.9, 1e-6);
    for (const Channel& channel : animation.clips[1].channels) {
        EXPECT_EQ(channel.times.size(), 20u);
        EXPECT_EQ(channel.times[0], 0);
        EXPECT_EQ(channel.values.size(), 20u * channel.width);
    }
    EXPECT_LT(largestDifference(animation, animation.clips[1], float(0.4), d.pose(14)), 2e-6);
}

/// Of a smooth motion, the angle between neighboring rotation keys, as four-vectors: the largest over all channels.
double largestStep(const Clip& clip) {
    double largest = 0;
    for (const Channel& channel : clip.channels) {
        if (channel.path != ChannelPath::rotation) continue;
        for (std::size_t i = 4; i < channel.values.size(); i += 4) {
            double cosine = 0;
            for (std::size_t k = i; k < i + 4; ++k) cosine += double(channel.values[k]) * channel.values[k - 4];
            largest = std::max(largest, std::acos(std::clamp(cosine, -1.0, 1.0)));
        }
    }
    return largest;
}

TEST(AnimateBones, NeighboringKeysAreNeighboringRotations) {
    // The fastest bone turns by 0.55 per frame, a quaternion by half of that.
    EXPECT_LT(largestStep(animateBones(rigidMotion(), {}, kAll).clips[0]), 0.3);
    for (const auto& links : {std::vector<BoneLink>{}, someLinks()}) {
        // Axes of a stretch that becomes even may swing, but by no more than a right angle between two of three.
        EXPECT_LT(largestStep(animateBones(flexibleMotion(), links, kAll).clips[0]), 0.9);
    }
}

TEST(AnimateBones, AxesStayWhereTheStretchIsEven) {
    for (const Mat3d& stretch : {scaling(1.5, 1.5, 1.5), scaling(1, 1, 1.5), scaling(2, 1, 2)}) {
        Decomposition d = rigidMotion();
        for (Affine3d& m : d.motion) m = {m.linear() * stretch, m.translation()};
        EXPECT_LT(largestStep(animateBones(d, {}, kAll).clips[0]), 0.3);
        EXPECT_LT(largestStep(animateBones(d, someLinks(), kAll).clips[0]), 0.6);  // relative to the parent's rotation
    }
}

/// Between two keys, halfway: a motion that is sampled too coarsely shows here.
double largestHalfwayError(std::span<const BoneLink> links) {
    const Decomposition d = flexibleMotion();
    const BoneAnimation animation = animateBones(d, links, kAll);
    double largest = 0;
    for (std::size_t t = 0; t + 1 < kFrames; ++t) {
        std::vector<Affine3d> mean(kBones);
        for (std::size_t bone = 0; bone < kBones; ++bone) {
            for (int i = 0; i < 16; ++i) mean[bone].m[i] = (d.pose(t)[bone].m[i] + d.pose(t + 1)[bone].m[i]) / 2;
        }
        largest = std::max(largest, largestDifference(animation, animation.clips[0], (double(t) + 0.5) / 30, mean));
    }
    return largest;
}

TEST(AnimateBones, FlexibleBonesMoveSmoothlyBetweenKeys) {
    EXPECT_LT(largestHalfwayError({}), 0.15);
    EXPECT_LT(largestHalfwayError(someLinks()), 0.25);  // the parents turn as well
}

TEST(AnimateBones, WrongRangesStepsAndLinksAreRefused) {
    const Decomposition d = rigidMotion();
    const auto refuses = [&](std::span<const BoneLink> links, const FrameRange& range, double step) {
        EXPECT_THROW(animateBones(d, links, std::vector<FrameRange>{range}, step), Error);
    };
    refuses({}, {"beyond", 1, kFrames}, 0.1);
    refuses({}, {"empty", 0, 0}, 0.1);
    refuses({}, {"huge", 1, ~std::size_t(0)}, 0.1);
    refuses({}, {"all", 0, kFrames}, 0);
    std::vector<BoneLink> links = someLinks();
    links[3].parent = 4;  // 3 → 4 → 2 → 0 → 3
    refuses(links, {"all", 0, kFrames}, 0.1);
    links[3].parent = 9;
    refuses(links, {"all", 0, kFrames}, 0.1);
    links.resize(3);
    refuses(links, {"all", 0, kFrames}, 0.1);
}

}  // namespace
}  // namespace pelt::fit
