// pelt decompose.
#include <pelt/io/sequence_file.h>

#include <algorithm>
#include <cmath>

#include "cli/support/decompose_fixture.h"
#include "shared_data.h"

namespace {

using Json = nlohmann::json;

class Decompose : public DecomposeTest {};

double number(const Json& json, const char* key) { return json.at(key).get<double>(); }

Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

const std::vector<Words> kForms = {{},
                                   {"--skeleton"},
                                   {"--bones-kind", "flexible"},
                                   {"--bones-kind", "flexible", "--skeleton"},
                                   {"--eigenskin", "3"},
                                   {"--eigenskin", "2", "--skeleton", "--rest-correction", "off"},
                                   {"--influences", "1"},
                                   {"--influences", "0"}};

std::string joinedWords(const Words& words) {
    std::string text;
    for (const std::string& word : words) text += word + " ";
    return text;
}

}  // namespace

TEST_F(Decompose, TheErrorInJsonIsTheOneThatAReaderOfItsOwnFindsInTheFile) {
    const std::string input = barFrames();
    const Frames frames = readFrames(input);
    for (const Words& form : kForms) {
        SCOPED_TRACE(joinedWords(form));
        const Json json = decompose(with({input, "--rest", bar(), "--bones", "6"}, form));
        const PlayedError played = playedError(path("out.glb"), {frames});
        EXPECT_GT(played.rms, 1e-5);  // otherwise the numbers below would be meaningless
        EXPECT_NEAR(number(json, "rms"), played.rms, 2e-7 + 1e-4 * played.rms);
        EXPECT_NEAR(number(json, "max"), played.max, 1e-6 + 1e-4 * played.max);
    }
}

TEST_F(Decompose, ERmsIsThePapersWithTheRestPoseInTheUnitBall) {
    const Json json = decompose({barFrames(), "--rest", bar(), "--bones", "4"});
    runWell({"deform", bar(), "--bind-pose", "-o", path("rest.npy")});
    const double radius = roughRadius(readFrames(path("rest.npy"))[0]);
    EXPECT_NEAR(number(json, "e_rms"), 1000 * number(json, "rms") / std::sqrt(3.0) / radius,
                2e-3 * number(json, "e_rms"));
}

TEST_F(Decompose, CompareOfTheOutputWithTheInputGivesTheSameError) {
    const std::string input = barFrames();
    for (const Words& form : kForms) {
        SCOPED_TRACE(joinedWords(form));
        const Json json = decompose(with({input, "--rest", bar(), "--bones", "5"}, form));
        const Json compared = runWell({"compare", path("out.glb"), input, "--mesh", bar(), "--json"}).json();
        for (const char* key : {"rms", "max", "e_rms"})
            EXPECT_NEAR(number(json, key), number(compared, key), 1e-6 * number(compared, key)) << key;
    }
}

TEST_F(Decompose, TheFileHasTheVerticesOfTheRestOnePrimitiveAndAKeyAFrame) {
    const std::string rest = sheet("rest", 1), frames = sheet("roll", 7);
    for (const Words& form : kForms) {
        SCOPED_TRACE(joinedWords(form));
        const Json json = decompose(with({frames, "--rest", rest + "/frame_000.obj", "--bones", "4"}, form));
        const GlbFile file(path("out.glb"));
        ASSERT_EQ(file.json["meshes"].size(), 1u);
        ASSERT_EQ(file.json["meshes"][0]["primitives"].size(), 1u);
        EXPECT_EQ(file.json["animations"][0]["name"], "roll");
        EXPECT_EQ(GlbPlayer(file, 0).times().size(), 7u);
        EXPECT_EQ(json.at("bones"), 4);
        EXPECT_LE(file.json["skins"][0]["joints"].size(), 5u);
        const Json& attributes = file.primitive()["attributes"];
        for (const char* name : {"POSITION", "NORMAL", "TEXCOORD_0", "JOINTS_0", "WEIGHTS_0"})
            EXPECT_TRUE(attributes.contains(name)) << name;
        // The correction moves the flat sheet only slightly out of its plane; its UVs are its positions.
        const std::vector<float> positions = file.floats(attributes["POSITION"]);
        const std::vector<float> uvs = file.floats(attributes["TEXCOORD_0"]);
        ASSERT_EQ(positions.size(), 3u * 81);
        for (std::size_t v = 0; v < 81; ++v) {
            EXPECT_NEAR(positions[3 * v], double(v % 9) / 8, 0.1);
            EXPECT_NEAR(positions[3 * v + 1], double(v / 9) / 8, 0.1);
            EXPECT_NEAR(uvs[2 * v], double(v % 9) / 8, 1e-4);
        }
        EXPECT_EQ(file.count(file.primitive()["indices"]), 3u * 128);
        EXPECT_EQ(json.at("triangles"), 128);
    }
}

