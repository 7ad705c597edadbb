// Transforms taken apart.
#include <gtest/gtest.h>
#include <pelt/rig/skeleton.h>

#include <algorithm>
#include <cmath>

namespace pelt::rig {
namespace {

double farthest(const Affine3d& a, const Affine3d& b) {
    double most = 0;
    for (int i = 0; i < 16; ++i) {
        const double apart = std::abs(a.m[i] - b.m[i]);
        most = apart <= most ? most : apart;  // not a number stays
    }
    return most;
}

TEST(TrsOf, AnyScaleComesBackWithItsMirrors) {
    const Quatd turns[] = {Quatd{}, axisAngle(Vec3d{1, 2, 3}, 2.0), axisAngle(Vec3d{0, 0, 1}, 1.5707963267948966),
                           axisAngle(Vec3d{1, 0, 0}, 3.1)};
    const double sizes[] = {-2, -1, 0, 0.5, 1};
    for (const Quatd& turn : turns)
        for (const double x : sizes)
            for (const double y : sizes)
                for (const double z : sizes) {
                    const Affine3d map = toAffine({{1, -2, 3}, turn, {x, y, z}});
                    const Trs split = trsOf(map);
                    EXPECT_LT(farthest(toAffine(split), map), 1e-12) << x << ' ' << y << ' ' << z;
                    EXPECT_NEAR(dot(split.rotation, split.rotation), 1, 1e-12) << x << ' ' << y << ' ' << z;
                }
}

TEST(TrsOf, TheMirrorIsInTheFirstAxisInEveryPose) {
    for (const double angle : {0.0, 0.5, 2.0, 3.0}) {
        const Trs split = trsOf(toAffine({{}, axisAngle(Vec3d{1, 1, 0}, angle), {1, 1, -1}}));
        EXPECT_NEAR(length(split.scale - Vec3d{-1, 1, 1}), 0, 1e-12);
    }
}

TEST(TrsOf, ShearIsLeftOut) {
    const Affine3d sheared(Mat3d{{{2, 0, 0}, {0.5, 3, 0}, {0, 0, 4}}}, {});
    EXPECT_LT(farthest(toAffine(trsOf(sheared)), toAffine({{}, {}, {2, 3, 4}})), 1e-12);
}

}  // namespace
}  // namespace pelt::rig
