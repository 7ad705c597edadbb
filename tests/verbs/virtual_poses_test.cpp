// Virtual joints in poses that are not rigid.
#include <gtest/gtest.h>
#include <pelt/deform/lbs.h>
#include <pelt/methods/methods.h>
#include <pelt/verbs/bake.h>

#include "made_scene.h"

// Baked virtual joints in poses whose joints scale, and packed for the runtime.

namespace pelt::verbs {
namespace {

BakeResult bakeArm(std::size_t joints) {
    BakeRequest asked;
    asked.sampling.fps = 5;
    asked.virtual_joints = joints;
    return bake(madeScene("arm", 400), asked);
}

const Character& virtualArm() {
    static const BakeResult made = bakeArm(16);
    return made.character;
}

const Character& plainArm() {
    static const BakeResult made = bakeArm(0);
    return made.character;
}

/// Bones of a moment of the clip in which a joint has another scale; `added` is before everything.
std::vector<Affine3f> scaledBones(const Character& c, double t, const char* joint, const Vec3d& scale,
                                  const Affine3d& added = {}) {
    std::vector<Affine3d> locals = rig::sampleLocals(c.skeleton, &c.clips.front(), t);
    for (std::size_t n = 0; n < locals.size(); ++n) {
        const SkeletonNode& node = c.skeleton.nodes[n];
        if (node.name == joint)
            locals[n] = locals[n] * Affine3d(Mat3d{{{scale.x, 0, 0}, {0, scale.y, 0}, {0, 0, scale.z}}}, {});
        if (node.parent < 0) locals[n] = added * locals[n];
    }
    rig::applyDrivers(c.skeleton, c.driven, locals);
    const std::vector<Affine3d> bones = rig::skinMatricesOf(c.skeleton, locals);
    return {bones.begin(), bones.end()};
}

std::vector<Vec3f> pose(methods::Deformer& deformer, std::span<const Affine3f> bones, std::size_t vertices) {
    std::vector<Vec3f> positions(vertices);
    deformer.setPose(bones);
    deformer.evaluate({}, 0, vertices, {positions, {}});
    return positions;
}

std::unique_ptr<methods::Deformer> deformerOf(const Character& c, const char* method) {
    return methods::findMethod(method).prepare(c, {}, {});
}

double sumOfSquares(const std::vector<Vec3f>& a, const std::vector<Vec3f>& b) {
    double sum = 0;
    for (std::size_t v = 0; v < a.size(); ++v) sum += double(dot(a[v] - b[v], a[v] - b[v]));
    return sum;
}

TEST(VirtualPoses, AnAffineMapOfAllJointsIsTheMapOfEveryVertex) {
    const Character& baked = virtualArm();
    const std::size_t count = baked.mesh.vertexCount();
    const Affine3d map(Mat3d{{{1.3, 0.2, 0}, {0.1, 0.8, 0}, {0, -0.3, 1.1}}}, {1, 2, 3});
    const auto deformer = deformerOf(baked, "lbs");
    const auto before = pose(*deformer, scaledBones(baked, 0, "", {}), count);
    const auto after = pose(*deformer, scaledBones(baked, 0, "", {}, map), count);
    for (std::size_t v = 0; v < count; ++v) EXPECT_LT(length(Vec3d(after[v]) - map * Vec3d(before[v])), 2e-6) << v;
}

TEST(VirtualPoses, UnderAScaledLimbTheyAreCloserToEnhancedDdmThanPlainWeights) {
    const Character& arm = madeScene("arm", 400);
    const std::size_t count = arm.mesh.vertexCount();
    const auto exact = deformerOf(arm, "eddm"), plain = deformerOf(plainArm(), "lbs"),
               with = deformerOf(virtualArm(), "lbs");
    for (const Vec3d& scale : {Vec3d{1.3, 1.3, 1.3}, Vec3d{1.3, 0.8, 0.8}}) {
        double plain_error = 0, virtual_error = 0;
        for (const double t : {0.3, 0.9, 1.4}) {
            const auto expected = pose(*exact, scaledBones(arm, t, "elbow", scale), count);
            plain_error += sumOfSquares(pose(*plain, scaledBones(plainArm(), t, "elbow", scale), count), expected);
            virtual_error += sumOfSquares(pose(*with, scaledBones(virtualArm(), t, "elbow", scale), count), expected);
        }
        EXPECT_LT(virtual_error, 0.5 * plain_error) << scale.y;
    }
}

TEST(VirtualPoses, PlayInTheCompactFormWithTheSamePositionsToTheBit) {
    const Character& baked = virtualArm();
    const std::size_t count = baked.mesh.vertexCount();
    const deform::LbsRig full = deform::prepareLbs(baked.mesh, baked.weights);
    deform::LbsPose full_pose(full);
    const auto packed = deformerOf(baked, "lbs");
    EXPECT_LT(packed->rigBytes().size(), full.bytes().size());
    std::vector<Vec3f> expected(count);
    for (double t = 0; t < 2; t += 0.2) {
        const auto bones = scaledBones(baked, t, "", {});
        full_pose.set(bones);
        deform::evaluate(full, full_pose, {}, 0, count, {expected, {}});
        EXPECT_EQ(pose(*packed, bones, count), expected) << t;
    }
}

}  // namespace
}  // namespace pelt::verbs
