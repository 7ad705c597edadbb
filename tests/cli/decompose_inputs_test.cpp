// What pelt decompose refuses.
#include <algorithm>
#include <cstdio>
#include <sstream>

#include "cli/support/decompose_fixture.h"

namespace {

using Json = nlohmann::json;

class DecomposeInputs : public DecomposeTest {
protected:
    RunResult run(Words words) const {
        words.insert(words.begin(), "decompose");
        words.insert(words.end(), {"-o", path("out.glb")});
        return runPelt(words);
    }
    bool wroteNothing() const { return !std::filesystem::exists(path("out.glb")); }
};

/// WEIGHTS_0 and JOINTS_0 of a file, unchanged.
std::string weightBytes(const std::string& glb) {
    const GlbFile file(glb);
    const Json& attributes = file.primitive()["attributes"];
    return file.bytes(attributes["JOINTS_0"]) + file.bytes(attributes["WEIGHTS_0"]);
}

}  // namespace

TEST_F(DecomposeInputs, AFormatWithoutFacesAsksForThem) {
    const std::string input = barFrames();
    expectFailure(run({input}), 3, input + ": has no faces");
    expectFailure(run({input}), 3, "--rest R");
    EXPECT_TRUE(wroteNothing());
    // Faces alone are sufficient: the first frame is then the rest pose.
    const Json json = decompose({input, "--mesh", bar(), "--bones", "3", "--rest-correction", "off"});
    const GlbFile file(path("out.glb"));
    const std::vector<float> positions = file.floats(file.primitive()["attributes"]["POSITION"]);
    const pelt::Vec3f first = readFrames(input)[0][7];
    EXPECT_EQ(positions[21], first.x);
    EXPECT_EQ(positions[22], first.y);
    EXPECT_EQ(json.at("triangles"), 792);
}

TEST_F(DecomposeInputs, SizesThatDoNotFitAreStatus3WithBothNumbers) {
    const std::string small = sheet("small", 3, 5), large = sheet("large", 3, 6);
    expectFailure(run({small, large}), 3, large + ": has 36 vertices, but " + small + " has 25");
    expectFailure(run({small, "--rest", large + "/frame_000.obj"}), 3, "has 36 vertices");
    expectFailure(run({small, "--rest", large + "/frame_000.obj"}), 3, "have 25");
    expectFailure(run({small, "--mesh", large + "/frame_000.obj"}), 3, "has 36 vertices");
    EXPECT_TRUE(wroteNothing());
}

TEST_F(DecomposeInputs, WhatIsNoSequenceIsStatus3ThatNamesIt) {
    std::filesystem::create_directory(path("empty"));
    expectFailure(run({path("empty")}), 3, path("empty"));
    expectFailure(run({path("none.npy")}), 3, path("none.npy") + ": ");
    writeBytes(path("bad.npy"), "\x93NUMPY");
    expectFailure(run({path("bad.npy"), "--rest", bar()}), 3, "bad.npy");
    expectFailure(run({sheet("good", 2), "--rest", path("none.obj")}), 3, path("none.obj"));
    expectFailure(run({path("good"), "--keep-motion", path("none.glb")}), 3, path("none.glb"));
    expectFailure(run({path("good"), "--keep-motion", bar()}), 3, bar() + ": clip");
    expectFailure(run({path("good"), "--keep-weights", bar()}), 3, "398 vertices");
    EXPECT_TRUE(wroteNothing());
}

TEST_F(DecomposeInputs, OptionsOutsideTheirRangeAreStatus2) {
    const std::string input = sheet("roll", 2);
    for (const char* bones : {"0", "-1", "many", "2.5", "70000", "99999999999999999999"})
        expectFailure(run({input, "--bones", bones}), 2, "--bones");
    expectFailure(run({input, "--influences", "-1"}), 2, "--influences");
    expectFailure(run({input, "--tolerance", "-1"}), 2, "--tolerance");
    expectFailure(run({input, "--bones-kind", "soft"}), 2, "--bones-kind");
    expectFailure(run({input, "--rest-correction", "maybe"}), 2, "--rest-correction");
    expectFailure(run({input, "--smoothness", "-0.1"}), 2, "--smoothness");
    expectFailure(run({input, "--iterations", "-1"}), 2, "--iterations");
    expectFailure(run({input, "--eigenskin", "-1"}), 2, "--eigenskin");
    expectFailure(run({input, "--eigenskin", "9"}), 2, "--eigenskin is 9");
    expectFailure(run({input, "--rest", bar(), "--mesh", bar()}), 2, "--mesh");
    expectFailure(run({}), 2, "sequence");
    expectFailure(runPelt({"decompose", input, "-o", path("out.obj")}), 2, ".glb");
    expectFailure(runPelt({"decompose", input}), 2, "--output");
    expectFailure(runPelt({"decompose", bar(), "-o", bar()}), 2, "input");
    EXPECT_TRUE(wroteNothing());
}

