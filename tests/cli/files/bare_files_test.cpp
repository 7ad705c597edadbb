// Characters without weights, or with clips that show nothing.
#include "cli/support/glb_file.h"
#include "cli/support/mush_fixture.h"

/// Files that lack something: weights, motion.
namespace {

class BareFiles : public MushTest {
protected:
    /// The bar without its weights.
    std::string bare() {
        GlbFile file(bar());
        for (const char* name : {"JOINTS_0", "WEIGHTS_0", "JOINTS_1", "WEIGHTS_1"})
            file.primitive()["attributes"].erase(name);
        file.save(path("bare.glb"));
        return path("bare.glb");
    }
    /// A character with a clip of its bind pose before its own.
    static void addStillClip(const std::string& from, const std::string& to) {
        GlbFile file(from);
        const std::size_t times = file.addFloats({0, 1}, "SCALAR"),
                          turns = file.addFloats({0, 0, 0, 1, 0, 0, 0, 1}, "VEC4");
        file.json["accessors"][times]["min"] = {0.0};
        file.json["accessors"][times]["max"] = {1.0};
        nlohmann::json clip = {{"name", "T-Pose"},
                               {"samplers", {{{"input", times}, {"output", turns}}}},
                               {"channels", nlohmann::json::array()}};
        const auto& joints = file.json["skins"][0]["joints"];
        for (const auto& joint : joints) {
            const auto node = file.json["nodes"][joint.get<std::size_t>()];
            if (!node.contains("rotation"))
                clip["channels"].push_back({{"sampler", 0}, {"target", {{"node", joint}, {"path", "rotation"}}}});
        }
        auto& animations = file.json["animations"];
        animations.insert(animations.begin(), clip);
        file.save(to);
    }
};

TEST_F(BareFiles, AreBoundByEveryVerbThatNeedsWeightsWhichSaysSo) {
    const std::string file = bare();
    const auto bound = [&](Words words) {
        words.insert(words.begin() + 1, file);
        const RunResult told = runPelt(words);  // that the file has no weights is a warning
        EXPECT_EQ(told.status, 0) << words[0] << told.err;
        EXPECT_NE(told.out.find("no skin weights: bound to "), std::string::npos) << words[0] << told.out;
        EXPECT_NE(told.out.find("by the nearest bone, sure of "), std::string::npos) << words[0] << told.out;
        words.push_back("--json");
        const auto json = runPelt(words).json();
        EXPECT_GT(json["bound"]["joints_with_skin"], 1) << words[0];
        EXPECT_GT(json["bound"]["sure"], 0.9) << words[0];
    };
    bound({"mush", "-o", path("m.glb")});
    bound({"deform", "--frames", ":2", "-o", path("d.npy")});
    bound({"bake", "--fps", "5", "-o", path("b.glb")});
    bound({"limit", "-o", path("l.glb")});
    bound({"mirror", "--axis", "z", "-o", path("s.glb")});
    // As pelt bind does it.
    EXPECT_EQ(runPelt({"bind", file, "--method", "rigid", "-o", path("bound.glb")}).status, 0);
    runWell({"deform", path("bound.glb"), "--frames", ":2", "-o", path("e.npy")});
    EXPECT_EQ(readBytes(path("d.npy")), readBytes(path("e.npy")));
    EXPECT_FALSE(runWell({"mush", bar(), "-o", path("m.glb"), "--json"}).json().contains("bound"));
}

TEST_F(BareFiles, WhoseSkeletonIsNotInTheMeshAreBoundWithAWarning) {
    GlbFile file(bare());
    const auto skin = file.json["skins"][0];
    std::vector<float> binds = file.floats(skin["inverseBindMatrices"]);
    for (std::size_t j = 0; j < binds.size() / 16; ++j) binds[16 * j + 12] += 50, binds[16 * j + 13] += 30;
    file.json["skins"][0]["inverseBindMatrices"] = file.addFloats(binds, "MAT4");
    file.save(path("apart.glb"));
    const RunResult told = runPelt({"mush", path("apart.glb"), "-o", path("m.glb")});
    EXPECT_EQ(told.status, 0);
    EXPECT_NE(told.err.find("look at the result"), std::string::npos) << told.err;
}

TEST_F(BareFiles, AClipThatStandsStillIsNotWhatASkinIsJudgedBy) {
    addStillClip(sample("arm"), path("still.glb"));
    const auto with = [&](const std::string& file, const Words& more) {
        Words words = {"bake", file, "--fps", "5", "-o", path("b.glb"), "--json"};
        words.insert(words.end(), more.begin(), more.end());
        const RunResult run = runPelt(words);
        EXPECT_EQ(run.status, 0) << run.err;
        return run.json();
    };
    const auto own = with(sample("arm"), {}), beside = with(path("still.glb"), {});
    EXPECT_EQ(beside["e_rms"], own["e_rms"]);
    EXPECT_EQ(own["warnings"].size(), 0U);
    ASSERT_EQ(beside["warnings"].size(), 1U);
    EXPECT_NE(beside["warnings"][0].get<std::string>().find("clip 'T-Pose' stands still and does not count"),
              std::string::npos);
    // Chosen by name it says no more: the range of motion judges.
    const auto chosen = with(path("still.glb"), {"--clip", "T-Pose"});
    EXPECT_EQ(chosen["e_rms"], chosen["range_of_motion"]["e_rms"]);
    const auto limited =
        runWell({"limit", path("still.glb"), "--influences", "1", "-o", path("l.glb"), "--json"}).json();
    EXPECT_EQ(limited["e_rms"],
              runWell({"limit", sample("arm"), "--influences", "1", "-o", path("l.glb"), "--json"}).json()["e_rms"]);
}

TEST_F(BareFiles, JointsWithoutVerticesAreAProblemOnlyIfTheOtherSideHasSome) {
    const std::string biped = madeOnce("biped300.glb", {"sample", "biped", "--resolution", "300"});
    GlbFile file(biped);
    auto& joints = file.json["skins"][0]["joints"];
    std::vector<float> binds = file.floats(file.json["skins"][0]["inverseBindMatrices"]);
    for (const char* name : {"root", "hand_slot_L"}) {
        joints.push_back(file.json["nodes"].size());
        file.json["scenes"][0]["nodes"].push_back(file.json["nodes"].size());
        file.json["nodes"].push_back({{"name", name}});
        for (int i = 0; i < 16; ++i) binds.push_back(i % 5 == 0 ? 1.0f : 0.0f);
    }
    file.json["skins"][0]["inverseBindMatrices"] = file.addFloats(binds, "MAT4");
    file.save(path("more.glb"));
    const auto info = runWell({"info", path("more.glb"), "--json"}).json();
    EXPECT_EQ(info["joints_without_vertices"],
              runWell({"info", biped, "--json"}).json()["joints_without_vertices"].get<int>() + 2);
    EXPECT_EQ(info["problems"], nlohmann::json::array());
    for (auto& node : file.json["nodes"])
        if (node.value("name", "") == "hand_slot_L")
            node["name"] = "thigh_R";
        else if (node.value("name", "") == "thigh_R")
            node["name"] = "hip";
    file.save(path("lost.glb"));
    EXPECT_EQ(runWell({"info", path("lost.glb"), "--json"}).json()["problems"].size(), 1U);
}

}  // namespace
