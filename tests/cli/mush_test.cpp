// pelt mush: the file it writes.
#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "cli/support/mush_fixture.h"
#include "places.h"

namespace {

using Json = nlohmann::json;

class Mush : public MushTest {};

const Words kSamples = {"bar", "bar3", "bar-parts", "branch"};

/// The parts of a file that mushing must not change, and the data that any viewer shows.
void expectPlainBesideThePayload(const std::string& original, const std::string& mushed) {
    const GlbFile before(original), after(mushed);
    EXPECT_EQ(after.json.at("extensionsUsed"), Json({"PELT_direct_delta_mush"}));
    EXPECT_FALSE(after.json.contains("extensionsRequired"));
    ASSERT_EQ(after.json["meshes"].size(), 1u);
    const std::size_t primitives = before.json["meshes"][0]["primitives"].size();
    ASSERT_EQ(after.json["meshes"][0]["primitives"].size(), primitives);
    for (std::size_t p = 0; p < primitives; ++p) {
        const Json &was = before.primitive(p), &is = after.primitive(p);
        for (const char* name : {"POSITION", "NORMAL"})
            EXPECT_EQ(after.bytes(is["attributes"].at(name)), before.bytes(was["attributes"].at(name)));
        EXPECT_EQ(after.bytes(is.at("indices")), before.bytes(was.at("indices")));
        EXPECT_TRUE(is["attributes"].contains("JOINTS_0") && is["attributes"].contains("WEIGHTS_0"));
        EXPECT_FALSE(is["attributes"].contains("JOINTS_1") || is["attributes"].contains("WEIGHTS_1"));
        EXPECT_TRUE(is.at("extensions").contains("PELT_direct_delta_mush"));
    }
}

}  // namespace

TEST_F(Mush, LeavesPositionsAndFacesAloneAndAddsAnExtensionThatNobodyMustKnow) {
    for (const std::string& name : kSamples) {
        SCOPED_TRACE(name);
        expectPlainBesideThePayload(sample(name), mush(sample(name), "m.glb"));
        expectPlainBesideThePayload(sample(name), mush(sample(name), "q.glb", {"--payload", "q16"}));
    }
}

TEST_F(Mush, WeightsForViewersAreAtMostFourAndAtMostK) {
    // Wide smoothing brings all five joints of the branch to its fork.
    const Words wide = {"--iterations", "10", "--lambda", "30", "--kappa", "30", "--influences"};
    for (const int influences : {0, 2}) {
        Words options = wide;
        options.push_back(std::to_string(influences));
        const std::string mushed = mush(sample("branch"), "m.glb", options);
        expectPlainBesideThePayload(sample("branch"), mushed);
        const Json info = runWell({"info", mushed, "--json"}).json();
        EXPECT_EQ(info.at("max_influences"), influences == 0 ? 4 : 2);
        EXPECT_EQ(info.at("ddm").at("max_influences"), influences == 0 ? 5 : 2);
    }
}

TEST_F(Mush, ViewersThatKnowNothingOfItShowTheLinearVariant) {
    const std::string mushed = mush(sample("branch"), "m.glb", {"--influences", "4"});
    // Weights under 1e-4 are left out; each would move a vertex by less than that part of the motion between two
    // joints.
    EXPECT_LE(farthest(deform(mushed, "lbs"), deform(mushed, "ddm-v5")), 1e-4);
}

TEST_F(Mush, TheKhronosValidatorFindsNothing) {
    Words files;
    for (const std::string& name : kSamples) {
        files.push_back(mush(sample(name), name + "-float.glb"));
        files.push_back(mush(sample(name), name + "-q16.glb", {"--payload", "q16", "--influences", "0"}));
    }
    std::string command = std::string("'") + kTestData + "/../../scripts/validate_gltf'";
    for (const std::string& file : files) command += " '" + file + "'";
    const int status = std::system((command + " > '" + path("report") + "' 2> /dev/null").c_str());
    if (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127) GTEST_SKIP() << "needs node and gltf-validator";
    ASSERT_EQ(status, 0);
    std::istringstream lines(readBytes(path("report")));
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        const Json found = Json::parse(line);
        EXPECT_TRUE(found["errors"].empty() && found["warnings"].empty()) << line;
    }
    EXPECT_EQ(count, files.size());
}

