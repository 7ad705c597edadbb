// pelt info, sample, deform, compare and bind on small files.
#include <cmath>

#include "cli/support/program.h"
#include "shared_data.h"

namespace fs = std::filesystem;

namespace {

class Info : public CliTest {};
class Sample : public CliTest {};
class Bind : public CliTest {};
class Deform : public CliTest {};
class Compare : public CliTest {};

/// Shape and first bytes of the data of a .npy file.
struct NpyHead {
    std::string header;
    std::size_t data_bytes = 0;
};

NpyHead readNpy(const std::string& file) {
    const std::string bytes = readBytes(file);
    const std::size_t length = static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
    return {bytes.substr(10, length), bytes.size() - 10 - length};
}

double rmsBetween(const std::string& a, const std::string& b, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"compare", a, b, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const nlohmann::json json = runWell(words).json();
    EXPECT_GE(json.at("max").get<double>(), json.at("rms").get<double>());
    return json.at("rms").get<double>();
}

}  // namespace

TEST_F(Info, TellsJointsInfluencesAndClips) {
    const nlohmann::json json = runWell({"info", bar(), "--json"}).json();
    EXPECT_GT(json.at("vertices").get<int>(), 100);
    EXPECT_GT(json.at("triangles").get<int>(), 100);
    ASSERT_EQ(json.at("joints").size(), json.at("bones").get<std::size_t>());
    EXPECT_EQ(json["joints"][0].at("parent"), -1);
    EXPECT_EQ(json["joints"][1].at("parent"), 0);
    EXPECT_FALSE(json["joints"][0].at("name").get<std::string>().empty());
    EXPECT_GE(json.at("max_influences").get<int>(), 2);
    EXPECT_LE(json["max_influences"].get<int>(), 4);
    ASSERT_GE(json.at("clips").size(), 1u);
    EXPECT_GT(json["clips"][0].at("seconds").get<double>(), 0.0);
    EXPECT_TRUE(json.at("problems").is_array());
}

TEST_F(Info, SaysWhereJointsAreAndHowLargeTheMeshIs) {
    const auto json = runWell({"info", bar(), "--json"}).json();
    EXPECT_NEAR(json.at("joints").at(0).at("position").at(1).get<double>(), 0, 1e-6);
    EXPECT_NEAR(json.at("joints").at(1).at("position").at(1).get<double>(), 0.5, 1e-6);
    EXPECT_NEAR(json.at("bounds").at(0).at(1).get<double>(), 0, 1e-3);
    EXPECT_NEAR(json.at("bounds").at(1).at(1).get<double>(), 1, 1e-3);
}

TEST_F(Info, DrawsTheJointsAsATree) {
    RunOptions utf8;
    utf8.environment = {"LC_ALL=C.UTF-8"};
    EXPECT_NE(runPelt({"info", bar()}, utf8).out.find("└─ "), std::string::npos);
    RunOptions ascii;
    ascii.environment = {"LC_ALL=C"};
    EXPECT_NE(runPelt({"info", bar()}, ascii).out.find("`- "), std::string::npos);
}

TEST_F(Info, NamesTheProblemsOfAMesh) {
    writeBytes(path("bad.obj"),
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 2 2\nv 0 0 1\nv 0 -1 0\n"
               "f 1 2 3\nf 2 1 5\nf 1 2 6\nf 1 2 3\nf 1 1 2\n");
    const nlohmann::json json = runWell({"info", path("bad.obj"), "--json"}).json();
    const std::string problems = json.at("problems").dump();
    EXPECT_NE(problems.find("without area"), std::string::npos) << problems;
    EXPECT_NE(problems.find("duplicate"), std::string::npos) << problems;
    EXPECT_NE(problems.find("more than two faces"), std::string::npos) << problems;
    EXPECT_NE(problems.find("without a face"), std::string::npos) << problems;
    EXPECT_EQ(json.at("joints").size(), 0u);
}

TEST_F(Info, CountsTheFramesOfASequence) {
    runWell({"deform", bar(), "--frames", ":7", "-o", path("s.npy")});
    const nlohmann::json json = runWell({"info", path("s.npy"), "--json"}).json();
    EXPECT_EQ(json.at("frames"), 7);
    EXPECT_EQ(json.at("vertices"), runWell({"info", bar(), "--json"}).json().at("vertices"));
}

