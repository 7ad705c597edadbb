// pelt clean.
#include "cli/support/mush_fixture.h"
#include "shared_data.h"

namespace {

using CleanJson = nlohmann::json;

class CleanVerb : public MushTest {
protected:
    CleanJson clean(const std::string& input, const Words& words = {}) {
        Words all{"clean", input, "-o", path("clean.glb"), "--json"};
        all.insert(all.end(), words.begin(), words.end());
        return runWell(all).json();
    }
    /// A character with tiny weights and a key repeated in every channel.
    std::string littered() {
        const std::string file = sample("arm");
        GlbFile glb(file);
        CleanJson& attributes = glb.primitive()["attributes"];
        std::vector<float> weights = glb.floats(attributes["WEIGHTS_0"]);
        for (std::size_t i = 3; i < weights.size(); i += 4)
            if (weights[i] == 0) weights[i] = 5e-5F;  // of joint 0
        attributes["WEIGHTS_0"] = glb.addFloats(weights, "VEC4");
        CleanJson& sampler = glb.json["animations"][0]["samplers"][0];
        std::vector<float> times = glb.floats(sampler["input"]), values = glb.floats(sampler["output"]);
        const std::size_t width = values.size() / times.size();
        const float end = times.back() + 1;
        for (int k = 0; k < 10; ++k) {
            times.push_back(end + 0.1F * float(k));
            for (std::size_t i = 0; i < width; ++i) values.push_back(values[values.size() - width]);
        }
        sampler["input"] = glb.addFloats(times, "SCALAR");
        glb.json["accessors"][sampler["input"].get<std::size_t>()]["min"] = {times.front()};
        glb.json["accessors"][sampler["input"].get<std::size_t>()]["max"] = {times.back()};
        sampler["output"] = glb.addFloats(values, width == 4 ? "VEC4" : "VEC3");
        glb.json["materials"] = {{{"name", "skin"}, {"extras", {{"shop", 7}}}}};
        glb.save(path("littered.glb"));
        return path("littered.glb");
    }
};

}  // namespace

TEST_F(CleanVerb, RemovesTinyWeightsAndRepeatedKeysAndSaysSo) {
    const std::string file = littered();
    const CleanJson json = clean(file);
    EXPECT_EQ(json.at("verb"), "clean");
    EXPECT_GT(json.at("weights_removed"), 0);
    EXPECT_GE(json.at("keys_removed"), 9);
    EXPECT_LE(json.at("max_of_diagonal"), 1e-4);
    EXPECT_LT(std::filesystem::file_size(path("clean.glb")), std::filesystem::file_size(file));
    const Frames before = deform(file, "lbs"), after = deform(path("clean.glb"), "lbs");
    ASSERT_EQ(before.size(), after.size()) << "the clip lasts as long";
    EXPECT_LT(farthest(before, after), 1e-4);
    EXPECT_EQ(GlbFile(path("clean.glb")).json["materials"][0]["extras"]["shop"], 7);
    const CleanJson again = runWell({"clean", path("clean.glb"), "-o", path("again.glb"), "--json"}).json();
    EXPECT_EQ(again.at("weights_removed"), 0);
    EXPECT_EQ(again.at("keys_removed"), 0);
    EXPECT_EQ(readBytes(path("again.glb")), readBytes(path("clean.glb"))) << "a clean file stays as it is";
}

TEST_F(CleanVerb, WeightsThatMatterStayWhateverTheThreshold) {
    const std::string file = sample("arm");
    const CleanJson json = clean(file, {"--threshold", "0.3"});
    EXPECT_GT(json.at("vertices_kept"), 0);
    EXPECT_LE(json.at("max_of_diagonal"), 1e-4);
    EXPECT_LT(farthest(deform(file, "lbs"), deform(path("clean.glb"), "lbs")), 1e-4);
}

TEST_F(CleanVerb, JointsWithoutSkinGoOnRequestOnly) {
    const std::string file = sample("arm");
    runWell({"bind", file, "--method", "rigid", "--exclude-joints", "wrist", "-o", path("bound.glb"), "-q"});
    const auto bones = [&](const std::string& name) { return runWell({"info", name, "--json"}).json().at("bones"); };
    const int all = bones(path("bound.glb"));
    clean(path("bound.glb"));
    EXPECT_EQ(bones(path("clean.glb")), all);
    const CleanJson json = clean(path("bound.glb"), {"--unused-joints"});
    EXPECT_EQ(bones(path("clean.glb")), all - int(json.at("joints_removed").size()));
    EXPECT_GT(json.at("joints_removed").size(), 0u);
    EXPECT_LT(farthest(deform(path("bound.glb"), "lbs"), deform(path("clean.glb"), "lbs")), 1e-6);
}

TEST_F(CleanVerb, AMushedFileStaysMushed) {
    const std::string file = mush(sample("arm"), "mushed.glb");
    clean(file, {"--unused-joints"});
    EXPECT_LT(farthest(deform(file, "ddm"), deform(path("clean.glb"), "ddm")), 1e-6);
    EXPECT_TRUE(runWell({"info", path("clean.glb"), "--json"}).json().contains("ddm"));
}

TEST_F(CleanVerb, AFileThatCannotBeReadLeavesTheOutputAlone) {
    writeBytes(path("bad.glb"), "not a file");
    writeBytes(path("clean.glb"), "precious");
    expectFailure(runPelt({"clean", path("bad.glb"), "-o", path("clean.glb")}), 3, "bad.glb");
    EXPECT_EQ(readBytes(path("clean.glb")), "precious");
    expectFailure(runPelt({"clean", sample("arm"), "-o", path("clean.glb"), "--threshold", "2"}), 2, "threshold");
    expectFailure(runPelt({"clean", sample("arm"), "-o", sample("arm")}), 2, "input");
}

TEST_F(CleanVerb, RealCharactersShrinkAndMoveAsBefore) {
    PELT_NEEDS_SHARED("data/rigged/raylib/robot.glb");
    const std::string file = sharedPath("data/rigged/raylib/robot.glb").string();
    const CleanJson json = runPelt({"clean", file, "-o", path("clean.glb"), "--json", "--unused-joints"}).json();
    EXPECT_GT(json.at("keys_removed"), 50000);
    EXPECT_LE(json.at("max_of_diagonal"), 1e-4);
    EXPECT_LT(2 * std::filesystem::file_size(path("clean.glb")), 1.05 * std::filesystem::file_size(file));
    EXPECT_LT(farthest(deform(file, "lbs"), deform(path("clean.glb"), "lbs")), 1e-5);
}
