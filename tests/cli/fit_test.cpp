#include <cmath>
#include <limits>

#include "decompose_fixture.h"

namespace {

using FitJson = nlohmann::json;

/// The shared bar's poses, with the meshes that dual quaternions give it: no plain skin reproduces them.
class Fit : public DecomposeTest {
protected:
    std::string examples() {
        const std::string file = path("examples.npy");
        if (!std::filesystem::exists(file))
            runWell({"deform", bar(), "--method", "dqs", "--frames", "::6", "-o", file});
        return file;
    }
    FitJson fit(Words words, const std::string& output = "out.glb") {
        words.insert(words.begin(), {"fit", bar(), examples(), "--frames", "::6"});
        words.insert(words.end(), {"-o", path(output), "--json"});
        return runWell(words).json();
    }
    RunResult refused(const std::string& character, const std::string& meshes, Words words = {}) const {
        words.insert(words.begin(), {"fit", character, meshes});
        words.insert(words.end(), {"-o", path("out.glb")});
        return runPelt(words);
    }
};

/// The distance that an independent reader finds between the first animation of a .glb and the frames it was fitted to.
PlayedError playedFirst(const std::string& glb, const Frames& frames) {
    const GlbFile file(glb);
    const GlbPlayer player(file, 0);
    PlayedError error;
    for (std::size_t f = 0; f < frames.size(); ++f) {
        const auto posed = player.pose(f);
        for (std::size_t v = 0; v < posed.size(); ++v) {
            const double d = std::hypot(posed[v][0] - double(frames[f][v].x), posed[v][1] - double(frames[f][v].y),
                                        posed[v][2] - double(frames[f][v].z));
            error.rms += d * d / double(posed.size() * frames.size());
            error.max = std::max(error.max, d);
        }
    }
    error.rms = std::sqrt(error.rms);
    return error;
}

double valueOf(const FitJson& json, const char* key) { return json.at(key).get<double>(); }

/// A .npy of `frames` x `vertices` x 3 floats, all `value`.
void writeNpy(const std::string& file, std::size_t frames, std::size_t vertices, float value) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(frames) + ", " +
                         std::to_string(vertices) + ", 3), }";
    header.resize(117, ' ');
    header += '\n';
    std::string bytes = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header;
    const std::vector<float> values(frames * vertices * 3, value);
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * 4);
    writeBytes(file, bytes);
}

}  // namespace

TEST_F(Fit, TheErrorInJsonIsTheOneThatAReaderOfItsOwnFindsInTheFile) {
    const Frames frames = readFrames(examples());
    for (const Words& form : std::vector<Words>{{}, {"--extra-joints", "none"}, {"--influences", "2"}}) {
        const FitJson json = fit(form);
        const PlayedError played = playedFirst(path("out.glb"), frames);
        EXPECT_GT(played.rms, 1e-5);
        EXPECT_NEAR(valueOf(json, "rms"), played.rms, 2e-7 + 1e-4 * played.rms);
        EXPECT_NEAR(valueOf(json, "max"), played.max, 1e-6 + 1e-4 * played.max);
        EXPECT_EQ(json.at("frames"), frames.size());
        EXPECT_EQ(json.at("vertices"), frames[0].size());
    }
}

TEST_F(Fit, TheFileHasOneKeyAPoseConvexWeightsAndTheDriversOfItsExtraJoints) {
    const FitJson json = fit({"--extra-joints", "rotation"});
    ASSERT_EQ(json.at("extra_joints").size(), 1u);
    EXPECT_EQ(json["extra_joints"][0]["kind"], "rotation");
    EXPECT_EQ(json["extra_joints"][0]["driver"], "joint1");
    const GlbFile file(path("out.glb"));
    EXPECT_EQ(GlbPlayer(file, 0).times().size(), json.at("frames"));
    EXPECT_EQ(file.json["extensions"]["PELT_driven_joints"]["joints"].size(), 1u);
    EXPECT_EQ(file.json["skins"][0]["joints"].size(), 3u);
    const std::vector<float> weights = file.floats(file.primitive()["attributes"]["WEIGHTS_0"]);
    for (std::size_t v = 0; v < weights.size(); v += 4) {
        EXPECT_NEAR(weights[v] + weights[v + 1] + weights[v + 2] + weights[v + 3], 1, 1e-6);
        for (std::size_t i = 0; i < 4; ++i) EXPECT_GE(weights[v + i], 0);
    }
    EXPECT_FALSE(file.primitive()["attributes"].contains("WEIGHTS_1"));
    expectValid({path("out.glb")}, path("report"));
}