TEST_F(Info, ABrokenFrameOfASequenceIsBadInputWhereverItIs) {
    const std::string good = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    fs::create_directory(path("frames"));
    writeBytes(path("frames/1.obj"), good);
    writeBytes(path("frames/2.obj"), good);
    runWell({"info", path("frames")});
    writeBytes(path("frames/2.obj"), good + "v 1 1 1\n");
    expectFailure(runPelt({"info", path("frames")}), 3, "2.obj: ");
    writeBytes(path("frames/2.obj"), "v 0 0 zero\n");
    expectFailure(runPelt({"info", path("frames"), "--json"}), 3, "2.obj: ");

    runWell({"deform", bar(), "--frames", ":3", "-o", path("s.npy")});
    std::string bytes = readBytes(path("s.npy"));
    bytes.replace(bytes.size() - 4, 4, "\xff\xff\xff\x7f");  // NaN
    writeBytes(path("s.npy"), bytes);
    expectFailure(runPelt({"info", path("s.npy")}), 3, "frame 2");
}

TEST_F(Info, AgreesWithTheKnownCountsOfRealCharacters) {
    PELT_NEEDS_SHARED("data/rigged");
    struct Known {
        const char* file;
        int vertices, welded, bones, clips;
    };
    for (const Known& known : {Known{"data/rigged/khronos/CesiumMan/CesiumMan.glb", 3273, 2338, 19, 1},
                               Known{"data/rigged/khronos/Fox/Fox.glb", 1728, 290, 24, 3}}) {
        if (!fs::exists(sharedPath(known.file))) continue;
        SCOPED_TRACE(known.file);
        const nlohmann::json json = runPelt({"info", sharedPath(known.file).string(), "--json"}).json();
        EXPECT_EQ(json.at("vertices"), known.vertices);
        EXPECT_EQ(json.at("welded_vertices"), known.welded);
        EXPECT_EQ(json.at("bones"), known.bones);
        EXPECT_EQ(json.at("clips").size(), std::size_t(known.clips));
    }
}

TEST_F(Sample, ListsAndWritesEverySample) {
    const nlohmann::json list = runWell({"sample", "--list", "--json"}).json();
    ASSERT_GE(list.at("samples").size(), 4u);
    for (const nlohmann::json& name : list["samples"]) {
        if (name == "biped") continue;  // slower; the bar takes the same code path
        SCOPED_TRACE(name.get<std::string>());
        runWell({"sample", name, "--resolution", "500", "-o", path("s.glb")});
        const nlohmann::json info = runWell({"info", path("s.glb"), "--json"}).json();
        EXPECT_EQ(info.at("max_influences"), 1);
        EXPECT_GE(info.at("bones").get<int>(), 2);
        EXPECT_GE(info.at("clips").size(), 1u);
    }
}

TEST_F(Sample, AnUnknownNameIsWrongUsageThatListsTheNames) {
    expectFailure(runPelt({"sample", "dragon", "-o", path("x.glb")}), 2, "bar");
    expectFailure(runPelt({"sample", "-o", path("x.glb")}), 2, "--list");
    expectFailure(runPelt({"sample", "bar"}), 2, "-o");
    expectFailure(runPelt({"sample", "bar", "--resolution", "0", "-o", path("x.glb")}), 2, "--resolution");
    expectFailure(runPelt({"sample", "bar", "--resolution", "-5", "-o", path("x.glb")}), 2, "--resolution");
    expectFailure(runPelt({"sample", "bar", "--skin", "leather", "-o", path("x.glb")}), 2, "leather");
}

