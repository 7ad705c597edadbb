// Driven joints in glTF.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/scenes/scenes.h>

#include <functional>
#include <limits>

#include "glb_maker.h"
#include "rig/virtual_joint.h"

/// The extension PELT_driven_joints.
namespace pelt::io::test {
namespace {

constexpr const char* kDrivenExtension = "PELT_driven_joints";

/// Bones that meet at a joint with a parent and a child, so that every kind of driven joint exists.
Character limb() {
    Character c = scenes::find("arm")->make(200);
    c.driven = rig::addDrivenJoints(c.skeleton, {{}, 2, true, 5});
    rig::DrivenLearned learned;
    const std::uint32_t elbow = c.driven.front().driver;
    const auto helper = std::uint32_t(c.skeleton.nodes.size());
    learned.placed = {{0.1, 0.2, 0.3}, axisAngle(Vec3d{1, 2, 3}, 0.7), {1, 2, 1}};
    learned.inputs = {{elbow, axisAngle(Vec3d{0, 1, 0}, 0.3)}, {c.driven.front().node, {}}};
    for (int i = 0; i < 108; ++i) learned.coefficients.push_back(0.01 * i - 0.3);
    c.skeleton.nodes.push_back({"helper", std::int32_t(elbow), learned.placed, {}});
    c.skeleton.joints.push_back({helper, Affine3d(Mat3d{}, {1, 2, 3})});
    c.driven.push_back({helper, elbow, learned});
    addSomeVirtualJoint(c.skeleton, {1, 0, 2}, c.driven);
    std::get<rig::DrivenVirtual>(c.driven.back().motion).frame_scale = 2.5;
    for (Clip& clip : c.clips) rig::bakeDrivers(c.skeleton, c.driven, clip);
    return c;
}

/// Compares node by node by name: a file lists nodes in an order of its own.
struct SameDrivers {
    const Character &a, &b;

