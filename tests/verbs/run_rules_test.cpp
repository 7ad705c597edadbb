// What verbs refuse, and how they speak of options.
#include <gtest/gtest.h>
#include <pelt/verbs/verb.h>

#include <nlohmann/json.hpp>

#include "made_scene.h"

namespace pelt::verbs {
namespace {

Given armInMemory() { return {.name = "arm.glb", .character = &madeScene("arm", 200)}; }

std::string ruleOf(std::string_view verb, const Inputs& inputs, const OptionValues& options) {
    Host host;
    try {
        run(*find(verb), inputs, options, host);
    } catch (const Error& error) {
        return error.sentence();
    }
    return "";
}

TEST(RunRules, LimitsAreForAClip) {
    const Given limits{.name = "limits", .json = R"({"default": {"bend": 10}})"};
    const Inputs inputs{{"character", {armInMemory()}}, {"limits", {limits}}};
    EXPECT_EQ(ruleOf("deform", inputs, {}), "`limits` requires `clip`");
    EXPECT_EQ(ruleOf("deform", inputs, {{"clip", {"@range"}}, {"fps", {1}}}), "");
}

TEST(RunRules, AFlagThatIsOffExcludesNothing) {
    const Given handles{.name = "handles", .json = R"({"handles": [{"joint": "shoulder", "constraint": "hold"}]})"};
    const Inputs inputs{{"character", {armInMemory()}}, {"handles", {handles}}};
    EXPECT_EQ(ruleOf("pose", inputs, {{"free", {true}}, {"keep_lengths", {true}}}), "`keep_lengths` excludes `free`");
    EXPECT_EQ(ruleOf("pose", inputs, {{"free", {false}}, {"keep_lengths", {true}}}), "");
}

TEST(RunRules, FramesAreBakedInsteadOfAMethod) {
    const Character& arm = madeScene("arm", 200);
    const std::vector<Vec3f> frames = arm.mesh.positions;
    const Given still{.name = "still", .frames = frames, .vertex_count = frames.size()};
    const Inputs inputs{{"character", {armInMemory()}}, {"from", {still}}};
    EXPECT_NE(ruleOf("bake", inputs, {{"from", {"lbs"}}}).find("`from` is given twice"), std::string::npos);
    Host host;
    const auto report = nlohmann::json::parse(run(*find("bake"), inputs, {{"frames", {":1"}}}, host).json);
    EXPECT_EQ(report.at("from"), "still");
    EXPECT_EQ(report.at("chosen"), "resolved");
}

/// They are those of the skin, also where a method that is baked has an option of that name.
TEST(RunRules, TheInfluencesOfABakeDoNotChangeWhatIsBaked) {
    const Inputs inputs{{"character", {armInMemory()}}};
    Host host;
    const auto rmsOf = [&](const OptionValues& options) {
        return nlohmann::json::parse(run(*find("bake"), inputs, options, host).json).at("rms").get<double>();
    };
    EXPECT_EQ(rmsOf({{"fps", {5}}, {"influences", {4}}}), rmsOf({{"fps", {5}}}));
}

/// Speaks of options in capitals.
class LoudHost final : public Host {
public:
    std::string worded(const std::string& message) const override {
        std::string loud = message;
        for (char& c : loud) c = char(std::toupper(static_cast<unsigned char>(c)));
        return loud;
    }
};

TEST(RunRules, TheHostWordsWarningsAndTexts) {
    LoudHost host;
    const Report report =
        run(*find("deform"), {{"character", {armInMemory()}}}, {{"sigma", {0.2}}, {"fps", {1}}}, host);
    ASSERT_EQ(report.warnings.size(), 1u);
    EXPECT_EQ(report.warnings[0], "arm.glb: `SIGMA` HAS NO EFFECT ON LBS");
    EXPECT_NE(report.text.find("VERTICES (LBS)"), std::string::npos);
}

}  // namespace
}  // namespace pelt::verbs