TEST_F(Bind, RigidGivesEveryVertexOneJointAndKeepsTheRest) {
    const nlohmann::json before = runWell({"info", bar(), "--json"}).json();
    const nlohmann::json bound =
        runWell({"bind", bar(), "--method", "rigid", "--influences", "4", "-o", path("b.glb"), "--json"}).json();
    EXPECT_EQ(bound.at("max_influences"), 1);
    const nlohmann::json after = runWell({"info", path("b.glb"), "--json"}).json();
    EXPECT_EQ(after.at("max_influences"), 1);
    for (const char* key : {"vertices", "triangles", "joints", "clips"}) EXPECT_EQ(after.at(key), before.at(key));
    EXPECT_EQ(rmsBetween(bar(), path("b.glb"), {"--bind-pose"}), 0.0);
}

TEST_F(Bind, AnImportedCharacterGoesOutAsGltf) {
    const std::string fbx = std::string(kTestData) + "/import/smooth_bar.fbx";
    runWell({"bind", fbx, "--method", "rigid", "-o", path("b.glb")});
    const nlohmann::json before = runWell({"info", fbx, "--json"}).json();
    const nlohmann::json after = runWell({"info", path("b.glb"), "--json"}).json();
    EXPECT_EQ(after.at("max_influences"), 1);
    for (const char* key : {"vertices", "triangles", "joints"}) EXPECT_EQ(after.at(key), before.at(key));
    EXPECT_EQ(rmsBetween(fbx, path("b.glb"), {"--bind-pose"}), 0.0);
}

TEST_F(Deform, TheTruthOfAnotherProgramIsMet) {
    const std::string data = std::string(kTestData) + "/import/smooth_bar";
    runWell({"deform", data + ".fbx", "--fps", "24", "-o", path("fbx.npy")});
    EXPECT_LT(rmsBetween(path("fbx.npy"), data + ".truth.npy"), 1e-5);
}

TEST_F(Deform, WhatTheLoaderMendedIsAWarning) {
    PELT_NEEDS_SHARED("data/rigged/RobotExpressive/RobotExpressive.glb");
    const std::string robot = sharedPath("data/rigged/RobotExpressive/RobotExpressive.glb").string();
    const RunResult result = runPelt({"deform", robot, "--frames", ":2", "-o", path("r.npy"), "--json"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.err.rfind("pelt: warning: " + robot + ": ", 0), 0u) << result.err;
    EXPECT_EQ(result.json().at("warnings").size(), 1u);
    const RunResult quiet = runPelt({"deform", robot, "--frames", ":2", "-o", path("r.npy"), "--quiet"});
    EXPECT_EQ(quiet.out, "");
    EXPECT_EQ(quiet.err, result.err);  // quiet keeps warnings
}

TEST_F(Deform, EveryOutputFormatHoldsTheSameFrames) {
    const std::vector<std::string> names = {"a.npy", "a.pc2", "a.mdd", "a.glb", "frames"};
    for (const std::string& name : names) {
        SCOPED_TRACE(name);
        runWell({"deform", bar(), "--frames", ":9", "-o", path(name)});
        // Morph targets add rounded offsets, and text has limited digits; all other formats are exact.
        EXPECT_LE(rmsBetween(path("a.npy"), path(name)), name == "a.glb" ? 1e-6 : 0.0);
    }
    EXPECT_EQ(filesLeft().size(), names.size());
    EXPECT_LE(rmsBetween(path("a.npy"), path("frames/*.obj")), 0.0);
    EXPECT_LE(rmsBetween(path("a.npy"), bar(), {"--frames", ":9"}), 0.0);
}

TEST_F(Deform, AClipThatMovesNothingIsAWarning) {
    const char* file = "data/conformance/asset-generator/Animation_SamplerType/Animation_SamplerType_01.gltf";
    PELT_NEEDS_SHARED(file);
    const std::string input = sharedPath(file).string();
    const RunResult result = runPelt({"deform", input, "-o", path("r.npy"), "--json"});
    EXPECT_EQ(result.status, 0);
    const nlohmann::json warnings = result.json().at("warnings");
    ASSERT_EQ(warnings.size(), 1u) << warnings;
    EXPECT_NE(warnings[0].get<std::string>().find("moves no joint and no morph target"), std::string::npos) << warnings;
}

TEST_F(Deform, ASingleFrameIsAMeshFileIfAskedFor) {
    const nlohmann::json faces = runWell({"info", bar(), "--json"}).json().at("triangles");
    for (const std::vector<std::string>& frame : {std::vector<std::string>{"--bind-pose"}, {"--frames", "3"}})
        for (const std::string name : {"a.obj", "a.ply"}) {
            SCOPED_TRACE(frame[0] + " " + name);
            std::vector<std::string> words = {"deform", bar(), "-o", path(name)};
            words.insert(words.end(), frame.begin(), frame.end());
            runWell(words);
            EXPECT_EQ(rmsBetween(path(name), bar(), frame), 0.0);
            EXPECT_EQ(runWell({"info", path(name), "--json"}).json().at("triangles"), faces);
        }
    const std::vector<std::string> left = filesLeft();
    expectFailure(runPelt({"deform", bar(), "--frames", ":2", "-o", path("b.obj")}), 2, "--frames 0");
    EXPECT_EQ(filesLeft(), left);
}

TEST_F(Deform, WritesNumpyFloatsOfFramesVerticesAndThree) {
    const nlohmann::json json =
        runWell({"deform", bar(), "--frames", ":5", "-o", path("a.npy"), "--normals", path("n.npy"), "--json"}).json();
    const std::size_t vertices = json.at("vertices");
    EXPECT_EQ(json.at("frames"), 5);
    for (const char* name : {"a.npy", "n.npy"}) {
        const NpyHead npy = readNpy(path(name));
        EXPECT_NE(npy.header.find("'<f4'"), std::string::npos) << npy.header;
        EXPECT_NE(npy.header.find("(5, " + std::to_string(vertices) + ", 3)"), std::string::npos) << npy.header;
        EXPECT_EQ(npy.data_bytes, 5 * vertices * 12);
    }
    const std::string bytes = readBytes(path("n.npy"));
    const char* data = bytes.data() + bytes.size() - 5 * vertices * 12;
    for (std::size_t v = 0; v < 5 * vertices; ++v) {
        float n[3];
        std::memcpy(n, data + 12 * v, sizeof n);
        ASSERT_NEAR(std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), 1, 1e-5);
    }
}

