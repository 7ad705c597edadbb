// pelt bake.
#include <cmath>

#include "cli/support/decompose_fixture.h"

namespace {

using BakeJson = nlohmann::json;

/// The shared bar and a small arm, baked through the program.
class BakeVerb : public MushTest {
protected:
    std::string arm() {
        const std::string file = path("arm.glb");
        if (!std::filesystem::exists(file)) runWell({"sample", "arm", "--resolution", "400", "-o", file});
        return file;
    }
    BakeJson bake(const std::string& input, Words words = {}, const std::string& output = "out.glb") {
        words.insert(words.begin(), {"bake", input, "--fps", "5"});
        words.insert(words.end(), {"-o", path(output), "--json"});
        return runWell(words).json();
    }
    RunResult refused(const std::string& input, Words words) const {
        words.insert(words.begin(), {"bake", input});
        words.insert(words.end(), {"-o", path("out.glb")});
        return runPelt(words);
    }
};

double errorIn(const BakeJson& json, const char* key) { return json.at(key).get<double>(); }

}  // namespace

TEST_F(BakeVerb, JsonHasErrorsOfClipAndRangeOfMotionOfEveryCandidate) {
    const BakeJson json = bake(arm(), {"--helpers", "2"});
    EXPECT_EQ(json.at("verb"), "bake");
    EXPECT_EQ(json.at("from"), "ddm");
    EXPECT_GT(json.at("vertices"), 0);
    EXPECT_GT(json.at("triangles"), 0);
    EXPECT_LE(json.at("influences"), 4);
    EXPECT_EQ(json.at("bones"), 3 + json.at("helpers").size());
    for (const char* key : {"rms", "max", "e_rms"}) {
        EXPECT_GT(errorIn(json, key), 0);
        EXPECT_GT(errorIn(json.at("range_of_motion"), key), 0);
    }
    const BakeJson& candidates = json.at("candidates");
    ASSERT_EQ(candidates.size(), 4u);
    EXPECT_EQ(candidates[0].at("name"), "v5");
    EXPECT_EQ(candidates[1].at("name"), "resolved");
    for (std::size_t c = 0; c < candidates.size(); ++c) {
        EXPECT_EQ(candidates[c].at("helpers"), c > 1 ? c - 1 : 0);
        for (const char* key : {"rms", "max", "e_rms"}) {
            EXPECT_GT(errorIn(candidates[c], key), 0);
            EXPECT_GT(errorIn(candidates[c].at("range_of_motion"), key), 0);
        }
    }
    EXPECT_LE(errorIn(json, "rms"), errorIn(candidates[0], "rms"));
    for (const BakeJson& helper : json.at("helpers"))
        for (const char* key : {"name", "kind", "driver"}) EXPECT_FALSE(helper.at(key).get<std::string>().empty());
}

TEST_F(BakeVerb, TheErrorInJsonIsTheOneOfTheFileAgainstTheMethod) {
    const BakeJson json = bake(arm(), {"--from", "dqs", "--helpers", "1"});
    runWell({"deform", arm(), "--fps", "5", "--method", "dqs", "-o", path("exact.npy")});
    runWell({"deform", path("out.glb"), "--fps", "5", "--method", "lbs", "-o", path("baked.npy")});
    const BakeJson compared =
        runWell({"compare", path("exact.npy"), path("baked.npy"), "--mesh", arm(), "--json"}).json();
    for (const char* key : {"rms", "max", "e_rms"})
        EXPECT_NEAR(errorIn(json, key), errorIn(compared, key), 1e-3 * errorIn(compared, key)) << key;
}

TEST_F(BakeVerb, TheFileIsAPlainSkinWithKeysForItsHelpersAndTheValidatorIsContent) {
    const BakeJson json = bake(arm(), {"--helpers", "2"});
    ASSERT_FALSE(json.at("helpers").empty());
    const GlbFile file(path("out.glb"));
    EXPECT_EQ(file.json["skins"][0]["joints"].size(), json.at("bones"));
    EXPECT_EQ(file.json["extensions"]["PELT_driven_joints"]["joints"].size(), json.at("helpers").size());
    EXPECT_FALSE(file.primitive().contains("extensions"));
    EXPECT_FALSE(file.primitive()["attributes"].contains("WEIGHTS_1"));
    const std::vector<float> weights = file.floats(file.primitive()["attributes"]["WEIGHTS_0"]);
    for (std::size_t v = 0; v < weights.size(); v += 4) {
        EXPECT_NEAR(weights[v] + weights[v + 1] + weights[v + 2] + weights[v + 3], 1, 1e-6);
        for (std::size_t i = 0; i < 4; ++i) EXPECT_GE(weights[v + i], 0);
    }
    for (const BakeJson& driven : file.json["extensions"]["PELT_driven_joints"]["joints"])
        for (const BakeJson& animation : file.json["animations"]) {
            bool keyed = false;
            for (const BakeJson& channel : animation["channels"]) keyed |= channel["target"]["node"] == driven["node"];
            EXPECT_TRUE(keyed);
        }
    if (!expectValid({path("out.glb")}, path("report"))) GTEST_SKIP() << "needs node and gltf-validator";
}