TEST_F(Mush, AMushedFileDeformsAsDirectEvaluationDoes) {
    const std::vector<Words> choices = {
        {"--influences", "2"},
        {"--influences", "0"},
        {"--influences", "3", "--bind", "keep", "--laplacian", "uniform", "--iterations", "12", "--lambda", "2",
         "--kappa", "0.5", "--alpha", "0.2", "--connect-parts", "off"},
        {"--influences", "3", "--smoothing", "explicit", "--lambda-map", "radius", "--joint-alpha", "JOINT=0.1"}};
    for (const std::string& name : kSamples)
        for (Words options : choices) {
            SCOPED_TRACE(name + " " + options[1] + " " + options.back());
            if (options.back() == "JOINT=0.1") options.back() = name == "branch" ? "left=0.1" : "joint1=0.1";
            const std::string mushed = mush(sample(name), "m.glb", options);
            EXPECT_LE(farthest(deform(mushed, "ddm"), deform(sample(name), "ddm", options)), 1e-5);
        }
}

TEST_F(Mush, JointsThatStretchDeformAlikeTooByTheEnhancedForm) {
    const Words options = {"--influences", "2"}, stretch = {"--clip", "stretch"};
    const std::string mushed = mush(sample("bar"), "m.glb", options);
    const Frames stored = deform(mushed, "ddm", stretch);
    EXPECT_LE(farthest(stored, deform(sample("bar"), "ddm", {"--influences", "2", "--clip", "stretch"})), 1e-5);
    EXPECT_LE(farthest(stored, deform(mushed, "eddm", stretch)), 1e-6);
    EXPECT_GT(farthest(stored, deform(mushed, "ddm-v0", stretch)), 1e-3);
}

TEST_F(Mush, MushingAgainStartsFromTheOriginalBindAndGivesTheSameBytes) {
    for (const Words& options : std::vector<Words>{{}, {"--payload", "q16", "--variant", "v3", "--bind", "keep"}}) {
        const std::string once = mush(sample("branch"), "once.glb", options);
        const std::string twice = mush(once, "twice.glb");
        EXPECT_TRUE(readBytes(once) == readBytes(twice));
    }
}

TEST_F(Mush, MushingAgainWithOtherOptionsIsMushingTheOriginalWithThem) {
    const Words other = {"--bind", "keep", "--lambda", "0.7", "--influences", "3"};
    const std::string direct = mush(sample("branch"), "direct.glb", other);
    const std::string detour = mush(mush(sample("branch"), "once.glb"), "detour.glb", other);
    for (const char* method : {"ddm", "lbs"})
        EXPECT_LE(farthest(deform(detour, method), deform(direct, method)), 1e-6) << method;
}

TEST_F(Mush, TheVariantThatAFileAsksForIsWhatDdmMeans) {
    Frames full = deform(mush(sample("bar"), "m.glb"), "ddm");
    for (const std::string variant : {"v1", "v2", "v3", "v4", "v5"}) {
        SCOPED_TRACE(variant);
        const std::string mushed = mush(sample("bar"), "m.glb", {"--variant", variant});
        const Frames stored = deform(mushed, "ddm");
        EXPECT_EQ(farthest(stored, deform(mushed, "ddm-" + variant)), 0);
        EXPECT_LE(farthest(stored, deform(sample("bar"), "ddm-" + variant, {"--influences", "2"})), 1e-5);
        EXPECT_GT(farthest(stored, full), 1e-3);
        EXPECT_EQ(runWell({"info", mushed, "--json"}).json().at("ddm").at("variant"), variant);
    }
}

TEST_F(Mush, OptionsGivenToDeformOverrideWhatTheFileStores) {
    const std::string mushed = mush(sample("bar"), "m.glb", {"--iterations", "5", "--kappa", "0.3", "--lambda", "2"});
    const Frames changed = deform(mushed, "ddm", {"--alpha", "0.1", "--lambda", "6"});
    EXPECT_LE(farthest(changed, deform(sample("bar"), "ddm",
                                       {"--iterations", "5", "--kappa", "0.3", "--lambda", "6", "--alpha", "0.1"})),
              1e-5);
    EXPECT_GT(farthest(changed, deform(mushed, "ddm")), 1e-3);
    // Delta Mush, which is not stored in files, also uses the stored settings and bind.
    EXPECT_LE(farthest(deform(mushed, "dm"), deform(sample("bar"), "dm", {"--iterations", "5", "--lambda", "2"})),
              1e-6);
}

