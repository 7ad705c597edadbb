// Virtual joints.
#include <gtest/gtest.h>

#include "virtual_joint.h"

// Joints that move as a vertex of Direct Delta Mush does.

namespace pelt::rig {
namespace {

/// Three joints in a row that are bent in the bind pose, and a virtual joint that follows all of them.
struct Limb {
    Skeleton skeleton;
    std::vector<DrivenJoint> driven;

    /// `scale` is that of the root: the bones below it are as much shorter in numbers.
    explicit Limb(double scale = 1) {
        skeleton.nodes = {{"hip", -1, {{0, 1, 0}, axisAngle(Vec3d{0, 1, 0}, 0.4), {scale, scale, scale}}, {}},
                          {"knee", 0, {{0.5, 0, 0}, axisAngle(Vec3d{0, 0, 1}, 0.3), {1, 1, 1}}, {}},
                          {"foot", 1, {{0.4, 0.1, 0}, axisAngle(Vec3d{1, 0, 0}, -0.2), {1, 1, 1}}, {}}};
        for (std::size_t n = 1; n < 3; ++n) skeleton.nodes[n].local.translation *= 1 / scale;
        const std::vector<Affine3d> rest = restLocals();
        std::vector<Affine3d> world(3);
        worldTransforms(skeleton, rest, world);
        for (std::uint32_t n = 0; n < 3; ++n) skeleton.joints.push_back({n, inverse(world[n])});
        addSomeVirtualJoint(skeleton, {1, 0, 2}, driven);
    }
    std::vector<Affine3d> restLocals() const {
        std::vector<Affine3d> locals;
        for (const SkeletonNode& node : skeleton.nodes) locals.push_back(restLocal(node));
        return locals;
    }
    /// The skin matrix of the virtual joint.
    Affine3d bone(std::vector<Affine3d> locals) const {
        applyDrivers(skeleton, driven, locals);
        return skinMatricesOf(skeleton, locals).back();
    }
    std::vector<Affine3d> bent() const {
        std::vector<Affine3d> locals = restLocals();
        locals[1] = locals[1] * Affine3d(toMatrix(axisAngle(Vec3d{0.2, 0.3, 1}, 1.1)), {});
        locals[2] = locals[2] * Affine3d(toMatrix(axisAngle(Vec3d{1, 0.1, 0}, -0.7)), {});
        return locals;
    }
};

void expectNear(const Affine3d& a, const Affine3d& b, double tolerance = 1e-12) {
    for (int i = 0; i < 16; ++i) EXPECT_NEAR(a.m[i], b.m[i], tolerance) << i;
}

TEST(VirtualJoints, NothingMovesInTheBindPose) {
    const Limb limb;
    ASSERT_EQ(limb.skeleton.joints.size(), 4u);
    EXPECT_EQ(limb.skeleton.nodes[3].parent, 1);
    expectNear(limb.bone(limb.restLocals()), {});
    // A player without driver support shows the same.
    expectNear(skinMatricesDouble(limb.skeleton, nullptr, 0).back(), {});
}

TEST(VirtualJoints, MoveRigidlyBetweenTheJointsTheyFollow) {
    const Limb limb;
    const Affine3d bone = limb.bone(limb.bent());
    const Mat3d product = transposed(bone.linear()) * bone.linear();
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(product(r, c), r == c ? 1 : 0, 1e-12);
    EXPECT_GT(length(bone * Vec3d{0.3, 0.1, -0.2} - Vec3d{0.3, 0.1, -0.2}), 1e-3);
}

// Bones of Blender have no scale at rest.
TEST(VirtualJoints, BelowAScaledRootTheyHaveNoScaleOfTheirOwnAndMoveAlike) {
    const Limb limb, scaled(100);
    const Vec3d own = scaled.skeleton.nodes.back().local.scale;
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(own[i], 1, 1e-12);
    expectNear(scaled.bone(scaled.restLocals()), {});
    expectNear(scaled.bone(scaled.bent()), limb.bone(limb.bent()));
}

TEST(VirtualJoints, ARigidMotionOfAllJointsIsTheirMotion) {
    const Limb limb;
    const Affine3d motion(toMatrix(axisAngle(Vec3d{3, -1, 2}, 2.2)), {4, -5, 6});
    std::vector<Affine3d> moved = limb.bent();
    const Affine3d before = limb.bone(moved);
    moved[0] = motion * moved[0];
    expectNear(limb.bone(moved), motion * before, 1e-11);
}

TEST(VirtualJoints, AScaleAndShearOfAllJointsIsTheirsToo) {
    const Limb limb;
    std::vector<Affine3d> moved = limb.restLocals();
    const Affine3d stretch(Mat3d{{{2, 0.1, 0}, {0.3, 0.5, 0}, {0, 0.2, 1.4}}}, {1, 2, 3});
    moved[0] = stretch * moved[0];
    expectNear(limb.bone(moved), stretch, 1e-11);
}

TEST(VirtualJoints, KeysOfAClipPlayAsTheRuleSays) {
    Limb limb;
    Clip clip;
    Channel channel;
    channel.target = 1;
    channel.path = ChannelPath::rotation;
    for (int k = 0; k <= 4; ++k) {
        const Quatd q = axisAngle(Vec3d{0.2, 0.3, 1}, 0.3 + 0.4 * k);
        channel.times.push_back(float(k) * 0.25f);
        for (const double x : {q.x, q.y, q.z, q.w}) channel.values.push_back(float(x));
    }
    clip.channels = {channel};
    clip.last_key = 1;
    bakeDrivers(limb.skeleton, limb.driven, clip);
    for (const double t : {0.0, 0.3, 0.75, 1.0}) {
        const Affine3d keyed = skinMatricesDouble(limb.skeleton, &clip, t).back();
        const Affine3d driven = drivenSkinMatrices(limb.skeleton, limb.driven, &clip, t).back();
        expectNear(keyed, driven, t == 0.3 ? 2e-3 : 1e-6);  // 0.3 is between two keys
    }
}

}  // namespace
}  // namespace pelt::rig