TEST_F(DecomposeInputs, OneFrameOneBoneAndMoreBonesThanVerticesGiveWhatCanBeGiven) {
    Json json = decompose({sheet("one", 1), "--bones", "3"});
    EXPECT_EQ(json.at("frames"), 1);
    EXPECT_LE(json.at("e_rms").get<double>(), 1e-3);
    json = decompose({sheet("roll", 4), "--bones", "1"});
    EXPECT_EQ(json.at("bones"), 1);
    EXPECT_GT(json.at("e_rms").get<double>(), 1);
    json = decompose({sheet("tiny", 4, 3), "--bones", "20"});
    EXPECT_EQ(json.at("bones"), 20);
    EXPECT_LE(json.at("e_rms").get<double>(), 0.1);
    json = decompose({sheet("still", 5, 9, 0), "--bones", "4"});
    EXPECT_LE(json.at("e_rms").get<double>(), 1e-3);
}

TEST_F(DecomposeInputs, ACharacterIsASequenceThatBringsItsOwnRestPose) {
    const Json json = decompose({bar(), "--frames", "::10", "--bones", "2"});
    EXPECT_EQ(json.at("vertices"), 398);
    EXPECT_LE(json.at("e_rms").get<double>(), 0.5);  // two rigid joints made it, linearly
}

TEST_F(DecomposeInputs, MillimetresOrMetresMakeNoDifferenceAndAFarAwayOriginLittle) {
    const auto moved = [&](const std::string& name, double scale, double offset) {
        const std::string text = sheet(name, 6);
        for (const auto& entry : std::filesystem::directory_iterator(text)) {
            std::string changed;
            std::istringstream lines(readBytes(entry.path()));
            for (std::string line; std::getline(lines, line);) {
                double x = 0, y = 0, z = 0;
                if (std::sscanf(line.c_str(), "v %lf %lf %lf", &x, &y, &z) == 3)
                    line = "v " + std::to_string(scale * x + offset) + " " + std::to_string(scale * y) + " " +
                           std::to_string(scale * z - offset);
                changed += line + "\n";
            }
            writeBytes(entry.path(), changed);
        }
        return decompose({text, "--bones", "4"}).at("e_rms").get<double>();
    };
    const double metres = moved("metres", 1, 0);
    EXPECT_NEAR(moved("millimetres", 1000, 0), metres, 0.02 * metres);
    EXPECT_LT(moved("far", 1000, 5000), 1);  // rounding breaks the sheet's ties in another way
}

TEST_F(DecomposeInputs, FacesTurnLessThanWithoutSmoothnessAndNobodyIsWarned) {
    const std::string input = sheet("roll", 6);
    const auto turned = [&](const std::string& smoothness) {
        return decompose({input, "--bones", "4", "--smoothness", smoothness}).at("normals").at("mean").get<double>();
    };
    EXPECT_LT(turned("0.87"), turned("0"));
    expectFailure(run({input, "--smoothness", "1"}), 2, "smoothness");
}

TEST_F(DecomposeInputs, KeptMotionStaysAndItsJointsKeepTheirNamesAndParents) {
    runWell({"deform", bar(), "-o", path("bend.npy")});
    const Json json = decompose({path("bend.npy"), "--rest", bar(), "--keep-motion", bar()});
    EXPECT_EQ(json.at("bones"), 2);
    EXPECT_LE(json.at("e_rms").get<double>(), 0.05);  // only its weights were unknown
    const Json before = runWell({"info", bar(), "--json"}).json(),
               after = runWell({"info", path("out.glb"), "--json"}).json();
    EXPECT_EQ(after.at("joints"), before.at("joints"));
    // Additional bones are computed as usual.
    runWell({"deform", bar(), "--method", "dqs", "-o", path("dqs.npy")});
    const Json two = decompose({path("dqs.npy"), "--rest", bar(), "--keep-motion", bar()});
    const Json six = decompose({path("dqs.npy"), "--rest", bar(), "--keep-motion", bar(), "--bones", "6"});
    EXPECT_LT(six.at("e_rms").get<double>(), 0.7 * two.at("e_rms").get<double>());
    EXPECT_EQ(six.at("bones"), 6);
    expectFailure(run({path("bend.npy"), "--rest", bar(), "--keep-motion", bar(), "--bones", "1"}), 2, "--bones 1");
}

TEST_F(DecomposeInputs, KeptWeightsStayAndTheMotionIsFound) {
    runWell({"deform", bar(), "--frames", "::6", "-o", path("bend.npy")});
    const Json json =
        decompose({path("bend.npy"), "--rest", bar(), "--keep-weights", bar(), "--rest-correction", "off"});
    EXPECT_EQ(json.at("bones"), 2);
    EXPECT_LE(json.at("e_rms").get<double>(), 0.05);
    EXPECT_TRUE(weightBytes(path("out.glb")) == weightBytes(bar()));
}

TEST_F(DecomposeInputs, CtrlCEndsItWith130AndTheOldFileStays) {
    runWell({"sample", "branch", "--resolution", "20000", "--skin", "smooth", "-o", path("branch.glb")});
    writeBytes(path("out.glb"), "old");
    const Words before = filesLeft();
    RunOptions options;
    options.interrupt_after = std::chrono::milliseconds(900);
    const RunResult result = runPelt(
        {"decompose", path("branch.glb"), "--bones", "60", "--iterations", "100000", "-o", path("out.glb"), "--quiet"},
        options);
    EXPECT_EQ(result.status, 130) << result.err;
    EXPECT_EQ(result.err, "pelt: cancelled\n");
    EXPECT_EQ(filesLeft(), before);
    EXPECT_TRUE(readBytes(path("out.glb")) == "old");
}
