#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/pipeline/pose.h>
#include <pelt/rig/clip.h>
#include <pelt/rig/driven_joints.h>
#include <pelt/scenes/scenes.h>

#include <cmath>
#include <fstream>
#include <random>

#include "made_scene.h"

namespace pelt::pipeline {
namespace {

/// A bar on two joints and one that turns half as far as the second; it has half of what the second weighs.
Character barWithHalfWayJoint() {
    Character bar = scenes::find("bar")->make(400);
    bar.weights = scenes::smoothWeights(bar, 0);
    rig::DrivenJointChoice choice;
    choice.scales = false;
    bar.driven = rig::addDrivenJoints(bar.skeleton, choice);
    SkinWeights weights;
    for (std::size_t v = 0; v < bar.weights.vertexCount(); ++v) {
        const double second = bar.weights.influenceCount(v) == 2 ? double(bar.weights.weightsOf(v)[1])
                                                                 : double(bar.weights.jointsOf(v)[0]);
        const std::uint32_t joints[] = {0, 1, 2};
        const float row[] = {float(1 - second), float(second / 2), float(second / 2)};
        appendVertex(weights, joints, row);
    }
    bar.weights = weights;
    return bar;
}

TEST(PoseCharacter, JointsThatOthersDriveFollowThemInTheClip) {
    const Character bar = barWithHalfWayJoint();
    ASSERT_EQ(bar.driven.size(), 1u);
    std::vector<PoseHandle> handles(2);
    handles[0].joint = bar.skeleton.nodes[bar.skeleton.joints[0].node].name;
    handles[0].given = PoseHandle::Given::full;
    handles[1].kind = PoseHandle::Kind::point;
    handles[1].point = {0, 1, 0};
    handles[1].given = PoseHandle::Given::position;
    handles[1].targets = {{0, {0.35, 0.8, 0}}};
    const PoseResult made = poseCharacter(bar, handles, {});
    ASSERT_FALSE(made.character.clips.empty());
    const Skeleton& skeleton = made.character.skeleton;
    const auto keyed = rig::sampleLocals(skeleton, &made.character.clips[0], 0);
    auto driven = keyed;
    rig::applyDrivers(skeleton, made.character.driven, driven);
    for (std::size_t n = 0; n < keyed.size(); ++n)
        for (int a = 0; a < 3; ++a) EXPECT_LT(length(keyed[n].linear().col[a] - driven[n].linear().col[a]), 1e-6);
    const Mat3d turned = keyed[bar.skeleton.joints[1].node].linear(),
                rest = rig::restLocal(skeleton.nodes[bar.skeleton.joints[1].node]).linear();
    EXPECT_GT(length(turned.col[1] - rest.col[1]), 0.2);
}

TEST(PoseCharacter, PiecesThatShareNoJointAreHeldTogetherByTheVolume) {
    Character two = scenes::find("bar")->make(400);
    EXPECT_EQ(energyFor(two), pose::Energy::spokes_and_rims);
    const Mesh one = two.mesh;
    two.weights = {};
    for (const std::uint32_t joint : {0u, 1u})
        for (const Vec3f& p : one.positions) {
            if (joint == 1) two.mesh.positions.push_back(p + Vec3f(5, 0, 0));
            appendVertex(two.weights, std::span(&joint, 1), std::vector<float>{1});
        }
    const auto first = std::uint32_t(one.positions.size());
    for (const Triangle& t : one.triangles) two.mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    EXPECT_EQ(energyFor(two), pose::Energy::tets);
    std::fill(two.weights.joints.begin(), two.weights.joints.end(), 0u);
    EXPECT_EQ(energyFor(two), pose::Energy::spokes_and_rims);
}

/// What is said of a position for the joint.
std::string refusal(const Character& character, const std::string& joint) {
    PoseHandle handle;
    handle.joint = joint;
    handle.given = PoseHandle::Given::position;
    handle.targets = {{0, {1, 1, 1}}};
    try {
        checkHandles(character, std::span(&handle, 1));
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(PoseCharacter, AJointThatMovesNothingOrIsNotAloneInItsNameCannotBeDragged) {
    Character bar = scenes::find("bar")->make(400);
    EXPECT_EQ(refusal(bar, "joint1"), "");
    bar.skeleton.joints.push_back({std::uint32_t(bar.skeleton.nodes.size()), {}});
    bar.skeleton.nodes.push_back({"target", -1, {}, {}});
    EXPECT_NE(refusal(bar, "target").find("moves no vertex"), std::string::npos);
    bar.skeleton.nodes.back().name = "joint1";
    EXPECT_NE(refusal(bar, "joint1").find("several joints"), std::string::npos);
    bar.skeleton.nodes.back() = {"tip", std::int32_t(bar.skeleton.joints[1].node), {}, {}};
    EXPECT_EQ(refusal(bar, "tip"), "") << "it goes with its parent";
}

PoseHandle given(const std::string& joint, PoseHandle::Given kind, std::vector<PoseHandle::Key> offsets = {}) {
    PoseHandle handle;
    handle.joint = joint;
    handle.given = kind;
    handle.offsets = true;
    handle.targets = std::move(offsets);
    return handle;
}

using Given = PoseHandle::Given;

/// Where the joints are in the first clip, which a pose writes.
std::vector<Vec3d> posedPlaces(const Character& character, double time = 0) {
    const Skeleton& skeleton = character.skeleton;
    std::vector<Affine3d> worlds(skeleton.nodes.size());
    rig::worldTransforms(skeleton, rig::sampleLocals(skeleton, &character.clips[0], time), worlds);
    std::vector<Vec3d> places;
    for (const Joint& joint : skeleton.joints) places.push_back(worlds[joint.node].translation());
    return places;
}

Character smoothBiped() { return smoothScene("biped", 3000); }

TEST(PoseCharacter, ASquatBendsBothKneesForwardsAndKeepsTheShins) {
    const Character biped = smoothBiped();
    const std::vector<Vec3d> rest = rig::jointRestPositions(biped.skeleton);
    const auto at = [&](const char* name) { return rig::findJoint(biped.skeleton, name).value(); };
    const double leg =
        length(rest[at("thigh_L")] - rest[at("shin_L")]) + length(rest[at("shin_L")] - rest[at("foot_L")]);
    const std::vector<PoseHandle> handles{given("foot_L", Given::hold), given("foot_R", Given::hold),
                                          given("pelvis", Given::position, {{0, {0, -leg / 3, 0}}})};
    const PoseResult made = poseCharacter(biped, handles, {});
    EXPECT_TRUE(made.rigid);
    const std::vector<Vec3d> posed = posedPlaces(made.character);
    EXPECT_LT(made.missed, 0.01 * 1.8);
    EXPECT_LT(length(posed[at("pelvis")] - rest[at("pelvis")] + Vec3d(0, leg / 3, 0)), 0.01);
    for (const char* side : {"L", "R"}) {
        const std::size_t thigh = at((std::string("thigh_") + side).c_str()),
                          shin = at((std::string("shin_") + side).c_str()),
                          foot = at((std::string("foot_") + side).c_str());
        EXPECT_LT(length(posed[foot] - rest[foot]), 0.005);
        EXPECT_GT(posed[shin].z, rest[shin].z + 0.15) << "forwards";
        EXPECT_NEAR(length(posed[shin] - posed[foot]), length(rest[shin] - rest[foot]), 1e-4);
        EXPECT_NEAR(length(posed[shin] - posed[thigh]), length(rest[shin] - rest[thigh]), 1e-4);
    }
    const Vec3d left = posed[at("shin_L")], right = posed[at("shin_R")];
    EXPECT_LT(length(left - Vec3d(-right.x, right.y, right.z)), 2e-3);
    const Vec3d spine = posed[at("chest")] - posed[at("pelvis")];
    EXPECT_GT(spine.y / length(spine), 0.97) << "upright";
}

TEST(PoseCharacter, FromAMomentOfAClipOnlyWhatIsDraggedChanges) {
    const Character biped = smoothBiped();
    ASSERT_FALSE(biped.clips.empty());
    PoseRequest request;
    request.clip = biped.clips[0].name;
    request.at = biped.clips[0].first_key + 0.4 * biped.clips[0].seconds();
    const std::vector<Affine3d> there = rig::skinMatricesDouble(biped.skeleton, &biped.clips[0], *request.at);
    const std::vector<Vec3d> rest = rig::jointRestPositions(biped.skeleton);
    const std::size_t shoulder = rig::findJoint(biped.skeleton, "upper_arm_L").value(),
                      hand = rig::findJoint(biped.skeleton, "hand_L").value();
    const Vec3d drag = (there[shoulder] * rest[shoulder] - there[hand] * rest[hand]) * 0.3;  // the arm can do it alone
    const std::vector<PoseHandle> handles{given("pelvis", Given::hold), given("hand_L", Given::position, {{0, drag}})};
    const PoseResult made = poseCharacter(biped, handles, request);
    const std::vector<Vec3d> posed = posedPlaces(made.character);
    for (std::size_t j = 0; j < rest.size(); ++j) {
        const std::string& name = rig::jointName(biped.skeleton, j);
        const double moved = length(posed[j] - there[j] * rest[j]);
        if (name.starts_with("foot") || name.starts_with("shin") || name == "hand_R") {
            EXPECT_LT(moved, name == "hand_R" ? 0.03 : 1e-5) << name;
        }
        if (name == "hand_L") {
            EXPECT_NEAR(moved, length(drag), 1e-3);
        }
    }
    request.at = 1e3;
    EXPECT_THROW(poseCharacter(biped, handles, request), Error);
    request.clip = {};
    EXPECT_THROW(poseCharacter(biped, handles, request), Error);
    request.at = {};
    request.clip = "no such clip";
    EXPECT_THROW(poseCharacter(biped, handles, request), Error);
}

TEST(PoseCharacter, OffsetsAndTargetsAreInTheWorldThatTheNodesMake) {
    // The same bar below a node that turns, scales and moves it: what is dragged upwards in the world goes up there.
    Character bar = scenes::find("bar")->make(400);
    bar.weights = scenes::smoothWeights(bar, 0);
    SkeletonNode above{"armature", -1, {{3, 1, 0}, axisAngle(Vec3d{1, 0, 0}, 1.2), {2, 2, 2}}, {}};
    for (SkeletonNode& node : bar.skeleton.nodes) ++node.parent;
    bar.skeleton.nodes.insert(bar.skeleton.nodes.begin(), above);
    for (Joint& joint : bar.skeleton.joints) ++joint.node;
    for (Clip& clip : bar.clips)
        for (Channel& channel : clip.channels) ++channel.target;
    const auto there = rig::skinMatricesDouble(bar.skeleton, nullptr, 0);
    const std::vector<PoseHandle> handles{given("joint0", Given::hold), given("joint1", Given::rotation)};
    std::vector<PoseHandle> turned = handles;
    turned[1].rotations = {{0, {0, 0, 40}}};
    const PoseResult made = poseCharacter(bar, turned, {});
    ASSERT_TRUE(made.rigid);
    const auto posed = rig::skinMatricesDouble(made.character.skeleton, &made.character.clips[0], 0);
    const Mat3d about_z = toMatrix(axisAngle(Vec3d{0, 0, 1}, 40 * 3.14159265358979 / 180));
    for (int a = 0; a < 3; ++a) {
        EXPECT_LT(length(posed[0].linear().col[a] - there[0].linear().col[a]), 1e-3);
        EXPECT_LT(length(posed[1].linear().col[a] - about_z * there[1].linear().col[a]), 2e-3);
    }
    // The sequence is what a viewer shows of the clip.
    for (std::size_t v = 0; v < made.vertices; ++v) {
        Vec3d p;
        for (std::size_t k = 0; k < bar.weights.influenceCount(v); ++k)
            p += (posed[bar.weights.jointsOf(v)[k]] * Vec3d(bar.mesh.positions[v])) *
                 double(bar.weights.weightsOf(v)[k]);
        EXPECT_LT(length(p - Vec3d(made.positions[v])), 1e-4);
    }
}

TEST(PoseCharacter, AMatrixStillTakesRestSpaceToPosedSpace) {
    const Character biped = smoothBiped();
    PoseRequest request;
    request.clip = biped.clips[0].name;
    request.at = biped.clips[0].first_key + 0.4 * biped.clips[0].seconds();
    std::vector<PoseHandle> handles{given("pelvis", Given::full)};
    handles[0].transform = Affine3d(toMatrix(axisAngle(Vec3d{0, 1, 0}, 0.5)), {0.1, 0.2, 0.3});
    const PoseResult made = poseCharacter(biped, handles, request);
    EXPECT_FALSE(made.rigid) << "matrices may stretch: the free pose follows them";
    const auto posed = rig::skinMatricesDouble(made.character.skeleton, &made.character.clips[0], 0);
    const std::size_t pelvis = rig::findJoint(biped.skeleton, "pelvis").value();
    const Vec3d p(0.1, 1, 0.1);
    EXPECT_LT(length(posed[pelvis] * p - handles[0].transform * p), 5e-3);
}

TEST(PreparationCache, KeepsWhatWasPreparedAndMistrustsWhatItFinds) {
    const auto folder = std::filesystem::temp_directory_path() / fmt::format("pelt-cache-{}", std::random_device()());
    const PreparationCache cache(folder, "pelt 1");
    EXPECT_FALSE(cache.load("key"));
    std::vector<std::byte> content(1000);
    for (std::size_t i = 0; i < content.size(); ++i) content[i] = std::byte(i * 7);
    cache.store("key", content);
    EXPECT_EQ(cache.load("key"), content);
    EXPECT_FALSE(PreparationCache(folder, "pelt 2").load("key")) << "another program's";
    const auto file = folder / "key.prepared";
    std::filesystem::copy_file(file, folder / "other.prepared");
    EXPECT_FALSE(cache.load("other")) << "of another content";
    for (const std::uintmax_t size : {std::uintmax_t(0), std::uintmax_t(20), std::filesystem::file_size(file) - 1}) {
        cache.store("key", content);
        std::filesystem::resize_file(file, size);
        EXPECT_FALSE(cache.load("key")) << size;
    }
    cache.store("key", content);
    std::fstream damaged(file, std::ios::in | std::ios::out | std::ios::binary);
    damaged.seekp(-10, std::ios::end);
    damaged.put('!');
    damaged.close();
    EXPECT_FALSE(cache.load("key"));
    std::filesystem::remove_all(folder);
}

TEST(PreparationCache, IsBoundedAndForgetsWhatWasNotUsedForTheLongestTime) {
    const auto folder = std::filesystem::temp_directory_path() / fmt::format("pelt-cache-{}", std::random_device()());
    const PreparationCache cache(folder, "pelt 1", 3500);
    const std::vector<std::byte> content(1000, std::byte(1));
    const auto age = [&](const char* key, int hours) {
        std::filesystem::last_write_time(folder / (std::string(key) + ".prepared"),
                                         std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours));
    };
    cache.store("a", content);
    cache.store("b", content);
    age("a", 3);
    age("b", 2);
    EXPECT_TRUE(cache.load("a"));  // now the one that was used last
    cache.store("c", content);
    cache.store("d", content);
    EXPECT_TRUE(cache.load("a"));
    EXPECT_FALSE(cache.load("b"));
    EXPECT_TRUE(cache.load("d"));
    cache.store("huge", std::vector<std::byte>(5000));
    EXPECT_FALSE(cache.load("huge"));
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace pelt::pipeline