TEST_F(Decompose, WithoutCorrectionTheRestPoseStaysAsItWas) {
    decompose({sheet("roll", 5), "--bones", "3", "--rest-correction", "off"});
    const GlbFile file(path("out.glb"));
    const std::vector<float> positions = file.floats(file.primitive()["attributes"]["POSITION"]);
    for (std::size_t v = 0; v < 81; ++v) EXPECT_NEAR(positions[3 * v], double(v % 9) / 8, 1e-6);
}

TEST_F(Decompose, TheKhronosValidatorFindsNothing) {
    const std::string input = barFrames();
    Words files;
    for (const Words& form : kForms) {
        decompose(with({input, "--rest", bar(), "--bones", "5"}, form), std::to_string(files.size()) + ".glb");
        files.push_back(path(std::to_string(files.size()) + ".glb"));
    }
    decompose({sheet("still", 1), "--bones", "1"}, "still.glb");
    files.push_back(path("still.glb"));
    decompose({sheet("roll", 4), "--bones", "90"}, "many.glb");
    files.push_back(path("many.glb"));
    if (!expectValid(files, path("report"))) GTEST_SKIP() << "needs node and gltf-validator";
}

TEST_F(Decompose, SameBytesWhateverTheThreads) {
    runWell({"sample", "branch", "--resolution", "1200", "--skin", "smooth", "-o", path("branch.glb")});
    runWell({"deform", path("branch.glb"), "--method", "dqs", "--frames", "::10", "-o", path("branch.npy")});
    for (const Words& form : std::vector<Words>{{}, {"--skeleton", "--eigenskin", "2"}, {"--bones-kind", "flexible"}}) {
        const Words words = with({path("branch.npy"), "--rest", path("branch.glb"), "--bones", "7"}, form);
        Json one = decompose(with(words, {"--threads", "1"}), "1.glb");
        Json two = decompose(with(words, {"--threads", "2"}), "2.glb");
        EXPECT_TRUE(readBytes(path("1.glb")) == readBytes(path("2.glb"))) << joinedWords(form);
        for (Json* json : {&one, &two})
            for (const char* key : {"stages", "output"}) json->erase(key);
        EXPECT_EQ(one, two);
    }
}

TEST_F(Decompose, ASeedIsAnotherStartAndTheSameOneTheSameBytes) {
    const Words words = {barFrames(), "--rest", bar(), "--bones", "6", "--seed"};
    for (const auto& [seed, output] :
         std::vector<std::pair<std::string, std::string>>{{"0", "0.glb"}, {"7", "7.glb"}, {"7", "7-again.glb"}})
        decompose(with(words, {seed}), output);
    EXPECT_TRUE(readBytes(path("7.glb")) == readBytes(path("7-again.glb")));
    EXPECT_FALSE(readBytes(path("7.glb")) == readBytes(path("0.glb")));
}

