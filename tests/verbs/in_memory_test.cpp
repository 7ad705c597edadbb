// Verbs of the table on what a program has in memory.
#include <gtest/gtest.h>
#include <pelt/verbs/verb.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "made_scene.h"

namespace pelt::verbs {
namespace {

/// Keeps what verbs make.
class KeepingHost final : public Host {
public:
    std::map<std::string, Character> characters;  ///< by their own names, or that of the output
    std::vector<std::byte> bytes;
    bool finished = false;

    bool wants(std::string_view output, Kind kind) const override {
        return output == "output" && kind != (one_file ? Kind::folder : Kind::sequence);
    }
    void take(std::string_view output, const std::string& name, Character&& character) override {
        characters[name.empty() ? std::string(output) : name] = std::move(character);
    }
    void take(std::string_view, std::span<const std::byte> made) override { bytes.assign(made.begin(), made.end()); }
    void finish() override { finished = true; }

    bool one_file = false;
};

nlohmann::json reportOf(std::string_view verb, const Inputs& inputs, const OptionValues& options, Host& host) {
    return nlohmann::json::parse(run(*find(verb), inputs, options, host).json);
}

Given bar() { return {.name = "hero.glb", .character = &madeScene("bar", 300)}; }

std::string refusal(std::string_view verb, const Inputs& inputs, const OptionValues& options) {
    Host host;
    try {
        run(*find(verb), inputs, options, host);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_usage);
        return error.sentence();
    }
    return "";
}

}  // namespace

TEST(InMemory, InfoDescribesACharacter) {
    Host host;
    const auto report = reportOf("info", {{"file", {bar()}}}, {}, host);
    EXPECT_EQ(report.at("kind"), "character");
    EXPECT_EQ(report.at("file"), "hero.glb");
    EXPECT_EQ(report.at("vertices"), madeScene("bar", 300).mesh.vertexCount());
    EXPECT_EQ(report.at("joints").size(), report.at("bones").get<std::size_t>());
}

TEST(InMemory, WhatWasRepairedWhenTheFileWasReadIsReported) {
    const std::vector<std::string> repaired{"3 vertices had no valid weight"};
    Given given = bar();
    given.warnings = repaired;
    Host host;
    const auto problems = reportOf("info", {{"file", {given}}}, {}, host).at("problems");
    EXPECT_NE(std::find(problems.begin(), problems.end(), repaired[0]), problems.end()) << problems;
    const Report report = run(*find("clean"), {{"character", {given}}}, {}, host);
    EXPECT_EQ(report.warnings, std::vector<std::string>{"hero.glb: " + repaired[0]});
}

TEST(InMemory, InfoCountsTheFramesOfASequence) {
    const std::vector<Vec3f> frames = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
    const std::vector<Triangle> faces = {{0, 1, 2}};
    Given given{.name = "frames", .frames = frames, .vertex_count = 3};
    Host host;
    EXPECT_EQ(reportOf("info", {{"file", {given}}}, {}, host).at("triangles"), 0);
    Given mesh = given;
    mesh.frames = given.frames.first(3);
    mesh.triangles = faces;
    const auto report = reportOf("info", {{"file", {given}}, {"mesh", {mesh}}}, {}, host);
    EXPECT_EQ(report.at("kind"), "sequence");
    EXPECT_EQ(report.at("frames"), 2);
    EXPECT_EQ(report.at("triangles"), 1);
}

TEST(InMemory, LevelsOfDetailHaveNames) {
    KeepingHost host;
    const auto report = reportOf("lod", {{"character", {bar()}}}, {{"ratios", {"0.5,0.3"}}}, host);
    ASSERT_EQ(host.characters.size(), 2u);
    EXPECT_TRUE(host.finished);
    EXPECT_EQ(report.at("levels").size(), 2u);
    EXPECT_EQ(host.characters.at("hero_lod2").mesh.triangles.size(), report["levels"][1].at("triangles"));
    host.one_file = true;
    reportOf("lod", {{"character", {bar()}}}, {{"ratios", {0.5}}, {"one_file", {true}}}, host);
    EXPECT_GT(host.bytes.size(), 1000u);
}

TEST(InMemory, ASampleIsMadeByItsName) {
    KeepingHost host;
    const auto report = reportOf("sample", {}, {{"name", {"bar"}}, {"resolution", {300}}}, host);
    EXPECT_EQ(report.at("sample"), "bar");
    EXPECT_EQ(host.characters.at("output").mesh.positions, madeScene("bar", 300).mesh.positions);
    EXPECT_NE(refusal("sample", {}, {{"name", {"bipde"}}}).find("no sample 'bipde'; did you mean 'biped'?"),
              std::string::npos);
}

TEST(InMemory, AMeshGetsTheSkinOfACharacter) {
    const Mesh& mesh = madeScene("bar", 300).mesh;
    const Given cloth{
        .name = "cloth", .frames = mesh.positions, .vertex_count = mesh.vertexCount(), .triangles = mesh.triangles};
    KeepingHost host;
    const auto report = reportOf("transfer", {{"from", {bar()}}, {"to", {cloth}}}, {}, host);
    EXPECT_EQ(report.at("skeleton"), "given");
    EXPECT_EQ(host.characters.at("output").skeleton.joints.size(), madeScene("bar", 300).skeleton.joints.size());
}

}  // namespace pelt::verbs
