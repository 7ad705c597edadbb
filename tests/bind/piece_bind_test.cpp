// Characters in layers, as game kits build them: shells, what sits on them, clothes, and joints without flesh.
#include <gtest/gtest.h>
#include <pelt/bind/bounded_biharmonic.h>
#include <pelt/bind/rigid_bind.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <set>

#include "bind_shapes.h"

namespace pelt::bind {
namespace {

using Labels = std::vector<std::uint32_t>;

std::set<std::uint32_t> labelsFrom(const Labels& joints, std::uint32_t first, std::size_t last) {
    return {joints.begin() + first, joints.begin() + static_cast<std::ptrdiff_t>(last)};
}

/// A neck in a collar, a head that is a shell of its own, and a nose low on its face.
struct Face {
    Mesh mesh;
    Skeleton skeleton = skeletonOf({{0, 0.1, 0}, {0, 1.5, 0}, {0, 2.4, 0}}, {-1, 0, 1});  // chest, neck, head
    std::uint32_t nose = 0, brow = 0;

    Face() {
        addTube(mesh, {0, 0, 0}, {0, 2, 0}, 0.5, 24);
        addTube(mesh, {0, 1.7, 0}, {0, 4.4, 0}, 1.2, 24);
        nose = addTube(mesh, {0, 1.95, 1.1}, {0, 1.95, 1.5}, 0.12, 6, 8);
        brow = addTube(mesh, {-0.3, 2.3, 1.2}, {0.3, 2.3, 1.2}, 0.06, 6, 8);
    }
};

TEST(BindPieces, ANoseFollowsTheFaceThatItSitsOn) {
    const Face face;
    const Labels joints = bindNearestBone(face.mesh, face.skeleton).joints;
    EXPECT_EQ(labelsFrom(joints, face.nose, face.brow), std::set<std::uint32_t>{2});
    EXPECT_EQ(labelsFrom(joints, face.brow, joints.size()), std::set<std::uint32_t>{2});
}

TEST(BindPieces, ANoseFollowsItsFaceWithSmoothWeightsToo) {
    const Face face;
    const BiharmonicBind bind =
        bindBiharmonic(face.mesh, face.skeleton, 0, {BiharmonicDomain::volume, nullptr, 4000, {}});
    for (std::size_t v = face.nose; v < face.mesh.vertexCount(); ++v) {
        ASSERT_EQ(bind.weights.influenceCount(v), 1u);
        EXPECT_EQ(bind.weights.jointsOf(v)[0], 2u);
    }
    EXPECT_EQ(maxInfluences(bind.weights), 3u);  // the rest is still smooth
}

TEST(BindPieces, ArmourOnAKneeStaysWhole) {
    Mesh mesh;
    addTube(mesh, {0, 4, 0}, {0, 0, 0}, 0.4, 40);
    for (const double middle : {1.8, 2.0, 2.2}) {
        Mesh armoured = mesh;
        const std::uint32_t plate = addTube(armoured, {0, middle - 0.4, 0.5}, {0, middle + 0.4, 0.5}, 0.15, 12, 8);
        const Labels joints = bindNearestBone(armoured, skeletonOf({{0, 3.9, 0}, {0, 2, 0}}, {-1, 0})).joints;
        EXPECT_EQ(labelsFrom(joints, plate, joints.size()).size(), 1u) << middle;
        EXPECT_EQ(labelsFrom(joints, 0, plate).size(), 2u) << "the leg itself bends";
    }
}

TEST(BindPieces, AFingerOfItsOwnBendsHoweverSmallItIs) {
    Mesh mesh;
    addTube(mesh, {0, 0, 0}, {8, 0, 0}, 2, 24, 24);
    const std::uint32_t finger = addTube(mesh, {7.9, 0, 0}, {9.1, 0, 0}, 0.1, 24, 8);
    const Labels joints =
        bindNearestBone(mesh, skeletonOf({{0.5, 0, 0}, {8, 0, 0}, {8.4, 0, 0}, {8.7, 0, 0}}, {-1, 0, 1, 2})).joints;
    const auto used = labelsFrom(joints, finger, joints.size());
    EXPECT_TRUE(used.count(1) && used.count(2) && used.count(3));
}

/// Two legs, a body on them and a wide skirt, open below, around the thighs.
struct Dress {
    Mesh mesh;
    std::uint32_t skirt = 0;

