// Posing characters.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/rig/clip.h>
#include <pelt/rig/driven_joints.h>
#include <pelt/scenes/scenes.h>
#include <pelt/verbs/pose.h>

#include <cmath>
#include <fstream>
#include <random>

#include "made_scene.h"
#include "posed.h"

namespace pelt::verbs {
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
    const Posed made = poseAll(bar, handles, {});
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

using HandleGiven = PoseHandle::Given;

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
    const std::vector<PoseHandle> handles{given("foot_L", HandleGiven::hold), given("foot_R", HandleGiven::hold),
                                          given("pelvis", HandleGiven::position, {{0, {0, -leg / 3, 0}}})};
    const Posed made = poseAll(biped, handles, {});
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
    const std::vector<PoseHandle> handles{given("pelvis", HandleGiven::hold),
                                          given("hand_L", HandleGiven::position, {{0, drag}})};
    const Posed made = poseAll(biped, handles, request);
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
    EXPECT_THROW(poseAll(biped, handles, request), Error);
    request.clip = {};
    EXPECT_THROW(poseAll(biped, handles, request), Error);
    request.at = {};
    request.clip = "no such clip";
    EXPECT_THROW(poseAll(biped, handles, request), Error);
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
    const std::vector<PoseHandle> handles{given("joint0", HandleGiven::hold), given("joint1", HandleGiven::rotation)};
    std::vector<PoseHandle> turned = handles;
    turned[1].rotations = {{0, {0, 0, 40}}};
    const Posed made = poseAll(bar, turned, {});
    ASSERT_TRUE(made.rigid);
    const auto posed = rig::skinMatricesDouble(made.character.skeleton, &made.character.clips[0], 0);
    const Mat3d about_z = toMatrix(axisAngle(Vec3d{0, 0, 1}, 40 * 3.14159265358979 / 180));
    for (int a = 0; a < 3; ++a) {
        EXPECT_LT(length(posed[0].linear().col[a] - there[0].linear().col[a]), 1e-3);
        EXPECT_LT(length(posed[1].linear().col[a] - about_z * there[1].linear().col[a]), 2e-3);
    }
    // The sequence is what a viewer shows of the clip.
    for (std::size_t v = 0; v < made.character.mesh.vertexCount(); ++v) {
        Vec3d p;
        for (std::size_t k = 0; k < bar.weights.influenceCount(v); ++k)
            p += (posed[bar.weights.jointsOf(v)[k]] * Vec3d(bar.mesh.positions[v])) *
                 double(bar.weights.weightsOf(v)[k]);
        EXPECT_LT(length(p - Vec3d(made.positions[v])), 1e-4);
    }
}

/// Bars on two joints each, "joint0_0", "joint1_0", "joint0_1" …, each a body of its own, `step` apart.
Character crowd(std::size_t count, const Vec3d& step) {
    Character one = scenes::find("bar")->make(300), all;
    one.weights = scenes::smoothWeights(one, 0);
    const auto vertices = std::uint32_t(one.mesh.vertexCount()), faces = std::uint32_t(one.mesh.triangles.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        const Vec3d shift = step * double(i);
        const auto nodes = std::uint32_t(all.skeleton.nodes.size()), joints = std::uint32_t(all.skeleton.joints.size());
        for (const Vec3f& p : one.mesh.positions) all.mesh.positions.push_back(p + Vec3f(shift));
        for (const Triangle& t : one.mesh.triangles)
            all.mesh.triangles.push_back({t[0] + i * vertices, t[1] + i * vertices, t[2] + i * vertices});
        all.mesh.parts.push_back({"", "", i * vertices, vertices, i * faces, faces, i, i});
        for (std::uint32_t v = 0; v < vertices; ++v) {
            std::vector<std::uint32_t> own;
            for (const std::uint32_t j : one.weights.jointsOf(v)) own.push_back(j + joints);
            appendVertex(all.weights, own, one.weights.weightsOf(v));
        }
        for (SkeletonNode node : one.skeleton.nodes) {
            node.name += fmt::format("_{}", i);
            if (node.parent < 0) node.local.translation += shift;
            node.parent = node.parent < 0 ? -1 : node.parent + std::int32_t(nodes);
            all.skeleton.nodes.push_back(node);
        }
        for (const Joint& joint : one.skeleton.joints)
            all.skeleton.joints.push_back({joint.node + nodes, joint.inverse_bind * Affine3d({}, -shift)});
    }
    return all;
}

double farthestApart(std::span<const Vec3f> a, std::span<const Vec3f> b) {
    double most = 0;
    for (std::size_t v = 0; v < a.size(); ++v) most = std::max(most, double(length(a[v] - b[v])));
    return most;
}

