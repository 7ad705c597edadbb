// Handles in scaled, turned and mirrored armatures.
#include <gtest/gtest.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/io/character_file.h>
#include <pelt/rig/clip.h>
#include <pelt/rig/rest_space.h>
#include <pelt/scenes/scenes.h>
#include <pelt/verbs/pose.h>

#include <cmath>

#include "made_scene.h"
#include "posed.h"

/// Exporters put skeletons into armatures that scale and rotate. Posing must not depend on that.
namespace pelt::verbs {
namespace {

using HandleGiven = PoseHandle::Given;

constexpr double kScale = 0.01;
const Mat3d kLying = toMatrix(axisAngle(Vec3d{1, 0, 0}, -1.5707963267948966));
const Affine3d kArmature(kLying* kScale, {0.1, 0, -0.2});

Character plain(const char* scene, std::size_t vertices) {
    Character character = smoothScene(scene, vertices);
    character.clips.clear();
    character.source = nullptr;
    return io::loadGltf(io::toGlb(character), "plain").character;
}

Character plainBiped() { return plain("biped", 2000); }

/// The same character below a node that scales and turns it; its POSITIONs are in that node's space.
Character inArmature(Character character) {
    rig::transformVertices(character.mesh, 0, character.mesh.vertexCount(), inverse(kArmature));
    const Affine3d unscale(Mat3d() * (1 / kScale), {});
    for (Joint& joint : character.skeleton.joints) {
        joint.inverse_bind = unscale * joint.inverse_bind * kArmature;
        ++joint.node;
    }
    for (SkeletonNode& node : character.skeleton.nodes) {
        if (node.parent < 0) {
            node.local.translation = inverse(kArmature) * node.local.translation;
            node.local.rotation = toQuat(transposed(kLying) * toMatrix(node.local.rotation));
        } else {
            node.local.translation = node.local.translation / kScale;
        }
        ++node.parent;
    }
    SkeletonNode armature{"armature", -1, {{0.1, 0, -0.2}, toQuat(kLying), {kScale, kScale, kScale}}, {}};
    character.skeleton.nodes.insert(character.skeleton.nodes.begin(), armature);
    character.source = nullptr;
    character.from_file.clear();
    return io::loadGltf(io::toGlb(character), "in an armature").character;
}

/// The same character with a limb that its rig mirrors, as riggers make a left arm of a right one: the joint and all
/// below it stand in mirrored frames.
Character withMirroredLimb(Character character, const char* top) {
    const Affine3d mirror(Mat3d{{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {});
    Skeleton& skeleton = character.skeleton;
    std::vector<bool> below(skeleton.nodes.size(), false);
    for (std::size_t n = 0; n < below.size(); ++n) {
        SkeletonNode& node = skeleton.nodes[n];
        const bool inside = node.parent >= 0 && below[std::size_t(node.parent)];
        below[n] = inside || node.name == top;
        if (!below[n]) continue;
        node.local = rig::trsOf((inside ? mirror : Affine3d()) * toAffine(node.local) * mirror);
        node.matrix.reset();
    }
    for (Joint& joint : skeleton.joints)
        if (below[joint.node]) joint.inverse_bind = mirror * joint.inverse_bind;
    character.source = nullptr;
    return io::loadGltf(io::toGlb(character), "with a mirrored limb").character;
}

PoseHandle handle(const char* joint, HandleGiven given, std::vector<PoseHandle::Key> offsets = {}) {
    PoseHandle made;
    made.joint = joint;
    made.given = given;
    made.offsets = true;
    made.targets = std::move(offsets);
    return made;
}

double farthest(std::span<const Vec3f> a, std::span<const Vec3f> b) {
    double most = 0;
    for (std::size_t v = 0; v < a.size(); ++v) most = std::max(most, double(length(a[v] - b[v])));
    return most / geometry::boundingDiagonal(a);
}

/// The pose's clip, as a viewer shows the file that is written.
std::vector<Vec3f> played(const Posed& made) {
    const Character file = io::loadGltf(io::toGlb(made.character), "written").character;
    const auto bones = rig::skinMatricesDouble(file.skeleton, &file.clips.front(), 0);
    std::vector<Vec3f> out;
    for (std::size_t v = 0; v < file.mesh.vertexCount(); ++v) {
        Vec3d sum;
        for (std::size_t k = 0; k < file.weights.influenceCount(v); ++k)
            sum += (bones[file.weights.jointsOf(v)[k]] * Vec3d(file.mesh.positions[v])) *
                   double(file.weights.weightsOf(v)[k]);
        out.emplace_back(sum);
    }
    return out;
}

TEST(PoseSpaces, TheSameHandlesGiveTheSamePoseInAScaledLyingArmature) {
    const Character upright = plainBiped(), other = inArmature(upright);
    ASSERT_FALSE(other.from_file.empty());
    PoseHandle head = handle("head", HandleGiven::rotation);
    head.rotations = {{0, {0, 40, 0}}};
    const std::vector<PoseHandle> handles{handle("foot_L", HandleGiven::hold), handle("foot_R", HandleGiven::hold),
                                          handle("pelvis", HandleGiven::position, {{0, {0, -0.28, 0}}}),
                                          handle("hand_L", HandleGiven::position, {{0, {-0.2, 0.5, 0.2}}}), head};
    const Posed expected = poseAll(upright, handles, {}), got = poseAll(other, handles, {});
    EXPECT_TRUE(got.rigid);
    EXPECT_NEAR(got.missed, expected.missed, 1e-3);
    EXPECT_LE(farthest(expected.positions, got.positions), 2e-3);
    EXPECT_LE(farthest(expected.positions, played(got)), 2e-3);
    EXPECT_GT(farthest(upright.mesh.positions, got.positions), 0.1);
}

TEST(PoseSpaces, AMirroredLimbStaysMirrored) {
    const Character upright = plain("bar3", 400), other = withMirroredLimb(upright, "joint1");
    const std::vector<PoseHandle> handles{handle("joint0", HandleGiven::hold),
                                          handle("joint2", HandleGiven::position, {{0, {0.2, -0.1, 0.1}}})};
    const Posed expected = poseAll(upright, handles), got = poseAll(other, handles);
    EXPECT_LE(farthest(expected.positions, got.positions), 1e-4);
    EXPECT_LE(farthest(expected.positions, played(got)), 1e-4);
    EXPECT_GT(farthest(upright.mesh.positions, got.positions), 0.1);
}

TEST(PoseSpaces, ATransformTakesThePositionsThatTheFileStores) {
    const Character upright = plainBiped(), other = inArmature(upright);
    std::vector<PoseHandle> handles{handle("foot_L", HandleGiven::hold), handle("foot_R", HandleGiven::hold),
                                    handle("chest", HandleGiven::full)};
    handles[2].transform = Affine3d(toMatrix(axisAngle(Vec3d{0, 1, 0}, 0.4)), {0.05, -0.05, 0.1});
    const Posed expected = poseAll(upright, handles, {});
    handles[2].transform = handles[2].transform * kArmature;
    const Posed got = poseAll(other, handles, {});
    EXPECT_LE(farthest(expected.positions, got.positions), 2e-3);
}

}  // namespace
}  // namespace pelt::verbs