    Dress() {
        addTube(mesh, {0, 4, 0}, {0, 7, 0}, 0.8, 24);
        addTube(mesh, {0.45, 4.4, 0}, {0.45, 0.1, 0}, 0.3, 24);
        addTube(mesh, {-0.45, 4.4, 0}, {-0.45, 0.1, 0}, 0.3, 24);
        skirt = static_cast<std::uint32_t>(mesh.vertexCount());
        constexpr std::uint32_t kRings = 12, kSides = 24;
        for (std::uint32_t r = 0; r < kRings; ++r)
            for (std::uint32_t s = 0; s < kSides; ++s) {
                const double t = r / (kRings - 1.0), angle = 2 * std::numbers::pi * s / kSides, radius = 0.9 + 0.5 * t;
                mesh.positions.emplace_back(Vec3d{radius * std::cos(angle), 4.8 - 3 * t, radius * std::sin(angle)});
            }
        for (std::uint32_t r = 0; r + 1 < kRings; ++r)
            for (std::uint32_t s = 0; s < kSides; ++s) {
                const std::uint32_t a = skirt + r * kSides + s, b = skirt + r * kSides + (s + 1) % kSides;
                mesh.triangles.push_back({a, b, a + kSides});
                mesh.triangles.push_back({b, b + kSides, a + kSides});
            }
    }
};

/// The root stands on the floor; the thighs hang from the hips, or from the root itself.
TEST(BindPieces, ARootBetweenTheLegsGetsNothingOfASkirt) {
    const Dress dress;
    for (const std::int32_t thighs_hang_from : {0, 1})
        for (const char* name : {"Root", "mover"}) {
            //                              root     hips       spine      thigh         shin         thigh, shin
            Skeleton skeleton = skeletonOf(
                {{0, 0, 0}, {0, 4.5, 0}, {0, 5.5, 0}, {0.45, 4.2, 0}, {0.45, 2.2, 0}, {-0.45, 4.2, 0}, {-0.45, 2.2, 0}},
                {-1, 0, 1, thighs_hang_from, 3, thighs_hang_from, 5});
            skeleton.nodes[0].name = name;
            const Labels joints = bindNearestBone(dress.mesh, skeleton).joints;
            EXPECT_EQ(std::count(joints.begin(), joints.end(), 0u), 0) << name << thighs_hang_from;
            EXPECT_GT(std::count(joints.begin() + dress.skirt, joints.end(), 3u), 20);
            EXPECT_GT(std::count(joints.begin() + dress.skirt, joints.end(), 5u), 20);
        }
}

TEST(BindPieces, AWingBelongsToTheJointThatPointsAlongIt) {
    Mesh mesh;
    addTube(mesh, {0, -2, 0}, {0, 2, 0}, 1, 24);
    const auto wing = static_cast<std::uint32_t>(mesh.vertexCount());
    for (std::uint32_t r = 0; r <= 10; ++r)
        for (const float z : {-0.5f, 0.0f, 0.5f}) mesh.positions.push_back({1.0f + 0.2f * float(r), 0, z});
    for (std::uint32_t r = 0; r < 10; ++r)
        for (std::uint32_t s = 0; s < 2; ++s) {
            const std::uint32_t at = wing + 3 * r + s;
            mesh.triangles.push_back({at, at + 1, at + 3});
            mesh.triangles.push_back({at + 1, at + 4, at + 3});
        }
    const Labels joints = bindNearestBone(mesh, skeletonOf({{0, -1.5, 0}, {0, 0, 0}, {0.9, 0, 0}}, {-1, 0, 1})).joints;
    EXPECT_EQ(labelsFrom(joints, wing, joints.size()), std::set<std::uint32_t>{2});
}

/// A mitten with two fingers: what lies beside a knuckle is the finger's, not the palm's, where axes lie along bones.
TEST(BindPieces, SkinBesideAKnuckleIsTheFingers) {
    Mesh mesh;
    addTube(mesh, {0, 0, 0}, {7, 0, 0}, 1, 141, 24);
    Skeleton skeleton = skeletonOf({{0.2, 0, 0}, {2, 0, 0}, {4, 0, 0.5}, {5.2, 0, 0.5}, {4, 0, -0.5}, {5.2, 0, -0.5}},
                                   {-1, 0, 1, 2, 1, 4});
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {  // y along the bone; each a little different about it
        const double angle = 0.3 * double(j);
        const Mat3d frame{{{0, std::cos(angle), std::sin(angle)}, {1, 0, 0}, {0, std::sin(angle), -std::cos(angle)}}};
        Joint& joint = skeleton.joints[j];
        joint.inverse_bind = inverse(Affine3d(frame, inverse(joint.inverse_bind).translation()));
    }
    const Labels joints = bindNearestBone(mesh, skeleton).joints;
    std::size_t fingers = 0, beside = 0;
    for (std::size_t v = 0; v < joints.size(); ++v) {
        const Vec3f& p = mesh.positions[v];
        if (p.x < 3.75f || p.x > 3.95f || std::abs(p.z) < 0.7f) continue;
        ++beside;
        fingers += joints[v] == (p.z > 0 ? 2u : 4u);
    }
    EXPECT_GT(beside, 30u);
    EXPECT_EQ(fingers, beside);
}

TEST(BindPieces, TheLastJointOfAFingerGetsNothingAtItsVeryTip) {
    Mesh mesh;
    addTube(mesh, {0, 0, 0}, {4, 0, 0}, 0.3, 40);
    for (const double tip : {3.8, 3.9, 4.0}) {
        const Labels joints =
            bindNearestBone(mesh, skeletonOf({{0.1, 0, 0}, {1.3, 0, 0}, {2.6, 0, 0}, {tip, 0, 0}}, {-1, 0, 1, 2}))
                .joints;
        EXPECT_EQ(labelsFrom(joints, 0, joints.size()), (std::set<std::uint32_t>{0, 1, 2})) << tip;
    }
}

/// Half a figure of a trunk and a bent arm with a buckle, and its mirror image but for what an artist's hand adds.
struct Symmetric {
    Mesh mesh;
    Skeleton skeleton = skeletonOf(
        {{0, 0.2, 0}, {0, 2, 0}, {0.6, 3, 0.1}, {2, 2.6, 0.3}, {-0.6, 3, 0.1}, {-2, 2.6, 0.3}}, {-1, 0, 1, 2, 1, 4});

