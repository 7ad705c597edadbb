// pelt transfer.
#include <fstream>

#include "cli/support/decompose_fixture.h"
#include "cli/support/mush_fixture.h"
#include "shared_data.h"

namespace {

using TransferJson = nlohmann::json;

class TransferVerb : public MushTest {
protected:
    TransferJson transfer(const std::string& from, const std::string& to, const Words& words = {}) {
        Words all{"transfer", from, to, "-o", path("out.glb"), "--json"};
        all.insert(all.end(), words.begin(), words.end());
        return runWell(all).json();
    }
    /// The mesh of a character alone.
    std::string bareMesh(const std::string& character, const std::string& name) {
        runWell({"deform", character, "--bind-pose", "-o", path(name)});
        return path(name);
    }
};

}  // namespace

TEST_F(TransferVerb, ABareMeshGetsSkinSkeletonAndClips) {
    const std::string arm = sample("arm", "600");
    const TransferJson json = transfer(arm, bareMesh(arm, "bare.obj"));
    EXPECT_EQ(json.at("verb"), "transfer");
    EXPECT_EQ(json.at("skeleton"), "given");
    EXPECT_EQ(json.at("copied"), json.at("vertices"));
    EXPECT_EQ(json.at("filled"), 0);
    EXPECT_LT(farthest(deform(arm, "lbs"), deform(path("out.glb"), "lbs")), 1e-4);
    if (!expectValid({path("out.glb")}, path("report"))) GTEST_SKIP() << "needs node and gltf-validator";
}

TEST_F(TransferVerb, AGlbWithoutASkinKeepsItsMaterials) {
    const std::string arm = sample("arm", "600");
    GlbFile bare(arm);
    bare.json.erase("skins");
    bare.json.erase("animations");
    for (auto& node : bare.json["nodes"]) node.erase("skin");
    for (const char* name : {"JOINTS_0", "WEIGHTS_0"}) bare.primitive()["attributes"].erase(name);
    bare.json["materials"] = {{{"name", "tweed"}, {"extras", {{"shop", 7}}}}};
    bare.save(path("bare.glb"));
    EXPECT_EQ(transfer(arm, path("bare.glb")).at("skeleton"), "given");
    const GlbFile out(path("out.glb"));
    EXPECT_EQ(out.json["materials"][0]["extras"]["shop"], 7);
    EXPECT_TRUE(out.primitive()["attributes"].contains("_CONFIDENCE"));
    EXPECT_LT(farthest(deform(arm, "lbs"), deform(path("out.glb"), "lbs")), 1e-4);
    if (!expectValid({path("out.glb")}, path("report"))) GTEST_SKIP() << "needs node and gltf-validator";
}

TEST_F(TransferVerb, AMeshKeepsASkeletonThatHasTheJointsAndLosesOneThatHasNot) {
    const std::string fine = sample("arm", "900"), bar = sample("bar");
    runWell({"bind", fine, "--method", "rigid", "-o", path("rigid.glb")});
    EXPECT_EQ(transfer(fine, path("rigid.glb")).at("skeleton"), "kept");
    EXPECT_LT(farthest(deform(fine, "lbs"), deform(path("out.glb"), "lbs")), 1e-4);

    GlbFile renamed(fine);
    for (auto& node : renamed.json["nodes"]) node["name"] = "other_" + node.value("name", "");
    renamed.save(path("other.glb"));
    const RunResult replaced = runPelt({"transfer", fine, path("other.glb"), "-o", path("out.glb"), "--json"});
    ASSERT_EQ(replaced.status, 0);
    EXPECT_EQ(replaced.json().at("skeleton"), "replaced");
    EXPECT_NE(replaced.err.find("the result has the skeleton of"), std::string::npos);
    EXPECT_EQ(GlbFile(path("out.glb")).json["skins"].size(), 1u);
    EXPECT_LT(farthest(deform(fine, "lbs"), deform(path("out.glb"), "lbs")), 1e-4);
    if (!expectValid({path("out.glb")}, path("report"))) GTEST_SKIP() << "needs node and gltf-validator";
}

TEST_F(TransferVerb, ConfidenceIsShownByRender) {
    const std::string arm = sample("arm", "600");
    transfer(arm, bareMesh(arm, "bare.obj"));
    const Words picture{"--size", "64x64", "-o", path("p.png"), "-q"};
    Words words{"render", path("out.glb"), "--color", "confidence"};
    words.insert(words.end(), picture.begin(), picture.end());
    runWell(words);
    words[1] = arm;
    expectFailure(runPelt(words), 3, "has no map _CONFIDENCE to show");
}

TEST_F(TransferVerb, BadInputIsOneLineAndLeavesTheOldFile) {
    const std::string arm = sample("arm"), bare = bareMesh(arm, "bare.obj");
    writeBytes(path("out.glb"), "old");
    expectFailure(runPelt({"transfer", bare, arm, "-o", path("out.glb")}), 3, "is not a character file");
    expectFailure(runPelt({"transfer", arm, path("none.obj"), "-o", path("out.glb")}), 3, "none.obj");
    expectFailure(runPelt({"transfer", arm, bare, "-o", arm}), 2, "would change the input");
    expectFailure(runPelt({"transfer", arm, bare, "-o", path("out.glb"), "--angle", "0"}), 2, "--angle");
    std::ofstream(path("far.obj")) << "v 900 0 0\nv 901 0 0\nv 900 1 0\nf 1 2 3\n";
    expectFailure(runPelt({"transfer", arm, path("far.obj"), "-o", path("out.glb")}), 3, "must lie on each other");
    EXPECT_EQ(readBytes(path("out.glb")), "old");
}

TEST_F(TransferVerb, TheNumberOfThreadsChangesNoByte) {
    const std::string arm = sample("arm", "900");
    const std::string to = bareMesh(sample("arm", "600"), "bare.obj");
    transfer(arm, to, {"--threads", "1"});
    const std::string one = readBytes(path("out.glb"));
    transfer(arm, to, {"--threads", "4"});
    EXPECT_EQ(readBytes(path("out.glb")), one);
}

TEST_F(TransferVerb, RealCharactersTakeTheirOwnSkinBack) {
    PELT_NEEDS_SHARED("data/rigged/kaykit/Knight.glb");
    for (const char* name :
         {"khronos/CesiumMan/glTF-Binary/CesiumMan.glb", "raylib/robot.glb", "webxr-hand/left.glb"}) {
        const std::string file = sharedPath("data/rigged").string() + "/" + name;
        if (!std::filesystem::exists(file)) continue;
        const RunResult run = runPelt({"transfer", file, file, "-o", path("out.glb"), "--json"});
        ASSERT_EQ(run.status, 0) << run.err;
        EXPECT_EQ(run.json().at("skeleton"), "kept") << name;
        const Words range{"--clip", "@range", "--frames", "::30", "--no-props"};
        EXPECT_LT(farthest(deform(file, "lbs", range), deform(path("out.glb"), "lbs", range)), 1e-3) << name;
    }
}
