// pelt fit.
#include <cmath>
#include <limits>

#include "cli/support/decompose_fixture.h"

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

TEST_F(Fit, TheSignedSkinIsStoredBesideThePlainOneAndPlaysInNewPoses) {
    const FitJson json = fit({"--signed", "--validate"});
    const double stored = valueOf(json.at("signed"), "rms");
    EXPECT_LT(stored, 0.8 * valueOf(json, "rms"));
    EXPECT_LT(valueOf(json["signed"]["validation"], "rms"), valueOf(json["validation"], "rms"));
    const auto errorOf = [&](const std::string& file, const Words& words) {
        Words deform{"deform", path(file), "--fps", "5", "-o", path("played.npy")};
        deform.insert(deform.end(), words.begin(), words.end());
        runWell(deform);
        return valueOf(runWell({"compare", path("played.npy"), examples(), "--mesh", bar(), "--json"}).json(), "rms");
    };
    EXPECT_NEAR(errorOf("out.glb", {"--method", "ddm"}), stored, 1e-6);
    EXPECT_NEAR(errorOf("out.glb", {}), valueOf(json, "rms"), 1e-6);
    // Poses between those of the examples.
    runWell({"deform", bar(), "--method", "dqs", "--frames", "3::6", "-o", path("between.npy")});
    const auto between = [&](const char* method) {
        runWell(
            {"deform", path("out.glb"), "--clip", "1", "--frames", "3::6", "--method", method, "-o", path("new.npy")});
        return valueOf(runWell({"compare", path("new.npy"), path("between.npy"), "--mesh", bar(), "--json"}).json(),
                       "rms");
    };
    EXPECT_LT(between("ddm"), 0.8 * between("lbs"));
    EXPECT_EQ(runWell({"info", path("out.glb"), "--json"}).json().at("ddm").at("fitted"), true);
    expectValid({path("out.glb")}, path("report"));
    // What is done to the file later keeps or drops both skins.
    runWell({"mush", path("out.glb"), "-o", path("mushed.glb")});
    EXPECT_EQ(runWell({"info", path("mushed.glb"), "--json"}).json().at("ddm").at("fitted"), false);
    runWell({"pack", path("out.glb"), "-o", path("out.peltrig")});
    EXPECT_EQ(refused(bar(), examples(), {"--frames", "::6", "--signed", "-o", path("x.npy")}).status, 2);
}

TEST_F(Fit, PositionsAreNoNormalsAndLengthsThatAreALittleOffAreNormalizedWithAWarning) {
    const Words fitted{"fit", bar(), examples(), "--frames", "::6", "-o", path("out.npy"), "--normals"};
    const auto with = [&](const std::string& file) {
        Words words = fitted;
        words.push_back(file);
        return words;
    };
    const RunResult positions = runPelt(with(examples()));
    EXPECT_EQ(positions.status, 3);
    EXPECT_TRUE(positions.oneErrorLine()) << positions.err;
    EXPECT_NE(positions.err.find("far from length 1"), std::string::npos) << positions.err;
    const Frames all = readFrames(examples());
    const float side = 1 / std::sqrt(3.f);  // of a normal along the diagonal
    writeNpy(path("zero.npy"), all.size(), all[0].size(), 0);
    EXPECT_EQ(refused(bar(), examples(), {"--frames", "::6", "--normals", path("zero.npy")}).status, 3);
    writeNpy(path("long.npy"), all.size(), all[0].size(), 1.1f * side);
    const RunResult warned = runPelt(with(path("long.npy")));
    EXPECT_EQ(warned.status, 0);
    EXPECT_NE(warned.err.find("10 % off 1"), std::string::npos) << warned.err;
    writeNpy(path("unit.npy"), all.size(), all[0].size(), side);
    runWell(with(path("unit.npy")));  // without a warning
}

TEST_F(Fit, NormalsThatAreGivenAreUsedAndRecomputedOnesAreSaid) {
    runWell({"deform", bar(), "--method", "dqs", "--frames", "::6", "-o", path("e.npy"), "--normals", path("n.npy")});
    const FitJson recomputed = fit({"--normals-weight", "2"}),
                  given = fit({"--normals-weight", "2", "--normals", path("n.npy")});
    EXPECT_EQ(recomputed.at("normals"), "recomputed");
    EXPECT_EQ(given.at("normals"), "given");
    EXPECT_LT(valueOf(given, "normals_degrees"),
              valueOf(fit({"--normals-weight", "0", "--normals", path("n.npy")}), "normals_degrees"));
    // What the report says is what the file plays.
    runWell({"deform", path("out.glb"), "--fps", "5", "-o", path("x.npy"), "--normals", path("played.npy")});
    const Frames played = readFrames(path("played.npy")), expected = readFrames(path("n.npy"));
    double sum = 0;
    for (std::size_t f = 0; f < played.size(); ++f)
        for (std::size_t v = 0; v < played[f].size(); ++v) {
            const double d = std::hypot(played[f][v].x - expected[f][v].x, played[f][v].y - expected[f][v].y,
                                        played[f][v].z - expected[f][v].z);
            sum += std::pow(2 * std::asin(d / 2), 2) / double(played.size() * played[f].size());
        }
    EXPECT_GT(sum, 0);
    const FitJson last = fit({"--normals-weight", "0", "--normals", path("n.npy")});
    EXPECT_NEAR(valueOf(last, "normals_degrees"), std::sqrt(sum) * 180 / M_PI, 0.02 * valueOf(last, "normals_degrees"));
    // A character that plays the examples brings its own.
    const FitJson posed = runWell({"fit", bar(), bar(), "-o", path("own.glb"), "--json"}).json();
    EXPECT_EQ(posed.at("normals"), "given");
    writeNpy(path("few.npy"), 2, 5, 0.5f);
    EXPECT_EQ(refused(bar(), examples(), {"--frames", "::6", "--normals", path("few.npy")}).status, 3);
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
