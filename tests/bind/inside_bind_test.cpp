// Binding through the inside of a body.
#include <gtest/gtest.h>
#include <pelt/bind/rigid_bind.h>
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>
#include <pelt/geometry/segments.h>
#include <pelt/rig/clip.h>
#include <pelt/scenes/scenes.h>

#include <algorithm>
#include <set>

#include "bind_shapes.h"

namespace pelt::bind {
namespace {

using Joints = std::vector<std::uint32_t>;

/// Bound by distance alone, blind to the mesh.
Joints byDistance(const Mesh& mesh, const Skeleton& skeleton) {
    const auto segments = geometry::boneSegments(rig::jointRestPositions(skeleton), rig::jointParents(skeleton));
    Joints joints = geometry::nearestSegments(segments, mesh.positions);
    for (std::uint32_t& j : joints) j = segments[j].joint;
    return joints;
}

/// A thick body along y with a joint in each half, and a thin arm close beside it with two more.
struct BodyAndArm {
    Mesh mesh;
    Skeleton skeleton = skeletonOf({{0, 0.1, 0}, {0, 2, 0}, {1.25, 3.9, 0}, {1.25, 2, 0}}, {-1, 0, -1, 2});
    std::size_t body = 0;  ///< vertices of it

    BodyAndArm() {
        addTube(mesh, {0, 0, 0}, {0, 4, 0}, 1);
        body = mesh.vertexCount();
        addTube(mesh, {1.25, 4, 0}, {1.25, 0.2, 0}, 0.2);
    }
    std::size_t onTheWrongTube(const Joints& joints) const {
        std::size_t wrong = 0;
        for (std::size_t v = 0; v < joints.size(); ++v) wrong += (v < body) != (joints[v] < 2);
        return wrong;
    }
};

TEST(BindInside, AnArmBesideABodyTakesNoneOfItsSkin) {
    const BodyAndArm shape;
    EXPECT_GT(shape.onTheWrongTube(byDistance(shape.mesh, shape.skeleton)), 50u);
    EXPECT_EQ(shape.onTheWrongTube(bindNearestBone(shape.mesh, shape.skeleton).joints), 0u);
}

TEST(BindInside, PartsThatAreInsideOutBindAlike) {
    BodyAndArm shape;
    const SkinWeights bound = bindNearestBone(shape.mesh, shape.skeleton);
    for (Triangle& t : shape.mesh.triangles)
        if (t[0] >= shape.body) std::swap(t[0], t[1]);
    EXPECT_EQ(bindNearestBone(shape.mesh, shape.skeleton), bound);
}

TEST(BindInside, AnOpenBodyBindsAsWell) {
    BodyAndArm shape;
    std::erase_if(shape.mesh.triangles, [&](const Triangle& t) {  // no caps
        return std::any_of(t.begin(), t.end(), [&](auto v) { return v + 2 >= shape.body && v < shape.body; });
    });
    const Joints joints = bindNearestBone(shape.mesh, shape.skeleton).joints;
    EXPECT_EQ(shape.onTheWrongTube(joints), 0u);
}

const Character& biped() {
    static const Character character = scenes::find("biped")->make(12000);
    return character;
}

/// The built-in biped with its arms swung down beside the body, in its new rest pose.
Character armsDown(double degrees) {
    Character character = biped();
    Skeleton posed = character.skeleton;
    const double half = degrees * std::numbers::pi / 360;
    for (SkeletonNode& node : posed.nodes) {
        if (!node.name.starts_with("upper_arm")) continue;
        const double side = node.name.ends_with("_L") ? -1 : 1;
        node.local.rotation = Quatd{0, 0, side * std::sin(half), std::cos(half)} * node.local.rotation;
    }
    const std::vector<Affine3d> skin = rig::skinMatricesDouble(posed, nullptr, 0);
    const SkinWeights weights = scenes::smoothWeights(character);
    for (std::size_t v = 0; v < character.mesh.vertexCount(); ++v) {
        Vec3d sum;
        for (std::size_t k = 0; k < weights.influenceCount(v); ++k)
            sum += skin[weights.jointsOf(v)[k]] * Vec3d(character.mesh.positions[v]) * double(weights.weightsOf(v)[k]);
        character.mesh.positions[v] = Vec3f(sum);
    }
    for (std::size_t j = 0; j < posed.joints.size(); ++j)
        posed.joints[j].inverse_bind = posed.joints[j].inverse_bind * inverse(skin[j]);
    character.skeleton = posed;
    return character;
}

bool ofAnArm(const Skeleton& skeleton, std::uint32_t joint) {
    for (auto n = static_cast<std::int32_t>(skeleton.joints[joint].node); n >= 0;
         n = skeleton.nodes[std::size_t(n)].parent)
        if (skeleton.nodes[std::size_t(n)].name.starts_with("forearm")) return true;
    return false;
}

TEST(BindInside, ABipedWithItsArmsBesideItKeepsHandsAndThighsApart) {
    const Character character = armsDown(42);
    const auto mixed = [&](const Joints& joints) {
        std::size_t wrong = 0;
        for (std::uint32_t v = 0; v < joints.size(); ++v) {
            const auto truth = character.weights.jointsOf(v)[0];
            const auto near = [&](std::uint32_t j) {  // the elbow's own neighbors may go either way
                return rig::jointName(character.skeleton, j).starts_with("upper_arm");
            };
            if (near(truth) || near(joints[v])) continue;
            wrong += ofAnArm(character.skeleton, truth) != ofAnArm(character.skeleton, joints[v]);
        }
        return wrong;
    };
    EXPECT_GT(mixed(byDistance(character.mesh, character.skeleton)), 30u);
    EXPECT_EQ(mixed(bindNearestBone(character.mesh, character.skeleton).joints), 0u);
}

TEST(BindInside, TheMiddleOfASymmetricFigureLeansToNeitherSide) {
    const Joints joints = bindNearestBone(biped().mesh, biped().skeleton).joints;
    std::size_t in_the_middle = 0;
    for (std::size_t v = 0; v < joints.size(); ++v) {
        if (biped().mesh.positions[v].x != 0) continue;
        const std::string& name = rig::jointName(biped().skeleton, joints[v]);
        EXPECT_FALSE(name.ends_with("_L") || name.ends_with("_R")) << name;
        ++in_the_middle;
    }
    EXPECT_GT(in_the_middle, 100u);
}

/// A body of two joints whose skeleton has everything that steers it.
TEST(BindInside, JointsThatOnlySteerGetNoVertex) {
    Mesh mesh;
    addTube(mesh, {0, 1, 0}, {0, 5, 0}, 0.5);
    //                                 0 floor    1 hip        2 knee     3 foot       4 pole      5 IK on the foot
    Skeleton skeleton =
        skeletonOf({{0, 0, 0}, {0, 4.8, 0}, {0, 3, 0}, {0, 1.5, 0}, {0, 3, 0.7}, {0, 1.5, 0}}, {-1, 0, 1, 2, 0, 0});
    skeleton.nodes[0].name = "Root";
    const Joints joints = bindNearestBone(mesh, skeleton).joints;
    EXPECT_EQ(std::set<std::uint32_t>(joints.begin(), joints.end()), (std::set<std::uint32_t>{1, 2, 3}));
}

TEST(BindInside, ARootInTheEndOfABarKeepsItsHalf) {
    Mesh mesh;
    addTube(mesh, {0, 0, 0}, {4, 0, 0}, 0.5);
    const Joints joints = bindNearestBone(mesh, skeletonOf({{0, 0, 0}, {2, 0, 0}}, {-1, 0})).joints;
    for (std::size_t v = 0; v < joints.size(); ++v)
        if (std::abs(mesh.positions[v].x - 2) > 0.1f) {
            EXPECT_EQ(joints[v], mesh.positions[v].x < 2 ? 0u : 1u);
        }
}

constexpr const char* kEndNames[] = {"finger_end", "FingerEnd", "fingertip.L", "Nub", "hand slot_R", "End", "EndSite"};

TEST(BindInside, EndMarkersLeaveTheirSkinToTheBoneThatTheyEnd) {
    Mesh mesh;
    addTube(mesh, {0, 0, 0}, {4, 0, 0}, 0.5);
    const auto used = [&](double place, const char* name) {
        Skeleton skeleton = skeletonOf({{0.1, 0, 0}, {2, 0, 0}, {place, 0, 0}}, {-1, 0, 1});
        skeleton.nodes[2].name = name;
        const Joints joints = bindNearestBone(mesh, skeleton).joints;
        return std::count(joints.begin(), joints.end(), 2u) > 0;
    };
    for (const char* marker : kEndNames)
        for (const double place : {3.2, 3.9, 4.0, 4.3}) EXPECT_FALSE(used(place, marker)) << marker << " at " << place;
    for (const char* bone : {"finger_3", "arm_bend", "ForearmBend", "tipper", "r", ""})
        EXPECT_TRUE(used(3.2, bone)) << bone;
}

/// A tube from y = 0 to 3 with a joint at its lower end, or `below` it, and one in the middle, by whatever names.
Joints boundTube(double radius, double below, const char* lower, const char* upper) {
    Mesh mesh;
    addTube(mesh, {0, 0, 0}, {0, 3, 0}, radius, 31);
    Skeleton skeleton = skeletonOf({{0, -below, 0}, {0, 1.5, 0}}, {-1, 0});
    skeleton.nodes[0].name = lower;
    skeleton.nodes[1].name = upper;
    const Joints joints = bindNearestBone(mesh, skeleton).joints;
    for (std::size_t v = 0; v < joints.size(); ++v)
        if (std::abs(mesh.positions[v].y - 1.5f) > 0.06f) {
            EXPECT_EQ(joints[v], mesh.positions[v].y < 1.5f ? 0u : 1u)
                << lower << ", " << upper << ", radius " << radius << ", " << below << " below: y "
                << mesh.positions[v].y;
            if (testing::Test::HasFailure()) break;
        }
    return joints;
}

TEST(BindInside, ANameAloneTakesNoSkinAway) {
    for (const double radius : {0.3, 1.0}) {
        const Joints plain = boundTube(radius, 0, "joint0", "joint1");
        for (const char* root : {"root", "Root", "hips", "pelvis_root"}) {
            for (const char* leaf : kEndNames) EXPECT_EQ(boundTube(radius, 0, root, leaf), plain) << root << leaf;
            for (const char* leaf : {"tip", "Head_Tip", "weapon_slot", "socket", "Bone.001"})
                EXPECT_EQ(boundTube(radius, 0, root, leaf), plain) << root << leaf;
        }
    }
}

TEST(BindInside, ARootBelowTheMeshKeepsTheSkinAroundItsBone) {
    for (const double below : {0.05, 0.2, 1.0})
        for (const char* root : {"root", "Root", "b_Root_00", "hips"}) boundTube(0.3, below, root, "spine");
}

/// A root whose bone is mostly outside the mesh only carries the body, whatever its name is.
TEST(BindInside, ARootWhoseBoneIsNearlyAllOutsideGetsNoVertex) {
    Mesh mesh;
    addTube(mesh, {0, 2, 0}, {0, 5, 0}, 0.5);
    for (const char* name : {"root", "mover"}) {
        Skeleton skeleton = skeletonOf({{0, 0, 0}, {0, 2.2, 0}, {0, 3.5, 0}}, {-1, 0, 1});
        skeleton.nodes[0].name = name;
        const Joints joints = bindNearestBone(mesh, skeleton).joints;
        EXPECT_EQ(std::count(joints.begin(), joints.end(), 0u), 0) << name;
    }
}

TEST(BindInside, TheBranchIsBoundAsItWasMade) {
    const Character branch = scenes::find("branch")->make(6000);
    const Joints joints = bindNearestBone(branch.mesh, branch.skeleton).joints;
    std::size_t same = 0;
    for (std::uint32_t v = 0; v < joints.size(); ++v) same += joints[v] == branch.weights.jointsOf(v)[0];
    EXPECT_GE(double(same), 0.95 * double(joints.size()));
}

/// A cape is a sheet without an inside: its end cannot be determined, so names are ignored too.
TEST(BindInside, TheLastJointOfACapeKeepsItsSkinWhateverItsName) {
    Mesh mesh;
    addTube(mesh, {0, 0, 0}, {0, 4, 0}, 0.5);
    const auto cape = static_cast<std::uint32_t>(mesh.vertexCount());
    for (std::uint32_t r = 0; r <= 20; ++r)
        for (const float x : {-0.4f, 0.0f, 0.4f}) mesh.positions.push_back({x, 3.8f - 0.18f * float(r), -1});
    for (std::uint32_t r = 0; r < 20; ++r)
        for (std::uint32_t s = 0; s < 2; ++s) {
            const std::uint32_t at = cape + 3 * r + s;
            mesh.triangles.push_back({at, at + 1, at + 3});
            mesh.triangles.push_back({at + 1, at + 4, at + 3});
        }
    Skeleton skeleton =
        skeletonOf({{0, 0.2, 0}, {0, 3, 0}, {0, 3.8, -1.05}, {0, 2.6, -1.05}, {0, 1.4, -1.05}}, {-1, 0, 1, 2, 3});
    const SkinWeights plain = bindNearestBone(mesh, skeleton);
    EXPECT_GT(std::count(plain.joints.begin(), plain.joints.end(), 4u), 10);
    skeleton.nodes[4].name = "cape_tip";
    EXPECT_EQ(bindNearestBone(mesh, skeleton), plain);
}

/// A finger whose joints have no hierarchy, as in files made for WebXR: axes alone tell the chain.
TEST(BindInside, JointsWithoutHierarchyAreChainedByTheirAxes) {
    Mesh mesh;
    addTube(mesh, {0, 0, 0}, {6, 0, 0}, 0.5, 61);
    Skeleton skeleton = skeletonOf({{0.2, 0, 0}, {2, 0, 0}, {4, 0, 0}}, {-1, -1, -1});
    for (Joint& joint : skeleton.joints) {  // each looks along its own -z towards +x
        const Mat3d frame{{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}}};
        joint.inverse_bind = inverse(Affine3d(frame, inverse(joint.inverse_bind).translation()));
    }
    const Joints joints = bindNearestBone(mesh, skeleton).joints;
    for (std::size_t v = 0; v < joints.size(); ++v) {
        const float x = mesh.positions[v].x;
        if (std::abs(x - 2) > 0.06f && std::abs(x - 4) > 0.06f) {
            EXPECT_EQ(joints[v], x < 2 ? 0u : x < 4 ? 1u : 2u) << x;
        }
    }
}

TEST(BindInside, SmallPartsStayWhole) {
    Mesh mesh;
    addTube(mesh, {0, 0, 0}, {4, 0, 0}, 0.5, 40);
    const std::uint32_t button = addTube(mesh, {1.75, 0.55, 0}, {2.03, 0.55, 0}, 0.05, 8, 6);
    const Joints joints = bindNearestBone(mesh, skeletonOf({{0.1, 0, 0}, {2, 0, 0}}, {-1, 0})).joints;
    for (std::size_t v = button; v < joints.size(); ++v) EXPECT_EQ(joints[v], joints[button]);
}

TEST(BindInside, TheNumberOfThreadsChangesNothing) {
    const BodyAndArm shape;
    setThreadCount(1);
    const SkinWeights one = bindNearestBone(shape.mesh, shape.skeleton);
    setThreadCount(3);
    EXPECT_EQ(bindNearestBone(shape.mesh, shape.skeleton), one);
    setThreadCount(0);
}

TEST(BindInside, CanBeStopped) {
    const BodyAndArm shape;
    const Progress stop([](auto, double) { return false; });
    EXPECT_THROW(bindNearestBone(shape.mesh, shape.skeleton, {}, stop), Error);
}

TEST(BindInside, ATriangleBeyondTheVerticesIsRefused) {
    Mesh mesh;
    mesh.positions.resize(3);
    mesh.triangles = {{0, 1, 3}};
    EXPECT_THROW(bindNearestBone(mesh, skeletonOf({{0, 0, 0}}, {-1})), Error);
}

}  // namespace
}  // namespace pelt::bind