TEST(PoseCharacter, BodiesInOnePlaceAreNotSewnTogether) {
    const Character two = crowd(2, {});
    std::vector<PoseHandle> handles{given("joint0_0", HandleGiven::hold), given("joint1_0", HandleGiven::hold),
                                    given("joint0_1", HandleGiven::hold), given("joint1_1", HandleGiven::rotation)};
    handles[3].rotations = {{0, {0, 0, 60}}};
    PoseRequest request;
    request.free = true;
    const Posed made = poseAll(two, handles, request);
    const std::size_t count = two.mesh.vertexCount() / 2;
    const std::span<const Vec3f> rest(two.mesh.positions), posed(made.positions);
    EXPECT_LT(farthestApart(posed.first(count), rest.first(count)), 1e-3);
    EXPECT_GT(farthestApart(posed.subspan(count), rest.first(count)), 0.3);
}

TEST(PoseCharacter, OfACrowdOnlyTheOneThatIsHeldIsSolved) {
    const Character alone = crowd(1, {}), all = crowd(30, {3, 0, 0});
    const std::vector<PoseHandle> handles{given("joint0_0", HandleGiven::hold),
                                          given("joint1_0", HandleGiven::position, {{0, {0.1, -0.05, 0}}})};
    for (const pose::Energy energy : {pose::Energy::spokes_and_rims, pose::Energy::tets}) {
        PoseRequest request;
        request.free = true;
        request.rig.energy = energy;
        const Posed expected = poseAll(alone, handles, request), made = poseAll(all, handles, request);
        EXPECT_EQ(made.clusters, expected.clusters);
        EXPECT_EQ(made.handles, 60u);
        const std::size_t count = alone.mesh.vertexCount();
        const std::span<const Vec3f> rest(all.mesh.positions), posed(made.positions);
        EXPECT_LT(farthestApart(posed.first(count), expected.positions), 1e-5);
        EXPECT_GT(farthestApart(posed.first(count), rest.first(count)), 0.05);
        EXPECT_EQ(farthestApart(posed.subspan(count), rest.subspan(count)), 0);
    }
}

TEST(PoseCharacter, WhatStandsNextToTheHeldGoesWithItThroughTheVolume) {
    const Character two = crowd(2, {0, 1.01, 0});  // one above the other
    const std::vector<PoseHandle> handles{given("joint0_0", HandleGiven::position, {{0, {0.3, 0, 0}}}),
                                          given("joint1_0", HandleGiven::position, {{0, {0.3, 0, 0}}})};
    PoseRequest request;
    request.free = true;
    request.rig.energy = pose::Energy::tets;
    const Posed made = poseAll(two, handles, request);
    for (std::size_t v = 0; v < two.mesh.vertexCount(); ++v)
        EXPECT_LT(length(made.positions[v] - two.mesh.positions[v] - Vec3f(0.3f, 0, 0)), 0.02f) << v;
}

TEST(PoseCharacter, WhatIsNotAskedForIsNotMade) {
    Character bar = scenes::find("bar")->make(300);
    bar.weights = scenes::smoothWeights(bar, 0);
    const std::size_t clips = bar.clips.size();
    const std::vector<PoseHandle> handles{
        given("joint0", HandleGiven::hold),
        given("joint1", HandleGiven::position, {{0, {0.1, 0, 0}}, {0.1, {0.2, 0, 0}}})};
    PoseWanted sequence;
    std::size_t frames = 0;
    sequence.sequence = [&](std::span<const Vec3f> frame) {
        ++frames;
        EXPECT_EQ(frame.size(), bar.mesh.vertexCount());
    };
    PoseResult made = poseCharacter(bar, handles, {}, sequence);
    EXPECT_EQ(frames, made.frames);
    EXPECT_TRUE(made.energies.empty()) << "rigid joints need no free pose";
    EXPECT_FALSE(made.places.empty());
    EXPECT_EQ(bar.clips.size(), clips);
    PoseRequest request;
    request.free = true;
    made = poseCharacter(bar, handles, request, sequence);
    EXPECT_EQ(made.frame_energies.size(), made.frames);
    EXPECT_TRUE(made.places.empty()) << "the free pose needs no rigid joints";
    EXPECT_EQ(bar.clips.size(), clips);
    PoseWanted clip;
    clip.clip = true;
    made = poseCharacter(bar, handles, {}, clip);
    EXPECT_TRUE(made.energies.empty());
    EXPECT_EQ(made.clip_error.rms, 0);
    ASSERT_EQ(bar.clips.size(), clips + 1);
    EXPECT_EQ(bar.clips.front().name, "pose");
    bar.clips.erase(bar.clips.begin());
    clip.measure = true;
    EXPECT_GT(poseCharacter(bar, handles, {}, clip).clip_error.rms, 0);
}

TEST(PoseCharacter, AMatrixStillTakesRestSpaceToPosedSpace) {
    const Character biped = smoothBiped();
    PoseRequest request;
    request.clip = biped.clips[0].name;
    request.at = biped.clips[0].first_key + 0.4 * biped.clips[0].seconds();
    std::vector<PoseHandle> handles{given("pelvis", HandleGiven::full)};
    handles[0].transform = Affine3d(toMatrix(axisAngle(Vec3d{0, 1, 0}, 0.5)), {0.1, 0.2, 0.3});
    const Posed made = poseAll(biped, handles, request);
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
}  // namespace pelt::verbs