    bool same(std::uint32_t x, std::uint32_t y) const { return a.skeleton.nodes[x].name == b.skeleton.nodes[y].name; }
    void operator()(const rig::DrivenRotation& x, const rig::DrivenRotation& y) const {
        EXPECT_EQ(x.fraction, y.fraction);
        EXPECT_EQ(x.bind_rotation, y.bind_rotation);
    }
    void operator()(const rig::DrivenScale& x, const rig::DrivenScale& y) const {
        EXPECT_EQ(x.k, y.k);
        EXPECT_EQ(x.axis, y.axis);
        EXPECT_EQ(x.reciprocal, y.reciprocal);
        EXPECT_TRUE(same(x.parent, y.parent));
        EXPECT_TRUE(std::ranges::equal(x.children, y.children, [&](auto u, auto v) { return same(u, v); }));
    }
    void operator()(const rig::DrivenLearned& x, const rig::DrivenLearned& y) const {
        EXPECT_EQ(x.placed.translation, y.placed.translation);
        EXPECT_EQ(x.placed.rotation, y.placed.rotation);
        EXPECT_EQ(x.placed.scale, y.placed.scale);
        EXPECT_TRUE(std::ranges::equal(x.inputs, y.inputs, [&](const auto& u, const auto& v) {
            return same(u.node, v.node) && u.bind_rotation == v.bind_rotation;
        }));
        EXPECT_EQ(x.coefficients, y.coefficients);
    }
    void operator()(const rig::DrivenVirtual& x, const rig::DrivenVirtual& y) const {
        EXPECT_EQ(x.frame_scale, y.frame_scale);
        EXPECT_TRUE(std::ranges::equal(x.inputs, y.inputs, [&](const auto& u, const auto& v) {
            bool close = same(u.node, v.node);
            for (std::size_t k = 0; k < 16; ++k)
                close =
                    close && std::abs(u.block[k] - v.block[k]) < 1e-6 && std::abs(u.place.m[k] - v.place.m[k]) < 1e-6;
            return close;
        }));
    }
    void operator()(const auto&, const auto&) const { FAIL() << "another kind"; }
};

void expectSameDrivers(const Character& a, const Character& b) {
    const SameDrivers compare{a, b};
    ASSERT_EQ(a.driven.size(), b.driven.size());
    for (std::size_t i = 0; i < a.driven.size(); ++i) {
        EXPECT_TRUE(compare.same(a.driven[i].node, b.driven[i].node));
        EXPECT_TRUE(compare.same(a.driven[i].driver, b.driven[i].driver));
        std::visit(compare, a.driven[i].motion, b.driven[i].motion);
    }
}

TEST(DrivenJointsFile, EveryKindComesBackFromANewDocument) {
    const Character c = limb();
    const auto [back, warnings] = loadGltf(toGlb(c), "new.glb");
    EXPECT_TRUE(warnings.empty());
    using enum rig::DriverKind;
    for (const rig::DriverKind kind : {rotation, scale, learned, ddm})
        EXPECT_TRUE(std::ranges::any_of(c.driven, [&](const auto& driven) { return driven.kind() == kind; }));
    expectSameDrivers(back, c);
}

TEST(DrivenJointsFile, IsListedAsUsedAndNeverRequired) {
    const Json json = jsonOf(toGlb(limb()));
    EXPECT_EQ(json["extensionsUsed"], Json::array({kDrivenExtension}));
    EXPECT_FALSE(json.contains("extensionsRequired"));
    EXPECT_EQ(json["extensions"][kDrivenExtension]["version"], 1);
}

/// The nodes of the file in another order than those of the skeleton: a mesh stands first.
TEST(DrivenJointsFile, IndicesInTheFileAreThoseOfItsNodes) {
    Character c = makeStrip().load();  // node 0: mesh, 1: root joint, 2: its child
    c.driven = rig::addDrivenJoints(c.skeleton, {{}, 1, false, 8});
    ASSERT_EQ(c.driven.size(), 1U);
    EXPECT_EQ(c.driven[0].driver, 1U);
    const std::vector<std::byte> glb = toGlb(c);
    const Json joint = jsonOf(glb)["extensions"][kDrivenExtension]["joints"][0];
    EXPECT_EQ(joint["driver"], 2);
    EXPECT_EQ(jsonOf(glb)["nodes"][joint["node"].get<std::size_t>()]["name"], c.skeleton.nodes[2].name);
    expectSameDrivers(loadGltf(glb, "edited.glb").character, c);
}

TEST(DrivenJointsFile, SavingAgainChangesNoByteAndAnEmptyListTakesItOut) {
    Character c = makeStrip().load();
    c.driven = rig::addDrivenJoints(c.skeleton, {{}, 1, false, 8});
    const std::vector<std::byte> once = toGlb(c);
    Character back = loadGltf(once, "once.glb").character;
    EXPECT_TRUE(toGlb(back) == once);
    back.driven.clear();
    const Json json = jsonOf(toGlb(back));
    EXPECT_FALSE(json["extensions"].contains(kDrivenExtension));
    const Json& used = json["extensionsUsed"];
    EXPECT_EQ(std::find(used.begin(), used.end(), Json(kDrivenExtension)), used.end());
}

std::vector<std::byte> spoiled(const std::vector<std::byte>& glb, const std::function<void(Json&)>& edit) {
    Json json = jsonOf(glb);
    edit(json["extensions"][kDrivenExtension]);
    return withJson(glb, json);
}

void expectRefusedDrivers(const std::vector<std::byte>& glb, const std::string& words) {
    try {
        loadGltf(glb, "bad.glb");
        ADD_FAILURE() << "loaded: " << words;
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        const std::string line = error.what();
        EXPECT_EQ(line.find('\n'), std::string::npos);
        EXPECT_NE(line.find(words), std::string::npos) << line;
        EXPECT_NE(line.find(kDrivenExtension), std::string::npos) << line;
    }
}

TEST(DrivenJointsFile, MalformedOnesAreRefusedWithTheirPlace) {
    const Character c = limb();
    const std::vector<std::byte> glb = toGlb(c);
    const auto at = [&](rig::DriverKind kind) {
        std::size_t i = 0;
        while (c.driven[i].kind() != kind) ++i;
        return i;
    };
    const std::size_t turn = at(rig::DriverKind::rotation), scale = at(rig::DriverKind::scale),
                      learned = at(rig::DriverKind::learned);
    const auto refuse = [&](std::size_t joint, const char* key, const Json& value, const std::string& words) {
        expectRefusedDrivers(spoiled(glb, [&](Json& list) { list["joints"][joint][key] = value; }), words);
    };
    refuse(turn, "node", 9999, "nodes[9999] does not exist");
    refuse(turn, "driver", -1, "non-negative integer");
    refuse(turn, "kind", "wave", "unknown kind 'wave'");
    refuse(turn, "fraction", "half", "must be a number");
    refuse(turn, "bindRotation", {0, 0, 0, 2}, "unit length");
    refuse(turn, "bindRotation", {0, 0, 1}, "4 numbers");
    refuse(turn, "driver", c.driven[turn].node, "drives itself");
    refuse(turn, "driver", c.driven[turn + 1].node, "later in the list");
    refuse(turn, "node", c.driven[turn + 1].node, "driven already");
    refuse(scale, "k", -1, "k must be above -1");
    refuse(scale, "axis", 0, "axis must be 1 or 2");
    refuse(scale, "children", Json::array(), "no children");
    refuse(scale, "children", {c.driven[scale].as<rig::DrivenScale>()->parent}, "between its parent and its children");
    refuse(scale, "parent", c.driven[scale].driver, "not an ancestor");
    refuse(learned, "coefficients", {1, 2, 3}, "3 coefficients, but its inputs need 108");
    refuse(learned, "inputs", Json::array(), "no inputs");
    refuse(learned, "placed", {{"translation", {1, 2}}}, "3 numbers");
    expectRefusedDrivers(spoiled(glb, [&](Json& list) { list["joints"] = 7; }), "JSON array");
}

TEST(DrivenJointsFile, OnesThatDoNotFitAreIgnoredWithAWarning) {
    const std::vector<std::byte> glb = toGlb(limb());
    const Loaded newer = loadGltf(spoiled(glb, [](Json& list) { list["version"] = 2; }), "newer.glb");
    EXPECT_TRUE(newer.character.driven.empty());
    ASSERT_EQ(newer.warnings.size(), 1U);
    EXPECT_NE(newer.warnings[0].find("version 2"), std::string::npos) << newer.warnings[0];

    const Json json = jsonOf(glb);
    std::size_t mesh_node = 0;
    while (!json["nodes"][mesh_node].contains("mesh")) ++mesh_node;
    const Loaded lost =
        loadGltf(spoiled(glb, [&](Json& list) { list["joints"][0]["driver"] = mesh_node; }), "lost.glb");
    EXPECT_EQ(lost.character.driven.size(), limb().driven.size() - 1);
    ASSERT_EQ(lost.warnings.size(), 1U);
    EXPECT_NE(lost.warnings[0].find("joints[0]"), std::string::npos) << lost.warnings[0];
}

TEST(DrivenJointsFile, WhatCannotBeReadIsNotWritten) {
    Character c = limb();
    c.driven[0].motion = rig::DrivenRotation{std::numeric_limits<double>::quiet_NaN(), {}};
    EXPECT_THROW(toGlb(c), Error);
    c = limb();
    c.driven[0].node = 1000;
    EXPECT_THROW(toGlb(c), Error);
}

}  // namespace
}  // namespace pelt::io::test