TEST_F(Deform, TheSamplesAreThoseOfThePythonSlice) {
    const auto frames = [&](const std::string& slice) {
        return runWell({"deform", bar(), "--frames", slice, "-o", path("s.npy"), "--json"})
            .json()
            .at("frames")
            .get<int>();
    };
    const int all = runWell({"deform", bar(), "-o", path("all.npy"), "--json"}).json().at("frames");
    const double seconds = runWell({"info", bar(), "--json"}).json().at("clips")[0].at("seconds");
    EXPECT_EQ(all, static_cast<int>(std::floor(seconds * 30 + 1e-4)) + 1);
    EXPECT_EQ(frames(":"), all);
    EXPECT_EQ(frames("::2"), (all + 1) / 2);
    EXPECT_EQ(frames("-3:"), 3);
    EXPECT_EQ(frames("2:5"), 3);
    EXPECT_EQ(frames("4"), 1);
    EXPECT_EQ(frames("::-1"), all);
    EXPECT_EQ(runWell({"deform", bar(), "--fps", "60", "-o", path("s.npy"), "--json"}).json().at("frames"),
              static_cast<int>(std::floor(seconds * 60 + 1e-4)) + 1);
}

TEST_F(Deform, ClipsGoByNameOrIndex) {
    const std::string name = runWell({"info", bar(), "--json"}).json().at("clips")[0].at("name");
    runWell({"deform", bar(), "-o", path("default.npy")});
    runWell({"deform", bar(), "--clip", name, "-o", path("name.npy")});
    runWell({"deform", bar(), "--clip", "0", "-o", path("index.npy")});
    EXPECT_EQ(readBytes(path("default.npy")), readBytes(path("name.npy")));
    EXPECT_EQ(readBytes(path("default.npy")), readBytes(path("index.npy")));
}

TEST_F(Deform, TheBindPoseIsOneFrameForEveryMethod) {
    for (const char* method : {"lbs", "dqs"}) {
        const nlohmann::json json =
            runWell({"deform", bar(), "--bind-pose", "--method", method, "-o", path("b.npy"), "--json"}).json();
        EXPECT_EQ(json.at("frames"), 1);
        EXPECT_EQ(rmsBetween(path("b.npy"), bar(), {"--bind-pose"}), 0.0);
    }
}