TEST_F(Mush, SixteenBitsAreCloseToFloats) {
    for (const std::string& name : kSamples) {
        const std::string floats = mush(sample(name), "f.glb", {"--influences", "4"});
        const std::string q16 = mush(sample(name), "q.glb", {"--influences", "4", "--payload", "q16"});
        const double apart = farthest(deform(floats, "ddm"), deform(q16, "ddm"));
        EXPECT_LE(apart, 1e-4) << name;
        EXPECT_GT(apart, 0) << name;
        EXPECT_LT(std::filesystem::file_size(q16), std::filesystem::file_size(floats));
    }
}

TEST_F(Mush, SameBytesWhateverTheThreads) {
    const std::string input = sample("branch", "3000");
    for (const Words& options : std::vector<Words>{{}, {"--smoothing", "explicit", "--payload", "q16"}}) {
        Words one = options, two = options;
        one.insert(one.end(), {"--threads", "1"});
        two.insert(two.end(), {"--threads", "2"});
        EXPECT_TRUE(readBytes(mush(input, "1.glb", one)) == readBytes(mush(input, "2.glb", two)));
    }
}

TEST_F(Mush, TellsInJsonWhatItDid) {
    const Json json = runWell({"mush", sample("branch"), "-o", path("m.glb"), "--json"}).json();
    const Json info = runWell({"info", path("m.glb"), "--json"}).json();
    EXPECT_EQ(json.at("verb"), "mush");
    EXPECT_EQ(json.at("variant"), "v0");
    EXPECT_EQ(json.at("bones"), 5);
    for (const char* key : {"vertices", "triangles", "bones"}) EXPECT_EQ(json.at(key), info.at(key)) << key;
    EXPECT_EQ(json.at("influences"), info.at("ddm").at("max_influences"));
    EXPECT_EQ(json.at("expected_error"), info["ddm"].at("expected_error"));
    EXPECT_LE(json["expected_error"].get<double>(), 1e-4);
    EXPECT_GT(json.at("mean_influences").get<double>(), 1);
    // The smallest sufficient number: the last trial is the first below the limit.
    const Json& trials = json.at("trials");
    ASSERT_FALSE(trials.empty());
    for (std::size_t t = 0; t + 1 < trials.size(); ++t) EXPECT_GT(trials[t].at("error").get<double>(), 1e-4);
    EXPECT_EQ(trials.back().at("error"), json["expected_error"]);
    Words stages;
    for (const Json& stage : json.at("stages")) {
        stages.push_back(stage.at("name"));
        EXPECT_GE(stage.at("seconds").get<double>(), 0);
        EXPECT_GT(stage.at("peak_bytes").get<double>(), 0);
    }
    EXPECT_EQ(stages, (Words{"load", "prepare", "write"}));
}

TEST_F(Mush, SaysOneLineAndNothingWhereQuietIsAsked) {
    const std::string said = runWell({"mush", sample("bar"), "-o", path("m.glb")}).out;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    EXPECT_NE(said.find("m.glb: 302 vertices on 2 joints, v0"), std::string::npos) << said;
    const RunResult quiet = runPelt({"mush", sample("bar"), "-o", path("m.glb"), "--quiet"});
    EXPECT_EQ(quiet.out + quiet.err, "");
    EXPECT_EQ(quiet.status, 0);
}

TEST_F(Mush, CtrlCEndsItWith130AndTheOldFileStays) {
    const std::string input = sample("branch", "60000");
    writeBytes(path("m.glb"), "old");
    const Words before = filesLeft();
    RunOptions options;
    options.interrupt_after = std::chrono::milliseconds(500);
    const RunResult result =
        runPelt({"mush", input, "-o", path("m.glb"), "--iterations", "3000", "--lambda", "20", "--quiet"}, options);
    EXPECT_EQ(result.status, 130) << result.err;
    EXPECT_EQ(result.err, "pelt: cancelled\n");
    EXPECT_EQ(filesLeft(), before);
    EXPECT_EQ(readBytes(path("m.glb")), "old");
}