TEST_F(BakeVerb, EverythingElseOfTheFileIsKept) {
    GlbFile file(arm());
    file.json["extras"] = {{"studio", "kept"}};
    file.json["materials"] = {{{"name", "skin"}, {"pbrMetallicRoughness", {{"roughnessFactor", 0.25}}}}};
    file.primitive()["material"] = 0;
    file.json["cameras"] = {{{"type", "perspective"}, {"perspective", {{"yfov", 0.7}, {"znear", 0.1}}}}};
    file.save(path("rich.glb"));
    bake(path("rich.glb"), {"--helpers", "1"});
    const GlbFile baked(path("out.glb"));
    EXPECT_EQ(baked.json["extras"], file.json["extras"]);
    EXPECT_EQ(baked.json["materials"], file.json["materials"]);
    EXPECT_EQ(baked.json["cameras"], file.json["cameras"]);
    EXPECT_EQ(baked.primitive()["material"], 0);
    EXPECT_EQ(baked.bytes(baked.primitive()["attributes"]["POSITION"]),
              file.bytes(file.primitive()["attributes"]["POSITION"]));
    ASSERT_EQ(baked.json["animations"].size(), file.json["animations"].size());
    for (std::size_t a = 0; a < baked.json["animations"].size(); ++a)
        EXPECT_EQ(baked.json["animations"][a]["name"], file.json["animations"][a]["name"]);
}

TEST_F(BakeVerb, AMushedFileIsBakedAsItIsStoredAndLosesItsPayload) {
    const std::string mushed = mush(arm(), "mushed.glb", {"--lambda", "40"});
    const BakeJson stored = bake(mushed), defaults = bake(arm(), {}, "default.glb");
    EXPECT_GT(std::abs(errorIn(stored["candidates"][0], "rms") - errorIn(defaults["candidates"][0], "rms")),
              0.02 * errorIn(defaults["candidates"][0], "rms"));
    const BakeJson same = bake(arm(), {"--lambda", "40"}, "same.glb");
    EXPECT_NEAR(errorIn(same["candidates"][0], "rms"), errorIn(stored["candidates"][0], "rms"),
                0.02 * errorIn(stored["candidates"][0], "rms"));
    EXPECT_FALSE(GlbFile(path("out.glb")).primitive().contains("extensions"));
}

TEST_F(BakeVerb, AnErrorThatIsMissedIsStatus4AndTheFileIsThere) {
    const RunResult missed = refused(arm(), {"--fps", "5", "--helpers", "1", "--max-error", "1e-6", "--quiet"});
    expectFailure(missed, 4, "E_RMS");
    EXPECT_TRUE(std::filesystem::exists(path("out.glb")));
    const BakeJson met = bake(arm(), {"--helpers", "3", "--max-error", "1000"});
    EXPECT_TRUE(met.at("helpers").empty());
}

TEST_F(BakeVerb, SequencesAreBakedWhereTheyFitAndRefusedWithBothNumbersWhereNot) {
    runWell({"deform", arm(), "--fps", "5", "--method", "dqs", "-o", path("frames.npy")});
    const BakeJson json = bake(arm(), {"--from", path("frames.npy")});
    EXPECT_EQ(json.at("candidates")[0].at("name"), "given");
    EXPECT_FALSE(json.contains("range_of_motion"));
    EXPECT_LE(errorIn(json, "rms"), errorIn(json.at("candidates")[0], "rms"));
    const std::size_t frames = readFrames(path("frames.npy")).size(), vertices = json.at("vertices");

    std::filesystem::remove(path("out.glb"));
    const RunResult more = refused(arm(), {"--fps", "10", "--from", path("frames.npy")});
    expectFailure(more, 3, "there are " + std::to_string(frames) + " meshes");
    EXPECT_NE(more.err.find("has " + std::to_string(2 * frames - 1) + " samples"), std::string::npos) << more.err;
    runWell({"deform", bar(), "--fps", "5", "--frames", ":" + std::to_string(frames), "-o", path("bar.npy")});
    const std::size_t bar_frames = readFrames(path("bar.npy")).size();
    const RunResult other =
        refused(arm(), {"--fps", "5", "--frames", ":" + std::to_string(bar_frames), "--from", path("bar.npy")});
    expectFailure(other, 3, "has " + std::to_string(vertices) + " vertices, but the meshes to bake have");
    EXPECT_NE(other.err.find(std::to_string(readFrames(path("bar.npy"))[0].size())), std::string::npos) << other.err;
    EXPECT_FALSE(std::filesystem::exists(path("out.glb")));
}

