// Help texts, and answers to misspelled words.
#include <algorithm>
#include <sstream>

#include "cli/support/program.h"

namespace {

class Help : public CliTest {
protected:
    /// Where a group of options begins in the help of a verb.
    static std::size_t group(const std::string& help, const std::string& name) {
        const std::size_t at = help.find("\n" + name + ":\n");
        EXPECT_NE(at, std::string::npos) << name << " is not in:\n" << help;
        return at;
    }
    static std::size_t option(const std::string& help, const std::string& name) {
        const std::size_t at = help.find("\n  " + name + " ");
        EXPECT_NE(at, std::string::npos) << name << " is not in:\n" << help;
        return at;
    }
};

}  // namespace

TEST_F(Help, OptionsComeInGroupsTheCommonOnesFirst) {
    for (const char* verb : {"info", "sample", "bind", "transfer", "mush", "deform", "bake", "clean", "limit", "mirror",
                             "lod", "fit", "decompose", "pose", "compare", "render", "studio", "batch"}) {
        SCOPED_TRACE(verb);
        const std::string help = runWell({verb, "--help"}).out;
        const std::size_t common = group(help, "Common options"), general = group(help, "General");
        EXPECT_LT(common, general);
        for (const char* name : {"-q,--quiet", "--json", "--threads"}) EXPECT_GT(option(help, name), general) << name;
        EXPECT_EQ(help.find("\nOptions:\n"), std::string::npos) << "an option without a group";
        EXPECT_EQ(help.find("\n\n\n"), std::string::npos) << help;
    }
}

TEST_F(Help, DeformListsItsOptionsByTheme) {
    const std::string help = runWell({"deform", "--help"}).out;
    const std::size_t common = group(help, "Common options"), frames = group(help, "Clips and frames"),
                      mush = group(help, "Direct Delta Mush"), other = group(help, "Other options"),
                      general = group(help, "General"), methods = group(help, "Methods");
    const std::vector<std::size_t> order = {common, frames, mush, other, general, methods};
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << help;
    const auto in = [&](const char* name, std::size_t from, std::size_t to) {
        const std::size_t at = option(help, name);
        EXPECT_TRUE(at > from && at < to) << name;
    };
    in("-o,--output", common, frames);
    in("--method", common, frames);
    in("--fps", frames, mush);
    in("--lambda", mush, other);
    in("--tangents", other, general);
    EXPECT_LT(option(help, "-o,--output"), option(help, "--method")) << "the order of the table";
}

TEST_F(Help, NoLineIsLongerThanATerminalIsWide) {
    for (const char* verb : {"info", "sample", "bind", "transfer", "mush", "deform", "bake", "clean", "limit", "mirror",
                             "lod", "fit", "decompose", "pose", "compare", "render", "studio", "batch"}) {
        std::istringstream lines(runWell({verb, "--help"}).out);
        for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << verb << ": " << line;
    }
}

TEST_F(Help, AMisspeltWordIsAnsweredWithTheNearest) {
    expectFailure(runPelt({"defrom", bar()}), 2, "no verb 'defrom'; did you mean 'deform'?");
    expectFailure(runPelt({"deform", bar(), "--metod", "lbs", "-o", path("x.npy")}), 2,
                  "pelt deform has no option '--metod'; did you mean '--method'?; see pelt deform --help");
    expectFailure(runPelt({"deform", bar(), "--frmaes=3", "-o", path("x.npy")}), 2, "did you mean '--frames'?");
    expectFailure(runPelt({"deform", bar(), "--method", "ddn", "-o", path("x.npy")}), 2,
                  "no method 'ddn'; did you mean 'ddm'?");
    expectFailure(runPelt({"deform", bar(), "--clip", "bend_and_twits", "-o", path("x.npy")}), 3,
                  bar() + ": no clip 'bend_and_twits'; did you mean 'bend_and_twist'?");
    expectFailure(runPelt({"sample", "bipde", "-o", path("x.glb")}), 2, "no sample 'bipde'; did you mean 'biped'?");
    expectFailure(runPelt({"bake", bar(), "--from", "dmm", "-o", path("x.glb")}), 2, "did you mean 'dm'?");
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"render", bar(), "--focus", "jiont1", "-o", path("x.png")},
                                               {"render", bar(), "--color", "joint", "jiont1", "-o", path("x.png")}})
        expectFailure(runPelt(words), 3, bar() + ": no joint 'jiont1'; did you mean 'joint1'?");
    writeBytes(path("limits.json"), R"({"joints": {"Jiont1": {"bend": 10}}})");
    expectFailure(runPelt({"deform", bar(), "--clip", "@range", "--limits", path("limits.json"), "-o", path("x.npy")}),
                  3, "limits.json: no joint 'Jiont1'; did you mean 'joint1'?");
    EXPECT_EQ(filesLeft(), std::vector<std::string>{"limits.json"});
}

TEST_F(Help, AWordThatIsLikeNoneIsAnsweredWithWhatThereIs) {
    const RunResult verb = runPelt({"explode"});
    expectFailure(verb, 2, "no verb 'explode'; there are info, check,");
    expectFailure(runPelt({"info", bar(), "--frobnicate"}), 2, "pelt info has no option '--frobnicate'; see pelt info");
    expectFailure(runPelt({"info", bar(), "more.glb"}), 2,
                  "pelt info takes no further input 'more.glb'; see pelt info");
    expectFailure(runPelt({"render", bar(), "--focus", "tail", "-o", path("x.png")}), 3,
                  "no joint 'tail'; there are '");
}

TEST_F(Help, QuietLeavesWarningsAndErrors) {
    writeBytes(path("tri.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    const std::vector<std::string> words = {"render", path("tri.obj"), "--method", "dqs",
                                            "--size", "64x64",         "-o",       path("x.png")};
    std::vector<std::string> quiet = words;
    quiet.push_back("-q");
    const RunResult told = runPelt(words), hushed = runPelt(quiet);
    EXPECT_EQ(hushed.status, 0);
    EXPECT_EQ(hushed.out, "");
    EXPECT_NE(told.out, "");
    EXPECT_EQ(hushed.err, "pelt: warning: " + path("tri.obj") + ": has no skin, so --method has no effect\n");
    expectFailure(runPelt({"info", path("missing.glb"), "-q"}), 3, "missing.glb");
}