TEST_F(Decompose, SeveralSequencesBecomeClipsOfOneSkin) {
    const std::string a = sheet("roll", 6), b = sheet("half", 4, 9, -0.5);
    std::filesystem::create_directory(path("other"));
    const std::string again = sheet("other/roll", 3, 9, 0.3);
    const Json json = decompose({a, b, again, "--bones", "4"});
    const GlbFile file(path("out.glb"));
    ASSERT_EQ(file.json["animations"].size(), 3u);
    EXPECT_EQ(file.json["animations"][0]["name"], "roll");
    EXPECT_EQ(file.json["animations"][1]["name"], "half");
    EXPECT_EQ(file.json["animations"][2]["name"], "roll_2");
    EXPECT_EQ(json.at("frames"), 13);
    std::vector<Frames> clips;
    for (const std::string& folder : {a, b, again}) {
        const auto sequence = pelt::io::openSequence(folder);
        clips.emplace_back(sequence->frameCount(), std::vector<pelt::Vec3f>(sequence->vertexCount()));
        for (std::size_t f = 0; f < clips.back().size(); ++f) sequence->readFrame(f, clips.back()[f]);
    }
    const PlayedError played = playedError(path("out.glb"), clips);
    EXPECT_NEAR(number(json, "rms"), played.rms, 1e-7 + 1e-4 * played.rms);
    EXPECT_NEAR(number(json, "max"), played.max, 1e-6 + 1e-4 * played.max);
}

TEST_F(Decompose, EigenSkinLowersTheErrorAndSaysByHowMuch) {
    const std::string input = barFrames();
    const double plain = number(decompose({input, "--rest", bar(), "--bones", "4"}), "e_rms");
    double before = plain;
    for (const char* rank : {"1", "4"}) {
        const Json json = decompose({input, "--rest", bar(), "--bones", "4", "--eigenskin", rank});
        EXPECT_NEAR(number(json, "e_rms_without_eigenskin"), plain, 1e-3 * plain);
        EXPECT_LT(number(json, "e_rms"), 0.95 * before) << rank;
        EXPECT_LT(number(json, "e_rms_world_eigenskin"), 0.95 * before) << rank;
        before = number(json, "e_rms");
        EXPECT_EQ(GlbFile(path("out.glb")).primitive()["targets"].size(), std::size_t(std::stoi(rank)));
    }
}

TEST_F(Decompose, AutoTakesTheFewestBonesThatReachTheTolerance) {
    const std::string input = barFrames();
    const Json json = decompose({input, "--rest", bar(), "--bones", "auto", "--tolerance", "4"});
    EXPECT_LE(number(json, "e_rms"), 4);
    const Json& trials = json.at("trials");
    ASSERT_FALSE(trials.empty());
    bool listed = false;
    for (std::size_t t = 0; t < trials.size(); ++t) {
        if (t > 0) {
            EXPECT_GT(trials[t].at("bones"), trials[t - 1].at("bones"));
        }
        listed = listed || trials[t].at("bones") == json.at("bones");
        if (trials[t].at("bones") < json.at("bones")) {
            EXPECT_GT(number(trials[t], "e_rms"), 4);
        }
    }
    EXPECT_TRUE(listed);
    // A tolerance without a number of bones means the same.
    EXPECT_EQ(decompose({input, "--rest", bar(), "--tolerance", "4"}).at("bones"), json.at("bones"));
}

TEST_F(Decompose, AToleranceThatIsMissedIsStatus4AndTheFileIsThere) {
    const RunResult result =
        runPelt({"decompose", sheet("roll", 5), "--bones", "1", "--tolerance", "0.01", "-o", path("o.glb"), "--json"});
    EXPECT_EQ(result.status, 4);
    EXPECT_TRUE(result.oneErrorLine()) << result.err;
    EXPECT_GT(number(result.json(), "e_rms"), 0.01);
    EXPECT_TRUE(std::filesystem::exists(path("o.glb")));
}