TEST_F(Fit, EveryExtraJointLowersTheErrorAndConvexityHasItsPrice) {
    const FitJson none = fit({"--extra-joints", "none"}), one = fit({"--extra-joints", "rotation"}),
                  three = fit({"--extra-joints", "rotation", "--rotations", "3"});
    EXPECT_TRUE(none.at("extra_joints").empty());
    EXPECT_EQ(none.at("bones"), 2);
    EXPECT_LT(valueOf(one, "rms"), 0.35 * valueOf(none, "rms"));
    EXPECT_LT(valueOf(three, "rms"), valueOf(one, "rms"));
    EXPECT_NEAR(valueOf(one, "rms_without_extra_joints"), valueOf(none, "rms"), 1e-4 * valueOf(none, "rms"));
    EXPECT_LT(valueOf(one, "rms_affine"), valueOf(one, "rms"));
    EXPECT_GT(valueOf(one, "rms_own_weights"), valueOf(none, "rms"));
    EXPECT_LE(fit({"--rotations", "3", "--max-extra-joints", "2"}).at("extra_joints").size(), 2u);
}

TEST_F(Fit, ASequenceHoldsWhatAffineWeightsReproduce) {
    const FitJson json = fit({}, "out.npy");
    const FitJson compared = runWell({"compare", path("out.npy"), examples(), "--mesh", bar(), "--json"}).json();
    EXPECT_NEAR(valueOf(json, "rms"), valueOf(compared, "rms"), 1e-6 * valueOf(compared, "rms"));
    EXPECT_NEAR(valueOf(json, "rms"), valueOf(json, "rms_affine"), 1e-4 * valueOf(json, "rms"));
    EXPECT_EQ(json.at("weights"), "affine");
}

TEST_F(Fit, PosesThatNoClipHadMoveTheExtraJoints) {
    fit({"--extra-joints", "rotation"});
    const FitJson before = runWell({"compare", path("out.glb"), examples(), "--fps", "5", "--json"}).json();
    GlbFile file(path("out.glb"));
    const std::size_t extra = file.json["extensions"]["PELT_driven_joints"]["joints"][0]["node"];
    FitJson& channels = file.json["animations"][0]["channels"];
    FitJson kept = FitJson::array();
    for (const FitJson& channel : channels)
        if (channel["target"]["node"] != extra) kept.push_back(channel);
    ASSERT_LT(kept.size(), channels.size());
    channels = kept;
    file.save(path("unkeyed.glb"));
    const FitJson after = runWell({"compare", path("unkeyed.glb"), examples(), "--fps", "5", "--json"}).json();
    EXPECT_NEAR(valueOf(after, "rms"), valueOf(before, "rms"), 1e-6);
}

TEST_F(Fit, LeavingExamplesOutIsReportedByJoint) {
    const FitJson json = fit({"--validate"});
    EXPECT_GE(valueOf(json["validation"], "rms"), 0.9 * valueOf(json, "rms_convex"));
    EXPECT_EQ(json["validation"]["frames"].size(), json.at("frames"));
    EXPECT_EQ(json["validation"]["joints"].size(), json.at("bones"));
    EXPECT_EQ(json["validation"]["joints"][0]["name"], "joint0");
}

TEST_F(Fit, CountsThatDoNotFitAreStatus3WithBothNumbers) {
    const std::string meshes = examples();
    expectFailure(refused(bar(), meshes), 3, bar() + ": clip 'bend_and_twist': has 121 poses, but there are 21");
    expectFailure(refused(bar(), meshes, {"--clip", "nope"}), 3, "nope");
    writeNpy(path("few.npy"), 21, 17, 1);
    expectFailure(refused(bar(), path("few.npy"), {"--frames", "::6"}), 3, "but the examples have 17");
    EXPECT_FALSE(std::filesystem::exists(path("out.glb")));
}

TEST_F(Fit, WhatCannotBeFittedIsStatus3ThatSaysWhy) {
    const Frames frames = readFrames(examples());
    writeNpy(path("nan.npy"), frames.size(), frames[0].size(), std::numeric_limits<float>::quiet_NaN());
    expectFailure(refused(bar(), path("nan.npy"), {"--frames", "::6"}), 3, "nan.npy");
    expectFailure(refused(path("none.glb"), examples()), 3, path("none.glb"));
    runWell({"deform", bar(), "--bind-pose", "-o", path("bind.glb")});  // a mesh without joints
    expectFailure(refused(path("bind.glb"), examples()), 3, "has no joints");
    // Meshes of another clip: these are not the skeleton's poses.
    runWell({"deform", bar(), "--method", "dqs", "--frames", ":61", "-o", path("bend.npy")});
    expectFailure(refused(bar(), path("bend.npy"), {"--clip", "slide"}), 3, "do not match the examples");
    expectFailure(refused(bar(), examples(), {"--frames", "::6", "--drivers", "nobody"}), 3, "no joint 'nobody'");
    expectFailure(refused(bar(), examples(), {"--frames", "::6", "--scale-k", "-2"}), 2, "k is -2");
    expectFailure(refused(bar(), examples(), {"--extra-joints", "some"}), 2, "--extra-joints");
}

TEST_F(Fit, ThreadsDoNotChangeAByte) {
    fit({"--threads", "1"}, "one.glb");
    fit({"--threads", "3"}, "three.glb");
    EXPECT_EQ(readBytes(path("one.glb")), readBytes(path("three.glb")));
}
