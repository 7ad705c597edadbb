// Joints between the bones of a decomposition.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/fit/bone_skeleton.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace pelt::fit {
namespace {

constexpr std::size_t kSkeletonFrames = 40;

/// Bones that turn about known joints: each from its joint to its end.
struct Articulation {
    std::vector<std::int32_t> parents;
    std::vector<Vec3d> joints, ends;
};

const Articulation kChain{{-1, 0, 1, 2},
                          {{0, 0, 0}, {1, 0.2, 0}, {2, 0, 0.3}, {2.8, 0, 0}},
                          {{1, 0.2, 0}, {2, 0, 0.3}, {2.8, 0, 0}, {3.9, 0, 0}}};
const Articulation kTree{{-1, 0, 0, 1, 1, 2},
                         {{0, 0, 0}, {0, 2, 0}, {0.4, -0.1, 0}, {-0.5, 2.2, 0}, {0.5, 2.2, 0.1}, {0.7, -1, 0}},
                         {{0, 2, 0}, {0, 3.5, 0}, {0.7, -1, 0}, {-2, 2, 0.5}, {2, 2.5, 0}, {0.7, -2.2, 0.2}}};

Affine3d turnAbout(const Vec3d& center, const Quatd& q) {
    const Mat3d r = toMatrix(q);
    return {r, center - r * center};
}

Quatd swing(std::size_t bone, std::size_t frame) {
    const double b = static_cast<double>(bone) + 1, u = static_cast<double>(frame) * 0.17;
    const Vec3d axis(std::sin(b + u), std::cos(2 * b - 0.7 * u), std::sin(3 * b + 0.4 * u));
    return axisAngle(axis, 0.9 * std::sin(u * (1 + 0.3 * b) + b));
}

void addVertex(Decomposition& d, const Vec3d& p, std::uint32_t bone, std::int32_t other, double other_weight) {
    d.rest.emplace_back(p);
    const std::uint32_t joints[2] = {bone, static_cast<std::uint32_t>(std::max(other, 0))};
    const float weights[2] = {static_cast<float>(1 - other_weight), other < 0 ? 0 : static_cast<float>(other_weight)};
    appendVertex(d.weights, joints, weights);
}

/// Rings around each bone; near its joint a bone shares its vertices with its parent.
void addSkin(Decomposition& d, const Articulation& body, std::size_t bone) {
    const Vec3d along = body.ends[bone] - body.joints[bone];
    const Vec3d u = normalized(cross(along, Vec3d(0.3, 0.2, 1))), v = normalized(cross(along, u));
    for (int ring = 0; ring <= 20; ++ring) {
        const double t = ring / 20.0, blend = 0.5 * std::max(0.0, 1 - t / 0.3);
        for (int side = 0; side < 8; ++side) {
            const double angle = side * std::numbers::pi / 4;
            addVertex(d, body.joints[bone] + along * t + (u * std::cos(angle) + v * std::sin(angle)) * 0.2,
                      static_cast<std::uint32_t>(bone), body.parents[bone], blend);
        }
    }
}

template <class Turn>
Decomposition decompositionOf(const Articulation& body, const Turn& turn) {
    Decomposition d;
    d.bones = body.parents.size();
    d.frames = kSkeletonFrames;
    for (std::size_t t = 0; t < kSkeletonFrames; ++t) {
        for (std::size_t bone = 0; bone < d.bones; ++bone) {
            const Affine3d local = turnAbout(body.joints[bone], turn(bone, t));
            const std::int32_t parent = body.parents[bone];
            const Affine3d walk(Mat3d{}, {0.05 * double(t), std::sin(0.3 * double(t)), 0});
            d.motion.push_back(parent < 0 ? walk * local : d.motion[t * d.bones + std::size_t(parent)] * local);
        }
    }
    for (std::size_t bone = 0; bone < d.bones; ++bone) addSkin(d, body, bone);
    return d;
}

Decomposition decompositionOf(const Articulation& body) { return decompositionOf(body, swing); }

using Edge = std::pair<std::int32_t, std::int32_t>;

Edge edge(std::int32_t a, std::int32_t b) { return {std::min(a, b), std::max(a, b)}; }

std::set<Edge> edgesOf(const std::vector<BoneLink>& links) {
    std::set<Edge> edges;
    for (std::size_t bone = 0; bone < links.size(); ++bone) {
        if (links[bone].parent >= 0) edges.insert(edge(std::int32_t(bone), links[bone].parent));
    }
    return edges;
}

std::size_t rootCount(const std::vector<BoneLink>& links) {
    return static_cast<std::size_t>(
        std::count_if(links.begin(), links.end(), [](const BoneLink& link) { return link.parent < 0; }));
}

/// The same tree, whatever its root, with the same joints.
void expectJointsFound(const Articulation& body) {
    const std::vector<BoneLink> links = linkBones(decompositionOf(body));
    ASSERT_EQ(links.size(), body.parents.size());
    EXPECT_EQ(rootCount(links), 1u);
    std::set<Edge> truth;
    for (std::size_t bone = 0; bone < body.parents.size(); ++bone) {
        const std::int32_t parent = body.parents[bone];
        if (parent < 0) continue;
        truth.insert(edge(std::int32_t(bone), parent));
        const bool kept = links[bone].parent == parent;
        const BoneLink& link = kept ? links[bone] : links[std::size_t(parent)];
        EXPECT_LT(length(link.center - body.joints[bone]), 4e-6) << "bone " << bone;  // 1e-6 of the body
        EXPECT_LT(link.error, 4e-6);
    }
    EXPECT_EQ(edgesOf(links), truth);
}

TEST(LinkBones, FindsTheJointsOfAChain) { expectJointsFound(kChain); }

TEST(LinkBones, FindsTheJointsOfABranchingBody) { expectJointsFound(kTree); }

TEST(LinkBones, TheRootIsTheBoneThatMovesMostVerticesAtTheirMiddle) {
    Decomposition d = decompositionOf(kChain);
    for (int i = 0; i < 500; ++i) addVertex(d, {2.4, 0.001 * i, 0.1}, 2, -1, 0);
    const std::vector<BoneLink> links = linkBones(d);
    EXPECT_EQ(links[2].parent, -1);
    Vec3d sum;
    double weight = 0;
    for (std::size_t v = 0; v < d.rest.size(); ++v) {
        for (std::size_t k = 0; k < d.weights.influenceCount(v); ++k) {
            if (d.weights.jointsOf(v)[k] != 2) continue;
            sum += Vec3d(d.rest[v]) * d.weights.weightsOf(v)[k];
            weight += d.weights.weightsOf(v)[k];
        }
    }
    EXPECT_LT(length(links[2].center - sum / weight), 1e-9);
}

/// Noise that differs from frame to frame and bone to bone: shifts and, in radians, turns.
void shake(Decomposition& d, double amplitude) {
    for (std::size_t i = 0; i < d.motion.size(); ++i) {
        const double u = static_cast<double>(i * i);
        const Vec3d shift(std::sin(12.9 * u), std::sin(78.2 * u + 1), std::sin(37.7 * u + 2));
        const Vec3d axis(std::sin(5.3 * u), std::sin(7.1 * u + 1), std::sin(3.3 * u + 2));
        d.motion[i] = Affine3d(toMatrix(axisAngle(axis, amplitude)), shift * amplitude) * d.motion[i];
    }
}

TEST(LinkBones, BonesThatNeverMoveAgainstEachOtherJoinWhereTheyMeet) {
    const auto still = [](std::size_t bone, std::size_t t) { return bone == 0 ? swing(0, t) : Quatd{}; };
    for (const double noise : {0.0, 1e-3}) {
        Decomposition d = decompositionOf(kChain, still);
        shake(d, noise);
        const std::vector<BoneLink> links = linkBones(d);
        EXPECT_EQ(edgesOf(links), (std::set<Edge>{{0, 1}, {1, 2}, {2, 3}}));
        for (std::size_t bone = 1; bone < 4; ++bone) {
            const std::size_t child = links[bone].parent == std::int32_t(bone) - 1 ? bone : bone - 1;
            EXPECT_LT(links[child].error, 10 * noise + 1e-12);
            EXPECT_LT(length(links[child].center - kChain.joints[bone]),
                      0.3);  // the boundary reaches 0.3 along the bone
        }
    }
}

TEST(LinkBones, AHingeTakesThePointOfItsAxisNextToTheBoundary) {
    const auto hinge = [](std::size_t bone, std::size_t t) {
        return bone == 0 ? Quatd{} : axisAngle(Vec3d(1, 2, 3), std::sin(0.3 * double(t) + double(bone)));
    };
    const Articulation arm{{-1, 0}, {{0, 0, 0}, {2, 2, 3}}, {{1, 0, 0}, {2, 0, 0}}};  // a far point of the axis
    Decomposition d = decompositionOf(arm, hinge);
    d.rest.clear();
    d.weights = {};
    addSkin(d, {{-1, 0}, {{0, 0, 0}, {1, 0, 0}}, arm.ends}, 1);
    const std::vector<BoneLink> links = linkBones(d);
    const BoneLink& link = links[links[0].parent < 0 ? 1 : 0];
    const Vec3d axis = normalized(Vec3d(1, 2, 3)), offset = link.center - Vec3d(1, 0, 0);
    EXPECT_LT(length(offset - axis * dot(offset, axis)), 1e-6);
    EXPECT_LT(std::abs(dot(offset, axis)), 0.05);  // the boundary's middle is 0.08 along the bone
}

TEST(LinkBones, NoiseMovesAJointLittle) {
    Decomposition d = decompositionOf(kTree);
    shake(d, 0.01);
    const std::vector<BoneLink> links = linkBones(d);
    EXPECT_EQ(edgesOf(links), (std::set<Edge>{{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 5}}));
    for (std::size_t bone = 1; bone < 6; ++bone) {
        const bool kept = links[bone].parent == kTree.parents[bone];
        const BoneLink& link = links[kept ? bone : std::size_t(kTree.parents[bone])];
        EXPECT_LT(length(link.center - kTree.joints[bone]), 0.02);
    }
}

TEST(LinkBones, BonesThatBarelyTouchHangOnTheOneBetweenThem) {
    // Two legs that swing about one axis agree with each other as well as with the body.
    const Articulation legs{
        {-1, 0, 0}, {{0, 1, 0}, {-0.3, 0, 0}, {0.3, 0, 0}}, {{0, 0, 0}, {-0.3, -2, 0}, {0.3, -2, 0}}};
    Decomposition d = decompositionOf(legs, [](std::size_t bone, std::size_t t) {
        return bone == 0 ? Quatd{} : axisAngle(Vec3d(1, 0, 0), 0.8 * std::sin(0.3 * double(t) + 3.0 * double(bone)));
    });
    addVertex(d, {0, -0.1, 0}, 1, 2, 0.5);
    EXPECT_EQ(edgesOf(linkBones(d)), (std::set<Edge>{{0, 1}, {0, 2}}));
}

TEST(LinkBones, OneBoneIsARootInTheMiddleOfItsVertices) {
    const Articulation one{{-1}, {{0, 0, 0}}, {{2, 0, 0}}};
    const std::vector<BoneLink> links = linkBones(decompositionOf(one));
    ASSERT_EQ(links.size(), 1u);
    EXPECT_EQ(links[0].parent, -1);
    EXPECT_LT(length(links[0].center - Vec3d(1, 0, 0)), 1e-6);
}

TEST(LinkBones, WhatSharesNoVerticesIsLinkedAllTheSame) {
    const Articulation two{{-1, -1}, {{0, 0, 0}, {3, 0, 0}}, {{1, 0, 0}, {4, 0, 0}}};
    const std::vector<BoneLink> links = linkBones(decompositionOf(two));
    EXPECT_EQ(edgesOf(links), (std::set<Edge>{{0, 1}}));
    EXPECT_EQ(rootCount(links), 1u);

    // A hat: it touches nothing and moves with the head.
    Decomposition d = decompositionOf(kTree);
    const std::size_t bones = d.bones;
    std::vector<Affine3d> motion;
    for (std::size_t t = 0; t < kSkeletonFrames; ++t) {
        const auto pose = d.pose(t);
        motion.insert(motion.end(), pose.begin(), pose.end());
        motion.push_back(pose[3]);
    }
    d.motion = motion;
    d.bones = bones + 1;
    for (int i = 0; i < 30; ++i) addVertex(d, {-2.3, 2 + 0.01 * i, 0.5}, std::uint32_t(bones), -1, 0);
    const std::vector<BoneLink> hatted = linkBones(d);
    EXPECT_EQ(hatted[bones].parent, 3);
    EXPECT_LT(hatted[bones].error, 1e-9);
    EXPECT_NEAR(hatted[bones].center.x, -2.15, 0.3);
}

TEST(LinkBones, BonesWithoutVerticesHangOnTheRoot) {
    Articulation body = kChain;
    body.parents.push_back(-1);
    body.joints.push_back({9, 9, 9});
    body.ends.push_back({9, 9, 10});
    Decomposition d = decompositionOf(body);
    const Decomposition used = decompositionOf(kChain);
    d.rest = used.rest;
    d.weights = used.weights;
    const std::vector<BoneLink> links = linkBones(d);
    ASSERT_EQ(rootCount(links), 1u);
    ASSERT_GE(links[4].parent, 0);
    EXPECT_EQ(links[std::size_t(links[4].parent)].parent, -1);
    EXPECT_EQ(links[4].center, links[std::size_t(links[4].parent)].center);

    d.rest.clear();
    d.weights = {};
    EXPECT_EQ(rootCount(linkBones(d)), 1u);  // nothing but bones
}

TEST(LinkBones, TheSameOnAnyNumberOfThreads) {
    Decomposition d = decompositionOf(kTree);
    shake(d, 0.05);
    setThreadCount(1);
    const std::vector<BoneLink> one = linkBones(d);
    setThreadCount(2);
    const std::vector<BoneLink> two = linkBones(d);
    setThreadCount(0);
    for (std::size_t bone = 0; bone < d.bones; ++bone) {
        EXPECT_EQ(one[bone].parent, two[bone].parent);
        EXPECT_EQ(one[bone].center, two[bone].center);
        EXPECT_EQ(one[bone].error, two[bone].error);
    }
}

TEST(LinkBones, SizesThatDisagreeAreRefused) {
    Decomposition d = decompositionOf(kChain);
    d.motion.pop_back();
    EXPECT_THROW(linkBones(d), Error);
    d = decompositionOf(kChain);
    d.rest.pop_back();
    EXPECT_THROW(linkBones(d), Error);
    d = decompositionOf(kChain);
    d.weights.joints[0] = 4;
    EXPECT_THROW(boneSpheres(d), Error);
}

TEST(BoneSpheres, HoldTheVerticesOfEachBone) {
    Decomposition d = decompositionOf(kChain);
    d.bones = 5;
    d.frames = 0;
    d.motion.clear();
    const std::vector<geometry::Sphere> spheres = boneSpheres(d);
    ASSERT_EQ(spheres.size(), 5u);
    for (std::size_t v = 0; v < d.rest.size(); ++v) {
        const geometry::Sphere& sphere = spheres[d.weights.jointsOf(v)[0]];
        EXPECT_LE(length(Vec3d(d.rest[v]) - sphere.center), sphere.radius * (1 + 1e-9));
    }
    // The last bone is a tube of length 1.1 and radius 0.2, of which it owns all: the ring at its joint ties.
    EXPECT_NEAR(spheres[3].radius, std::hypot(0.55, 0.2), 0.03);
    EXPECT_EQ(spheres[4].radius, 0);
}

}  // namespace
}  // namespace pelt::fit
