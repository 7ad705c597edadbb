// Files on standard input and output.
#include "cli/support/program.h"

namespace {

class Streams : public CliTest {
protected:
    /// Runs with a file on standard input.
    static RunResult piped(const std::string& file, const std::vector<std::string>& words) {
        RunOptions options;
        options.stdin_file = file;
        return runPelt(words, options);
    }
};

}  // namespace

TEST_F(Streams, ACharacterOnStandardInputGivesWhatTheFileGives) {
    runWell({"deform", bar(), "--frames", "::20", "-o", path("file.npy")});
    const RunResult result = piped(bar(), {"deform", "-", "--frames", "::20", "-o", path("pipe.npy")});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(readBytes(path("pipe.npy")), readBytes(path("file.npy")));
    const RunResult info = piped(bar(), {"info", "-", "--json"});
    ASSERT_EQ(info.status, 0) << info.err;
    EXPECT_EQ(info.json().at("vertices"), runWell({"info", bar(), "--json"}).json().at("vertices"));
    EXPECT_EQ(piped(bar(), {"compare", "-", bar(), "--max-error", "0"}).status, 0);
    EXPECT_EQ(piped(bar(), {"render", "-", "--size", "64x64", "-o", path("x.png")}).status, 0);
}

TEST_F(Streams, StandardOutputGetsTheBytesOfTheFile) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> runs = {
        {{"sample", "bar", "--resolution", "100"}, "a.glb"},
        {{"bind", bar()}, "b.glb"},
        {{"mush", bar()}, "c.glb"},
        {{"deform", bar(), "--frames", "::20"}, "d.npy"},
        {{"render", bar(), "--size", "64x64"}, "e.png"}};
    for (const auto& [words, file] : runs) {
        SCOPED_TRACE(words[0]);
        std::vector<std::string> to_file = words, to_pipe = words;
        to_file.insert(to_file.end(), {"-o", path(file)});
        to_pipe.insert(to_pipe.end(), {"-o", "-"});
        runWell(to_file);
        const RunResult result = runPelt(to_pipe);
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_TRUE(result.out == readBytes(path(file)));
        EXPECT_EQ(withoutProgress(result.err).rfind("standard output: ", 0), 0u) << result.err;
        to_pipe.push_back("-q");
        EXPECT_EQ(runPelt(to_pipe).err, "");
    }
    EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST_F(Streams, HandlesAndLimitsAreReadFromStandardInput) {
    writeBytes(path("limits.json"), R"({"default": {"bend": 10, "twist": 10}})");
    const std::vector<std::string> words = {"deform", bar(), "--clip", "@range", "--frames", "::200"};
    std::vector<std::string> from_file = words, from_pipe = words;
    from_file.insert(from_file.end(), {"--limits", path("limits.json"), "-o", path("file.npy")});
    from_pipe.insert(from_pipe.end(), {"--limits", "-", "-o", path("pipe.npy")});
    runWell(from_file);
    EXPECT_EQ(piped(path("limits.json"), from_pipe).status, 0);
    EXPECT_EQ(readBytes(path("pipe.npy")), readBytes(path("file.npy")));
    writeBytes(path("bad.json"), "{");
    expectFailure(piped(path("bad.json"), from_pipe), 3, "pelt: standard input: line 1: is not valid JSON");
}

TEST_F(Streams, WhatCannotBeAStreamIsRefusedBeforeTheWork) {
    expectFailure(piped(bar(), {"deform", bar(), "-o", path("x.npy"), "--normals", "-"}), 2,
                  "--normals -: only the main");
    expectFailure(piped(bar(), {"render", path("a.npy"), "--mesh", "-", "-o", path("x.png")}), 2,
                  "--mesh -: is not read");
    expectFailure(piped(bar(), {"deform", bar(), "--clips", "-", "-o", path("x.npy")}), 2, "--clips -: is not read");
    expectFailure(piped(bar(), {"compare", "-", "-"}), 2, "both ask for standard input");
    expectFailure(piped(bar(), {"pose", "-", "--handles", "-", "-o", path("x.glb")}), 2, "both ask for standard input");
    expectFailure(runPelt({"bind", bar(), "-o", "-", "--json"}), 2,
                  "--json and --output - both ask for standard output");
    EXPECT_TRUE(filesLeft().empty());
}

TEST_F(Streams, OtherFormatsOnStandardInputAreBadInput) {
    writeBytes(path("tri.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    const RunResult result = piped(path("tri.obj"), {"info", "-"});
    EXPECT_EQ(result.status, 3);
    EXPECT_EQ(result.err.rfind("pelt: standard input: ", 0), 0u) << result.err;
    EXPECT_TRUE(result.oneErrorLine()) << result.err;
    expectFailure(piped("/dev/null", {"info", "-"}), 3, "pelt: standard input: ");
}

TEST_F(Streams, AFullStandardOutputIsStatus1) {
    RunOptions full;
    full.stdout_file = "/dev/full";
    for (const char* verb : {"bind", "deform"}) {
        const RunResult result = runPelt({verb, bar(), "-o", "-"}, full);
        EXPECT_EQ(result.status, 1) << verb;
        EXPECT_NE(result.err.find("No space left"), std::string::npos) << result.err;
    }
}