TEST_F(BakeVerb, WhatCannotBeBakedSaysWhy) {
    expectFailure(refused(arm(), {"--from", "magic"}), 2, "--from magic: neither a file nor a method");
    expectFailure(refused(arm(), {"--from", path("none.npy")}), 3, "none.npy");
    expectFailure(refused(arm(), {"--lock", "nobody"}), 3, "no joint 'nobody'");
    expectFailure(refused(arm(), {"--helpers", "-1"}), 2, "--helpers");
    expectFailure(refused(arm(), {"--max-error", "-1"}), 2, "--max-error");
    expectFailure(refused(arm(), {"--clip", "nope"}), 3, "nope");
    expectFailure(refused(path("none.glb"), {}), 3, "none.glb");
    expectFailure(runPelt({"bake", arm(), "-o", arm()}), 2, "input");
    runWell({"deform", arm(), "--bind-pose", "-o", path("bare.glb")});
    expectFailure(refused(path("bare.glb"), {}), 3, "has no skeleton");
    EXPECT_FALSE(std::filesystem::exists(path("out.glb")));
}

TEST_F(BakeVerb, LimitsAreReadAndWhatIsWrongWithThemIsStatus3WithTheirName) {
    writeBytes(path("limits.json"), R"({"default": {"bend": 10, "twist": 0}, "joints": {"elbow": {"bend": [0, 20]}}})");
    const BakeJson wide = bake(arm()), narrow = bake(arm(), {"--limits", path("limits.json")});
    EXPECT_LT(errorIn(narrow["candidates"][0]["range_of_motion"], "rms"),
              0.3 * errorIn(wide["candidates"][0]["range_of_motion"], "rms"));
    std::filesystem::remove(path("out.glb"));
    for (const char* text :
         {"", "[]", "{", R"({"default": 5})", R"({"default": {"bend": "far"}})", R"({"default": {"bend": [1]}})",
          R"({"default": {"bend": [9, 1]}})", R"({"default": {"bend": 1e9}})", R"({"default": {"roll": 1}})",
          R"({"other": {}})", R"({"joints": []})", R"({"joints": {"nobody": {"bend": 5}}})"}) {
        writeBytes(path("limits.json"), text);
        expectFailure(refused(arm(), {"--limits", path("limits.json")}), 3, "limits.json");
    }
    expectFailure(refused(arm(), {"--limits", path("absent.json")}), 3, "absent.json");
    EXPECT_FALSE(std::filesystem::exists(path("out.glb")));
}

TEST_F(BakeVerb, QuietPrintsNothingAndThreadsDoNotChangeAByte) {
    const Words words = {"bake", arm(), "--fps", "5", "--helpers", "2", "--quiet"};
    for (const char* threads : {"1", "2"}) {
        Words own = words;
        own.insert(own.end(), {"--threads", threads, "-o", path(std::string(threads) + ".glb")});
        EXPECT_EQ(runWell(own).out, "");
    }
    EXPECT_TRUE(readBytes(path("1.glb")) == readBytes(path("2.glb")));
}

TEST_F(BakeVerb, VirtualJointsAreReportedWrittenAndPlayed) {
    const BakeJson json = bake(arm(), {"--virtual", "6"}, "virtual.glb");
    EXPECT_EQ(json.at("chosen"), "virtual");
    EXPECT_EQ(json.at("virtual"), json.at("candidates").back().at("virtual"));
    EXPECT_EQ(json.at("bones"), 3 + json.at("virtual").get<int>());
    EXPECT_LT(errorIn(json, "rms"), 0.5 * errorIn(json.at("candidates")[1], "rms"));
    runWell({"deform", path("virtual.glb"), "--fps", "5", "-o", path("virtual.npy")});
    runWell({"deform", arm(), "--method", "ddm", "--fps", "5", "-o", path("mush.npy")});
    const BakeJson compared =
        runWell({"compare", path("virtual.npy"), path("mush.npy"), "--mesh", arm(), "--json"}).json();
    EXPECT_NEAR(errorIn(compared, "rms"), errorIn(json, "rms"), 1e-3 * errorIn(json, "rms") + 1e-7);
}

TEST_F(BakeVerb, ImpossibleVirtualJointsAreRefusedInOneLineAndNothingIsWritten) {
    for (const char* number : {"0", "-3", "2.5", "many", "65536", ""})
        expectFailure(refused(arm(), {"--virtual", number}), 2, "--virtual");
    expectFailure(refused(arm(), {"--virtual", "60000"}), 3, "less than the 60000 --virtual joints");
    expectFailure(refused(arm(), {"--virtual", "4", "--helpers", "2"}), 2, "--virtual joints and --helpers");
    expectFailure(refused(arm(), {"--virtual", "4", "--lock", "elbow"}), 2, "--virtual joints and --lock");
    for (const char* method : {"lbs", "dqs", "cor"})
        expectFailure(refused(arm(), {"--virtual", "4", "--from", method}), 2, "use --from ddm");
    runWell({"deform", arm(), "--fps", "5", "-o", path("frames.npy")});
    expectFailure(refused(arm(), {"--virtual", "4", "--fps", "5", "--from", path("frames.npy")}), 2, "use --from ddm");
    expectFailure(refused(arm(), {"--virtual", "4", "--clip", "nowhere"}), 3, "nowhere");
    runWell({"deform", arm(), "--bind-pose", "-o", path("bare.glb")});
    expectFailure(refused(path("bare.glb"), {"--virtual", "4"}), 3, "has no skeleton");
    EXPECT_FALSE(std::filesystem::exists(path("out.glb")));
}