TEST_F(Deform, MethodsDifferWhereTheSkinIsSmooth) {
    runWell({"deform", bar(), "--method", "lbs", "-o", path("lbs.npy")});
    runWell({"deform", bar(), "--method", "dqs", "-o", path("dqs.npy")});
    EXPECT_GT(rmsBetween(path("lbs.npy"), path("dqs.npy")), 1e-4);
    EXPECT_EQ(rmsBetween(path("lbs.npy"), bar()), 0.0);
}

TEST_F(Deform, ReportsWhereTimeGoes) {
    const nlohmann::json json = runWell({"deform", bar(), "-o", path("a.npy"), "--json"}).json();
    std::vector<std::string> names;
    for (const auto& stage : json.at("stages")) names.push_back(stage.at("name"));
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"evaluate", "load", "prepare", "write"}));
    EXPECT_EQ(json.at("method"), "lbs");
}

TEST_F(Compare, GivesTheErrorsOfTheContract) {
    // Two frames of three vertices; B is A moved by (0, 0, 2) in its second frame.
    const auto writeFrame = [&](const std::string& name, const char* z) {
        writeBytes(path(name), std::string("v 0 0 ") + z + "\nv 1 0 " + z + "\nv 0 1 " + z + "\nf 1 2 3\n");
    };
    fs::create_directory(path("a"));
    fs::create_directory(path("b"));
    writeFrame("a/1.obj", "0"), writeFrame("a/2.obj", "0");
    writeFrame("b/1.obj", "0"), writeFrame("b/2.obj", "2");
    const nlohmann::json json = runWell({"compare", path("a"), path("b"), "--json"}).json();
    EXPECT_NEAR(json.at("rms").get<double>(), std::sqrt(2.0), 1e-6);
    EXPECT_NEAR(json.at("max").get<double>(), 2.0, 1e-6);
    ASSERT_EQ(json.at("frames").size(), 2u);
    EXPECT_EQ(json["frames"][0].at("rms"), 0.0);
    EXPECT_NEAR(json["frames"][1].at("rms").get<double>(), 2.0, 1e-6);
    EXPECT_NEAR(json["frames"][1].at("max").get<double>(), 2.0, 1e-6);
    // The triangle's smallest ball has radius sqrt(2)/2.
    EXPECT_NEAR(json.at("e_rms").get<double>(), 1000 * std::sqrt(12.0 / 18.0) / std::sqrt(0.5), 1e-3);
}

TEST_F(Compare, AMissedGateIsStatus4WithTheResultAllTheSame) {
    runWell({"deform", bar(), "--method", "dqs", "-o", path("dqs.npy")});
    const RunResult missed = runPelt({"compare", bar(), path("dqs.npy"), "--max-error", "1e-9", "--json"});
    EXPECT_EQ(missed.status, 4);
    EXPECT_TRUE(missed.oneErrorLine()) << missed.err;
    EXPECT_GT(missed.json().at("e_rms").get<double>(), 1e-9);
    runWell({"compare", bar(), path("dqs.npy"), "--max-error", "1e9"});
}

TEST_F(Compare, AMeshFileIsOneFrame) {
    writeBytes(path("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    writeBytes(path("b.obj"), "v 0 0 1\nv 1 0 1\nv 0 1 1\nf 1 2 3\n");
    EXPECT_NEAR(rmsBetween(path("a.obj"), path("b.obj")), 1.0, 1e-6);
}

TEST_F(Compare, CharactersWithoutClipsCompareByTheirBindPose) {
    PELT_NEEDS_SHARED("data/rigged/webxr-hand/left.glb");
    const std::string hand = sharedPath("data/rigged/webxr-hand/left.glb").string();
    EXPECT_EQ(runPelt({"compare", hand, hand, "--json"}).json().at("frames").size(), 1u);
    expectFailure(runPelt({"deform", hand, "-o", path("x.npy")}), 3, "--bind-pose");
}