    Symmetric() {
        addTube(mesh, {0.3, 0, 0}, {0.3, 3.6, 0}, 0.7, 30);
        addTube(mesh, {0.5, 3.1, 0.1}, {3.4, 2.3, 0.4}, 0.35, 300, 24);
        addTube(mesh, {1.7, 2.9, 0.6}, {2.2, 2.7, 0.6}, 0.1, 5, 7);
        const auto half = static_cast<std::uint32_t>(mesh.vertexCount());
        const std::vector<Triangle> triangles = mesh.triangles;
        for (std::uint32_t v = 0; v < half; ++v) {
            const float off = 4e-4f * float(v * 7919u % 101u) / 101;
            mesh.positions.push_back({-mesh.positions[v].x - off, mesh.positions[v].y + off, mesh.positions[v].z});
        }
        for (const Triangle& t : triangles) mesh.triangles.push_back({t[1] + half, t[0] + half, t[2] + half});
    }
};

TEST(BindPieces, ASymmetricCharacterIsBoundSymmetrically) {
    const Symmetric figure;
    const Labels joints = bindNearestBone(figure.mesh, figure.skeleton).joints;
    const Labels twin{0, 1, 4, 5, 2, 3};
    const std::size_t half = joints.size() / 2;
    for (std::size_t v = 0; v < half; ++v) ASSERT_EQ(joints[v + half], twin[joints[v]]) << v;
    EXPECT_EQ(labelsFrom(joints, 0, joints.size()).size(), 6u);
}

TEST(BindPieces, OnlyTheJointsThatAreListedGetVertices) {
    const Dress dress;
    const Skeleton skeleton = skeletonOf(
        {{0, 0, 0}, {0, 4.5, 0}, {0, 5.5, 0}, {0.45, 4.2, 0}, {0.45, 2.2, 0}, {-0.45, 4.2, 0}, {-0.45, 2.2, 0}},
        {-1, 0, 1, 1, 3, 1, 5});
    BindOptions options;
    options.joints = {0, 3, 5};  // the root looks like a control, and is wanted all the same
    Labels joints = bindNearestBone(dress.mesh, skeleton, options).joints;
    EXPECT_EQ(labelsFrom(joints, 0, joints.size()), (std::set<std::uint32_t>{0, 3, 5}));
    options = {{}, {4, 6}};
    joints = bindNearestBone(dress.mesh, skeleton, options).joints;
    EXPECT_EQ(labelsFrom(joints, 0, joints.size()), (std::set<std::uint32_t>{1, 2, 3, 5}));
    const BiharmonicBind smooth =
        bindBiharmonic(dress.mesh, skeleton, 0, {BiharmonicDomain::volume, nullptr, 4000, options});
    EXPECT_EQ(std::count(smooth.weights.joints.begin(), smooth.weights.joints.end(), 4u), 0);
}

TEST(BindPieces, WhereWeightsNameAJointThatIsExcludedTheNextHeaviestIsTaken) {
    Mesh mesh;
    mesh.positions = {{0.1f, 0, 0}, {1.9f, 0, 0}};
    SkinWeights weights;
    appendVertex(weights, std::array{0u, 1u}, std::array{0.3f, 0.7f});
    appendVertex(weights, std::array{1u}, std::array{1.0f});
    const Skeleton skeleton = skeletonOf({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {-1, 0, 1});
    EXPECT_EQ(bindRigid(mesh, skeleton, weights, {{}, {1}}).joints, (Labels{0, 2}));
}

TEST(BindPieces, OptionsThatLeaveNoJointAreRefused) {
    const Face face;
    EXPECT_THROW(bindNearestBone(face.mesh, face.skeleton, {{}, {0, 1, 2}}), Error);
    EXPECT_THROW(bindNearestBone(face.mesh, face.skeleton, {{7}, {}}), Error);
    EXPECT_THROW(bindBiharmonic(face.mesh, face.skeleton, 0, {BiharmonicDomain::volume, nullptr, 4000, {{1}, {1}}}),
                 Error);
}

/// Two skins of one file may bind the same nodes, each with matrices of its own.
TEST(BindPieces, JointsThatTwoSkinsShareAreOne) {
    const Face face;
    Skeleton twice = face.skeleton;
    for (Joint joint : face.skeleton.joints) {
        joint.inverse_bind = Affine3d(Mat3d{}, joint.inverse_bind.translation() + Vec3d{0, 1e-3, 0});
        twice.joints.push_back(joint);
    }
    EXPECT_EQ(bindNearestBone(face.mesh, twice), bindNearestBone(face.mesh, face.skeleton));
}

}  // namespace
}  // namespace pelt::bind
