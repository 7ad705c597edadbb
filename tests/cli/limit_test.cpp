// pelt limit.
#include <cmath>

#include "cli/support/mush_fixture.h"

namespace {

using LimitJson = nlohmann::json;

class LimitVerb : public MushTest {
protected:
    /// A biped with up to eight joints per vertex.
    std::string eight() {
        return madeOnce("eight.glb", {"bind", sample("biped", "1500"), "--method", "bbw", "--influences", "8",
                                      "--lattice", "8000", "-q"});
    }
    LimitJson limit(const std::string& input, const Words& words = {}) {
        Words all{"limit", input, "-o", path("out.glb"), "--json", "--fps", "10"};
        all.insert(all.end(), words.begin(), words.end());
        return runWell(all).json();
    }
    /// RMS distance between two files over a clip.
    double apart(const std::string& a, const std::string& b, const std::string& clip) {
        return runWell({"compare", a, b, "--clip", clip, "--fps", "10", "--json"}).json().at("rms");
    }
    double bones(const std::string& file) { return runWell({"info", file, "--json"}).json().at("bones"); }
};

double rmsOf(const LimitJson& error) { return error.at("rms").get<double>(); }

}  // namespace

TEST_F(LimitVerb, HalvesTheErrorOfCuttingAndIsNoWorseOverTheRangeOfMotion) {
    const std::string file = eight();
    const LimitJson json = limit(file);
    EXPECT_EQ(json.at("verb"), "limit");
    EXPECT_GT(json.at("influences_before"), 4);
    EXPECT_LE(json.at("influences"), 4);
    EXPECT_GT(rmsOf(json.at("cut")), 0);
    EXPECT_LT(rmsOf(json), 0.5 * rmsOf(json.at("cut")));
    EXPECT_LE(rmsOf(json.at("range_of_motion")), rmsOf(json.at("cut").at("range_of_motion")));
    // What it says is what the file does.
    const LimitJson info = runWell({"info", path("out.glb"), "--json"}).json();
    EXPECT_LE(info.at("max_influences"), 4);
    double squared = 0, frames = 0;
    for (const LimitJson& clip : info.at("clips")) {
        const LimitJson compared =
            runWell({"compare", file, path("out.glb"), "--clip", clip.at("name"), "--fps", "10", "--json"}).json();
        squared += std::pow(rmsOf(compared), 2) * compared.at("frame_count").get<double>();
        frames += compared.at("frame_count").get<double>();
    }
    EXPECT_NEAR(std::sqrt(squared / frames), rmsOf(json), 0.02 * rmsOf(json));
}

TEST_F(LimitVerb, ASkinThatIsSparseEnoughStaysAsItIs) {
    const std::string file = sample("arm");
    const LimitJson json = limit(file);
    EXPECT_EQ(json.at("vertices_solved"), 0);
    EXPECT_EQ(rmsOf(json), 0);
    EXPECT_EQ(apart(file, path("out.glb"), "0"), 0);
}

TEST_F(LimitVerb, JointsAreMergedIntoTheirParentsAndTheErrorIsStated) {
    const std::string file = eight();
    const int all = int(bones(file));
    double before = 0;
    for (const int most : {all - 2, all - 6}) {
        const LimitJson json = limit(file, {"--max-joints", std::to_string(most)});
        EXPECT_EQ(json.at("bones"), most);
        EXPECT_EQ(bones(path("out.glb")), most);
        EXPECT_EQ(json.at("merged").size() + json.at("joints_removed").size(), std::size_t(all - most));
        EXPECT_GE(rmsOf(json), before);
        EXPECT_LE(rmsOf(json), rmsOf(json.at("cut")));
        before = rmsOf(json);
    }
    expectFailure(runPelt({"limit", file, "-o", path("none.glb"), "--max-joints", "0"}), 2, "--max-joints");
}

TEST_F(LimitVerb, OneJointMovesEverything) {
    const LimitJson json = limit(sample("arm"), {"--max-joints", "1"});
    EXPECT_EQ(json.at("bones"), 1);
    EXPECT_EQ(json.at("influences"), 1);
}

TEST_F(LimitVerb, AMushedFileKeepsItsMushWithFewerJoints) {
    const std::string file = mush(sample("biped", "800"), "mushed.glb");
    const LimitJson json = limit(file, {"--max-joints", std::to_string(int(bones(file)) - 3)});
    EXPECT_GT(json.at("merged").size() + json.at("joints_removed").size(), 2u);
    const Frames before = deform(file, "ddm"), after = deform(path("out.glb"), "ddm");
    EXPECT_LT(farthest(before, after), 0.1);
    EXPECT_TRUE(runWell({"info", path("out.glb"), "--json"}).json().contains("ddm"));
}

TEST_F(LimitVerb, TheNumberOfThreadsDoesNotMatter) {
    limit(eight(), {"--threads", "1"});
    const std::string one = readBytes(path("out.glb"));
    limit(eight(), {"--threads", "2"});
    EXPECT_EQ(readBytes(path("out.glb")), one);
}

TEST_F(LimitVerb, BadInputIsOneLine) {
    writeBytes(path("bad.glb"), "not a file");
    writeBytes(path("out.glb"), "precious");
    expectFailure(runPelt({"limit", path("bad.glb"), "-o", path("out.glb")}), 3, "bad.glb");
    EXPECT_EQ(readBytes(path("out.glb")), "precious");
    expectFailure(runPelt({"limit", sample("arm"), "-o", path("out.glb"), "--influences", "-1"}), 2, "--influences");
}
