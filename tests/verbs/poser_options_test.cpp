// The options that `pelt pose` and a live poser have in common.
#include <gtest/gtest.h>
#include <pelt/verbs/pose_options.h>

#include "made_scene.h"

namespace pelt::verbs {
namespace {

std::string refusedPoser(const OptionValues& options, const std::string& limits = {}) {
    try {
        readPoserRequest(madeScene("bar", 300), options, limits);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(PoserOptions, SayWhatIsGivenAndLeaveTheRestToTheCharacter) {
    const Character& bar = madeScene("bar", 300);
    const PoseRequest plain = readPoserRequest(bar, {});
    EXPECT_EQ(plain.rig.energy, energyFor(bar));
    EXPECT_EQ(plain.fps, 30);
    EXPECT_FALSE(plain.rig.clusters || plain.limits || plain.keep_lengths);

    const PoseRequest request = readPoserRequest(bar,
                                                 {{"energy", {"triangles"}},
                                                  {"clusters", {7}},
                                                  {"extra_weights", {2}},
                                                  {"extra_kind", {"bumps"}},
                                                  {"keep_lengths", {true}},
                                                  {"clip", {0}},
                                                  {"at", {0.5}},
                                                  {"fps", {10}}},
                                                 R"({"default": {"bend": 20, "twist": 10}})");
    EXPECT_EQ(request.rig.energy, pose::Energy::triangles);
    EXPECT_EQ(request.rig.clusters, 7u);
    EXPECT_EQ(request.rig.extra_weights, 2u);
    EXPECT_EQ(request.rig.extra_kind, pose::ExtraKind::bumps);
    EXPECT_TRUE(request.keep_lengths);
    EXPECT_EQ(request.clip, "0");
    EXPECT_EQ(request.at, 0.5);
    EXPECT_EQ(request.fps, 10);
    ASSERT_TRUE(request.limits);
    EXPECT_EQ(request.limits->limits.bend[1], 20);
}

TEST(PoserOptions, UnknownOnesAndWrongValuesAreRefusedByName) {
    EXPECT_NE(refusedPoser({{"iterations", {3}}}).find("no option 'iterations'; there are limits, energy"),
              std::string::npos);
    EXPECT_NE(refusedPoser({{"energy", {"rigid"}}}).find("`energy` is 'rigid'"), std::string::npos);
    EXPECT_NE(refusedPoser({{"fps", {0}}}).find("`fps` is '0'"), std::string::npos);
    EXPECT_NE(refusedPoser({{"clusters", {-1}}}).find("`clusters`"), std::string::npos);
    EXPECT_NE(refusedPoser({}, R"({"joints": {"nobody": {"bend": 3}}})").find("no joint 'nobody'"), std::string::npos);
    EXPECT_NE(refusedPoser({}, "{").find("limits"), std::string::npos);
}

TEST(PoserOptions, HandlesAreReadFromText) {
    const auto handles = parseHandles(
        R"({"handles": [{"joint": "root", "constraint": "hold"},
                        {"point": [1, 2, 3], "constraint": "position", "offset": [0, 1, 0]}]})",
        "handles");
    ASSERT_EQ(handles.size(), 2u);
    EXPECT_EQ(handles[0].joint, "root");
    EXPECT_EQ(handles[1].kind, PoseHandle::Kind::point);
    EXPECT_TRUE(handles[1].offsets);
    try {
        parseHandles(R"({"handles": [{"joint": "root"}]})", "drag");
        ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("drag: handle 0"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace pelt::verbs
