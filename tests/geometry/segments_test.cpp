// Bones as segments, and distances to them.
#include <gtest/gtest.h>
#include <pelt/geometry/segments.h>

#include "test_meshes.h"

namespace pelt::geometry {
namespace {

TEST(BoneSegments, RunToEveryChildAndOnBeyondALeaf) {
    const std::vector<Vec3d> joints{{0, 0, 0}, {2, 0, 0}, {0, 3, 0}};
    const std::vector<std::int32_t> parents{-1, 0, 0};
    const auto segments = boneSegments(joints, parents);
    ASSERT_EQ(segments.size(), 4u);
    EXPECT_EQ(segments[0].joint, 0u);
    EXPECT_EQ(segments[0].end, joints[1]);
    EXPECT_EQ(segments[1].joint, 0u);
    EXPECT_EQ(segments[1].end, joints[2]);
    EXPECT_EQ(segments[2].end, (Vec3d{4, 0, 0}));
    EXPECT_EQ(segments[3].end, (Vec3d{0, 6, 0}));
}

TEST(BoneSegments, OfASingleJointOrACoincidingLeafArePoints) {
    const auto single = boneSegments(std::vector<Vec3d>{{1, 1, 1}}, std::vector<std::int32_t>{-1});
    ASSERT_EQ(single.size(), 1u);
    EXPECT_EQ(single[0].start, single[0].end);
    EXPECT_DOUBLE_EQ(distanceTo(single[0], {1, 1, 3}), 2);
    const auto same = boneSegments(std::vector<Vec3d>(2), std::vector<std::int32_t>{-1, 0});
    ASSERT_EQ(same.size(), 2u);
    EXPECT_DOUBLE_EQ(distanceTo(same[1], {0, 3, 4}), 5);
}

TEST(BoneSegments, DistanceIsToTheNearestOfManySamples) {
    const BoneSegment segment{{0.1, 0.2, 0.3}, {1, -0.5, 0.4}, 0};
    for (const Vec3f& f : randomPoints(50, 11)) {
        const Vec3d p = Vec3d(f) * 2.0;
        double best = 1e9;
        for (int i = 0; i <= 2000; ++i) {
            best = std::min(best, length(p - segment.start - (segment.end - segment.start) * (i / 2000.0)));
        }
        EXPECT_NEAR(distanceTo(segment, p), best, 1e-4);
    }
}

TEST(BoneSegments, TiesGoToTheLowerOne) {
    const std::vector<Vec3d> joints{{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}};
    const auto segments = boneSegments(joints, std::vector<std::int32_t>{-1, 0, 1});
    const std::vector<Vec3f> points{{0, 5, 0}, {1, 1, 0}, {0.1f, 1, 0}};
    EXPECT_EQ(nearestSegments(segments, points), (std::vector<std::uint32_t>{0, 1, 1}));
}

}  // namespace
}  // namespace pelt::geometry