TEST_F(Decompose, TellsInJsonWhatItDid) {
    const Json json = decompose({barFrames(), "--rest", bar(), "--bones", "5", "--skeleton"});
    EXPECT_EQ(json.at("verb"), "decompose");
    EXPECT_EQ(json.at("vertices"), 398);
    EXPECT_EQ(json.at("bones"), 5);
    EXPECT_LE(json.at("influences"), 4);
    const int frames = json.at("frames");
    EXPECT_EQ(json.at("clips"), Json::parse("[{\"name\": \"bar\", \"frames\": " + std::to_string(frames) + "}]"));
    // The objective after each step: it never increases except when a bone is reinitialized.
    const Json& steps = json.at("steps");
    ASSERT_GT(steps.size(), 2u);
    EXPECT_EQ(steps[0].at("name"), "initialize");
    for (std::size_t s = 1; s < steps.size(); ++s)
        if (steps[s].at("name") != "reinitialize") {
            EXPECT_LE(number(steps[s], "e_rms"), number(steps[s - 1], "e_rms") * (1 + 1e-9)) << s;
        }
    // Without edge terms, this is the error.
    const Json plain = decompose({barFrames(), "--rest", bar(), "--bones", "5", "--skeleton", "--smoothness", "0"});
    EXPECT_NEAR(number(plain.at("steps").back(), "e_rms"), number(plain, "e_rms"), 1e-3 * number(plain, "e_rms"));
    EXPECT_GE(json.at("reinitialized"), 0);
    ASSERT_EQ(json.at("spheres").size(), 5u);
    for (const Json& sphere : json["spheres"]) {
        EXPECT_EQ(sphere.at("center").size(), 3u);
        EXPECT_GE(number(sphere, "radius"), 0);
    }
    ASSERT_EQ(json.at("joints").size(), 5u);
    int roots = 0;
    for (const Json& joint : json["joints"]) roots += joint.at("parent") == -1;
    EXPECT_EQ(roots, 1);
    const double stored = 398 * 3 + 2 * 398 * json["influences"].get<double>() + 7.0 * 5 * frames;
    EXPECT_EQ(number(json.at("compression"), "stored_numbers"), stored);
    EXPECT_EQ(number(json["compression"], "input_numbers"), 3.0 * 398 * frames);
    EXPECT_NEAR(number(json["compression"], "ratio"), 3.0 * 398 * frames / stored, 1e-9);
    Words stages;
    for (const Json& stage : json.at("stages")) stages.push_back(stage.at("name"));
    EXPECT_EQ(stages, (Words{"load", "decompose", "measure", "write"}));
}

TEST_F(Decompose, TheJointsInJsonAreThoseOfTheFile) {
    const Json json = decompose({barFrames(), "--rest", bar(), "--bones", "5", "--skeleton"});
    const Json info = runWell({"info", path("out.glb"), "--json"}).json();
    ASSERT_EQ(info.at("joints").size(), 5u);
    for (const Json& joint : json.at("joints")) {
        const auto found = std::find_if(info["joints"].begin(), info["joints"].end(),
                                        [&](const Json& other) { return other["name"] == joint.at("name"); });
        ASSERT_NE(found, info["joints"].end());
        const int parent = joint.at("parent"), stored = found->at("parent");
        if (parent < 0) {
            EXPECT_EQ(stored, -1);
        } else {
            EXPECT_EQ(info["joints"][std::size_t(stored)]["name"], json["joints"][std::size_t(parent)]["name"]);
        }
    }
}

TEST_F(Decompose, SaysOneLineAndNothingWhereQuietIsAsked) {
    const std::string input = sheet("roll", 4);
    const std::string said = runWell({"decompose", input, "--bones", "2", "-o", path("o.glb")}).out;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    EXPECT_NE(said.find("o.glb: 4 frames of 81 vertices on 2 bones"), std::string::npos) << said;
    const RunResult quiet = runPelt({"decompose", input, "--bones", "2", "-o", path("o.glb"), "--quiet"});
    EXPECT_EQ(quiet.out + quiet.err, "");
    EXPECT_EQ(quiet.status, 0);
}

TEST_F(Decompose, TheGoldenCaseReachesItsBound) {
    PELT_NEEDS_SHARED("golden/ssdr");
    const std::string golden = sharedPath("golden/ssdr").string();
    const Json bounds = Json::parse(readBytes(golden + "/case.json"));
    const Json json =
        decompose({golden + "/poses", "--rest", golden + "/rest.obj", "--bones",
                   std::to_string(bounds["bones"].get<int>()), "--influences", std::to_string(bounds["K"].get<int>())});
    EXPECT_LE(number(json, "e_rms"), number(bounds, "E_RMS_bound"));
    EXPECT_LE(json.at("influences"), bounds["K"]);
}
