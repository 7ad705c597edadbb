#include <gtest/gtest.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/io/character_file.h>
#include <pelt/pipeline/pose.h>
#include <pelt/rig/clip.h>
#include <pelt/rig/rest_space.h>
#include <pelt/scenes/scenes.h>

#include <cmath>

#include "made_scene.h"

/// Exporters put skeletons into armatures that scale and turn. Who poses a character need not know.
namespace pelt::pipeline {
namespace {

using Given = PoseHandle::Given;

constexpr double kScale = 0.01;
const Mat3d kTurn = toMatrix(axisAngle(Vec3d{1, 0, 0}, -1.5707963267948966));
const Affine3d kArmature(kTurn* kScale, {0.1, 0, -0.2});

Character plainBiped() {
    Character biped = smoothScene("biped", 2000);
    biped.clips.clear();
    biped.source = nullptr;
    return io::loadGltf(io::toGlb(biped), "plain");
}

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
            node.local.rotation = toQuat(transposed(kTurn) * toMatrix(node.local.rotation));
        } else {
            node.local.translation = node.local.translation / kScale;
        }
        ++node.parent;
    }
    SkeletonNode armature{"armature", -1, {{0.1, 0, -0.2}, toQuat(kTurn), {kScale, kScale, kScale}}, {}};
    character.skeleton.nodes.insert(character.skeleton.nodes.begin(), armature);
    character.source = nullptr;
    character.from_file.clear();
    return io::loadGltf(io::toGlb(character), "in an armature");
}

PoseHandle handle(const char* joint, Given given, std::vector<PoseHandle::Key> offsets = {}) {
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
std::vector<Vec3f> played(const PoseResult& made) {
    const Character file = io::loadGltf(io::toGlb(made.character), "written");
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
    const Character plain = plainBiped(), other = inArmature(plain);
    ASSERT_FALSE(other.from_file.empty());
    PoseHandle head = handle("head", Given::rotation);
    head.rotations = {{0, {0, 40, 0}}};
    const std::vector<PoseHandle> handles{handle("foot_L", Given::hold), handle("foot_R", Given::hold),
                                          handle("pelvis", Given::position, {{0, {0, -0.28, 0}}}),
                                          handle("hand_L", Given::position, {{0, {-0.2, 0.5, 0.2}}}), head};
    const PoseResult expected = poseCharacter(plain, handles, {}), got = poseCharacter(other, handles, {});
    EXPECT_TRUE(got.rigid);
    EXPECT_NEAR(got.missed, expected.missed, 1e-3);
    EXPECT_LE(farthest(expected.positions, got.positions), 2e-3);
    EXPECT_LE(farthest(expected.positions, played(got)), 2e-3);
    EXPECT_GT(farthest(plain.mesh.positions, got.positions), 0.1);
}

TEST(PoseSpaces, ATransformTakesThePositionsThatTheFileStores) {
    const Character plain = plainBiped(), other = inArmature(plain);
    std::vector<PoseHandle> handles{handle("foot_L", Given::hold), handle("foot_R", Given::hold),
                                    handle("chest", Given::full)};
    handles[2].transform = Affine3d(toMatrix(axisAngle(Vec3d{0, 1, 0}, 0.4)), {0.05, -0.05, 0.1});
    const PoseResult expected = poseCharacter(plain, handles, {});
    handles[2].transform = handles[2].transform * kArmature;
    const PoseResult got = poseCharacter(other, handles, {});
    EXPECT_LE(farthest(expected.positions, got.positions), 2e-3);
}

}  // namespace
}  // namespace pelt::pipeline
