// Rigid binds: from weights, and from the nearest bone.
#include <gtest/gtest.h>
#include <pelt/bind/rigid_bind.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/segments.h>

#include <random>

#include "bind_shapes.h"

namespace pelt::bind {
namespace {

const Skeleton kArm = skeletonOf({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {-1, 0, 1});

SkinWeights rows(const std::vector<std::vector<std::pair<std::uint32_t, float>>>& vertices) {
    SkinWeights weights;
    for (const auto& row : vertices) {
        std::vector<std::uint32_t> joints;
        std::vector<float> values;
        for (const auto& [joint, value] : row) {
            joints.push_back(joint);
            values.push_back(value);
        }
        appendVertex(weights, joints, values);
    }
    return weights;
}

TEST(BindRigid, TakesTheHeaviestJointAndTheLowestOnTies) {
    Mesh mesh;
    mesh.positions.resize(3);
    const auto bound = bindRigid(mesh, kArm, rows({{{0, 0.2f}, {2, 0.8f}}, {{2, 0.5f}, {1, 0.5f}}, {{0, 1.0f}}}));
    EXPECT_EQ(bound.joints, (std::vector<std::uint32_t>{2, 1, 0}));
    EXPECT_EQ(bound.weights, (std::vector<float>{1, 1, 1}));
    EXPECT_EQ(bound.offsets, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(BindRigid, AVertexWithoutWeightsTakesTheNearestBone) {
    Mesh mesh;
    mesh.positions = {{0.1f, 1, 0}, {2.7f, 1, 0}};
    EXPECT_EQ(bindRigid(mesh, kArm, rows({{{1, 1.0f}}, {}})).joints, (std::vector<std::uint32_t>{1, 2}));
}

TEST(BindRigid, WithoutAnyWeightsIsTheNearestBoneBind) {
    Mesh mesh;
    mesh.positions = {{0.1f, 1, 0}, {1.7f, 1, 0}, {2.7f, 1, 0}};
    EXPECT_EQ(bindRigid(mesh, kArm, {}), bindNearestBone(mesh, kArm));
}

TEST(BindRigid, WeightsOfAnotherMeshAreRefused) {
    Mesh mesh;
    mesh.positions.resize(2);
    EXPECT_THROW(bindRigid(mesh, kArm, rows({{{0, 1.0f}}})), Error);
}

TEST(BindNearestBone, ALeafGoesOnInItsParentsDirection) {
    Mesh mesh;
    mesh.positions = {{0.5f, 0.3f, 0}, {1.5f, -0.3f, 0}, {2.5f, 0.3f, 0}, {9, 0, 0}, {-9, 0, 0}};
    EXPECT_EQ(bindNearestBone(mesh, kArm).joints, (std::vector<std::uint32_t>{0, 1, 2, 2, 0}));
}

TEST(BindNearestBone, AgreesWithBruteForceOnABranch) {
    const std::vector<Vec3d> positions{{0, 0, 0}, {0, 1, 0}, {-1, 2, 0}, {1, 2, 0}, {1, 2, 0}};
    const std::vector<std::int32_t> parents{-1, 0, 1, 1, 3};  // the last coincides with its parent
    const Skeleton skeleton = skeletonOf(positions, parents);
    Mesh mesh;
    std::mt19937 random(1);
    std::uniform_real_distribution<float> coordinate(-3, 3);
    for (int i = 0; i < 5000; ++i)
        mesh.positions.push_back({coordinate(random), coordinate(random), coordinate(random)});
    setThreadCount(2);
    const SkinWeights bound = bindNearestBone(mesh, skeleton);
    setThreadCount(0);
    const auto segments = geometry::boneSegments(positions, parents);
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
        double own = 1e30, any = 1e30;
        for (const auto& s : segments) {
            const double d = geometry::distanceTo(s, Vec3d(mesh.positions[v]));
            any = std::min(any, d);
            if (s.joint == bound.joints[v]) own = std::min(own, d);
        }
        EXPECT_EQ(own, any);
    }
}

TEST(BindNearestBone, VerticesOfEqualPositionBindAlike) {
    Mesh mesh;
    mesh.positions = {{1, 0.5f, 0}, {1, -0.0f, 0}, {1, 0.5f, 0}, {1, 0, 0}};
    const auto joints = bindNearestBone(mesh, kArm).joints;
    EXPECT_EQ(joints[0], joints[2]);
    EXPECT_EQ(joints[1], joints[3]);
}

TEST(BindNearestBone, ASingleJointTakesEverything) {
    Mesh mesh;
    mesh.positions = {{1, 2, 3}, {-4, 5, 6}};
    EXPECT_EQ(bindNearestBone(mesh, skeletonOf({{7, 7, 7}}, {-1})).joints, (std::vector<std::uint32_t>{0, 0}));
}

TEST(BindNearestBone, UsesTheBindPoseNotTheNodes) {
    Skeleton skeleton = kArm;
    skeleton.nodes[0].local.translation = {100, 0, 0};  // the rest of the nodes differs from the bind pose
    Mesh mesh;
    mesh.positions = {{1.5f, 0.2f, 0}};
    EXPECT_EQ(bindNearestBone(mesh, skeleton).joints[0], 1u);
}

TEST(BindNearestBone, NeedsAJoint) {
    Mesh mesh;
    mesh.positions.resize(1);
    EXPECT_THROW(bindNearestBone(mesh, {}), Error);
    EXPECT_THROW(bindRigid(mesh, {}, {}), Error);
}

}  // namespace
}  // namespace pelt::bind
