// Which joints pelt bind gives skin to.
#include "cli/support/glb_file.h"
#include "cli/support/program.h"

namespace {

class BindJoints : public CliTest {};

GlbFile withoutWeights(const std::string& file) {
    GlbFile glb(file);
    glb.primitive()["attributes"].erase("JOINTS_0");
    glb.primitive()["attributes"].erase("WEIGHTS_0");
    return glb;
}

/// The text and JSON reports of binding. There is a warning about the missing weights.
std::pair<std::string, nlohmann::json> boundBothWays(const std::string& in, const std::string& out,
                                                     const char* method) {
    std::vector<std::string> words = {"bind", in, "--method", method, "--lattice", "4000", "-o", out};
    const RunResult said = runPelt(words);
    words.push_back("--json");
    const RunResult as_json = runPelt(words);
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_EQ(as_json.status, 0) << as_json.err;
    return {said.out, as_json.json()};
}

TEST_F(BindJoints, JointsCalledTipsCarrySkinAndTheMessageSaysHowManyDo) {
    runWell({"sample", "branch", "--resolution", "1500", "-o", path("branch.glb")});
    withoutWeights(path("branch.glb")).save(path("bare.glb"));
    for (const char* method : {"rigid", "bbw"}) {
        const auto [said, bound] = boundBothWays(path("bare.glb"), path("b.glb"), method);
        EXPECT_NE(said.find("bound to 5 joints, "), std::string::npos) << said;
        EXPECT_EQ(bound.at("joints_with_skin"), 5) << method;
        EXPECT_EQ(bound.at("bones"), 5) << method;
    }
}

TEST_F(BindJoints, AnEndSiteIsLeftOutAndTheMessageSaysSo) {
    runWell({"sample", "bar3", "--resolution", "600", "-o", path("bar3.glb")});
    GlbFile glb = withoutWeights(path("bar3.glb"));
    nlohmann::json& skin = glb.json["skins"][0];
    std::vector<float> binds = glb.floats(skin["inverseBindMatrices"]);  // the last joint is at the end of the bar
    for (std::size_t k = 12; k < 15; ++k) binds[32 + k] = binds[k] + 3 * (binds[16 + k] - binds[k]);
    const std::size_t moved = glb.addFloats(binds, "MAT4");
    glb.json["accessors"][moved]["count"] = 3;
    skin["inverseBindMatrices"] = moved;
    glb.json["nodes"][skin["joints"][2].get<std::size_t>()]["name"] = "bar_end";
    glb.save(path("bare.glb"));
    for (const char* method : {"rigid", "bbw"}) {
        const auto [said, bound] = boundBothWays(path("bare.glb"), path("b.glb"), method);
        EXPECT_NE(said.find("bound to 2 of 3 joints, "), std::string::npos) << said;
        EXPECT_EQ(bound.at("joints_with_skin"), 2) << method;
        EXPECT_EQ(bound.at("bones"), 3) << method;
    }
}

TEST_F(BindJoints, BindIsSmoothUnlessSaidOtherwiseAndKeepsHowSureItWas) {
    runWell({"sample", "branch", "--resolution", "1500", "-o", path("branch.glb")});
    const nlohmann::json bound = runWell({"bind", path("branch.glb"), "-o", path("b.glb"), "--json"}).json();
    EXPECT_EQ(bound.at("method"), "smooth");
    EXPECT_EQ(bound.at("from"), "network");
    EXPECT_GT(bound.at("max_influences"), 1);
    EXPECT_LE(bound.at("max_influences"), 4);
    EXPECT_EQ(runPelt({"render", path("b.glb"), "--color", "confidence", "-o", path("sure.png")}).status, 0);
}

TEST_F(BindJoints, AUserSaysWhichJointsCarrySkin) {
    runWell({"sample", "bar3", "--resolution", "600", "-o", path("bar3.glb")});
    withoutWeights(path("bar3.glb")).save(path("bare.glb"));
    const auto with = [&](const std::string& verb, const char* option, const char* joints) {
        return runPelt({verb, path("bare.glb"), option, joints, "-o", path("b.glb"), "--json"});
    };
    for (const auto& [option, joints] : {std::pair{"--joints", "joint0,joint2"}, {"--exclude-joints", "joint1"}}) {
        const RunResult bound = with("bind", option, joints);
        EXPECT_EQ(bound.status, 0) << bound.err;
        EXPECT_EQ(bound.json().at("joints_with_skin"), 2) << option;
        EXPECT_EQ(with("mush", option, joints).status, 0) << option;
    }
    for (const char* verb : {"bind", "mush"}) {
        EXPECT_NE(with(verb, "--joints", "elbow").err.find("no joint 'elbow'"), std::string::npos) << verb;
        EXPECT_EQ(with(verb, "--joints", "elbow").status, 3) << verb;
        EXPECT_EQ(with(verb, "--exclude-joints", "joint0,joint1,joint2").status, 3) << verb;
    }
}

}  // namespace
