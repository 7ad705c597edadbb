// pelt batch: steps that follow each other, and how results are named.
#include "batch_fixture.h"

namespace {

namespace fs = std::filesystem;

class BatchChains : public BatchTest {
protected:
    /// Runs `pelt batch … --do` in the test's folder, as a user would.
    RunResult chain(const std::vector<std::string>& words) const {
        const fs::path before = fs::current_path();
        fs::current_path(folder_);
        std::vector<std::string> all = {"batch"};
        all.insert(all.end(), words.begin(), words.end());
        RunResult result = runPelt(all);
        fs::current_path(before);
        return result;
    }
    std::vector<std::string> files(const std::string& folder) const {
        std::vector<std::string> found;
        for (const auto& entry : fs::recursive_directory_iterator(path(folder)))
            if (entry.is_regular_file()) found.push_back(entry.path().lexically_relative(path(folder)).string());
        std::sort(found.begin(), found.end());
        return found;
    }
};

}  // namespace

TEST_F(BatchChains, EachStepReadsWhatTheOneBeforeWrote) {
    copyBar("lib/hero.glb");
    copyBar("lib/deep/below/other.glb");
    const RunResult result = chain({"lib/**/*.glb", "--do", "mush --payload q16", "--do", "bake --helpers 1", "--out",
                                    "built/", "--report", "report.jsonl"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(files("built"), (std::vector<std::string>{"hero.glb", "other.glb"}));
    EXPECT_EQ(files("built.state/files"), (std::vector<std::string>{"hero.1-mush.glb", "other.1-mush.glb"}));
    runWell({"mush", path("lib/hero.glb"), "--payload", "q16", "-o", path("m.glb")});
    runWell({"bake", path("m.glb"), "--helpers", "1", "-o", path("b.glb")});
    EXPECT_EQ(readBytes(path("b.glb")), readBytes(path("built/hero.glb")));
    const std::string report = readBytes(path("report.jsonl"));
    for (const char* id : {"\"hero-mush\"", "\"hero\"", "\"other-mush\"", "\"other\""})
        EXPECT_NE(report.find(id), std::string::npos) << id;
}

TEST_F(BatchChains, ResultsAndStateInsideTheFolderAreNoInputs) {
    copyBar("hero.glb");
    const std::vector<std::string> words = {"**/*.glb", "--do", "mush", "--do", "bake", "--out", "built"};
    EXPECT_EQ(chain(words).status, 0);
    const RunResult again = chain(words);
    EXPECT_NE(again.out.find("2 items: 2 done (2 before)"), std::string::npos) << again.out;
    copyBar("new.glb");
    EXPECT_NE(chain({".", "--do", "mush", "--do", "bake", "--out", "built"}).out.find("4 items: 4 done"),
              std::string::npos)
        << "a folder stands for the characters below it";
}

TEST_F(BatchChains, FilesOfTheSameNameDoNotOverwriteEachOther) {
    copyBar("lib/a/hero.glb");
    copyBar("lib/b/hero.glb");
    copyBar("lib/one.glb");
    runWell({"sample", "bar", "--resolution", "100", "-o", path("lib/one.gltf")});
    const RunResult result = chain({"lib", "--do", "bind", "--out", "built"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(files("built"), (std::vector<std::string>{"a/hero.glb", "b/hero.glb", "one.glb.glb", "one.gltf.glb"}));
}

TEST_F(BatchChains, NamesThatBeginWithADashAreFiles) {
    copyBar("-o.glb");
    copyBar("--help.glb");
    const RunResult result = chain({"*.glb", "--do", "mush", "--do", "info", "--out", "-built", "--html", "page.html"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(files("-built"), (std::vector<std::string>{"--help.glb", "-o.glb"}));
}

TEST_F(BatchChains, StepsThatWriteNoCharacterLeaveTheNextTheOneBefore) {
    copyBar("hero.glb");
    const RunResult result = chain({"hero.glb", "--do", "mush", "--do", "render --size 64x64", "--do", "info", "--do",
                                    "bake", "--do", "pack", "--out", "built"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(files("built"), (std::vector<std::string>{"hero.glb", "hero.peltrig", "hero.png"}));
}

TEST_F(BatchChains, WrongUseIsOneLine) {
    copyBar("hero.glb");
    const auto refuse = [this](std::vector<std::string> words, int status, const std::string& text) {
        expectFailure(chain(words), status, text);
    };
    refuse({"lib/*.glb", "--do", "mush", "--out", "built"}, 3, "lib/*.glb: no file matches");
    refuse({"hero.glb", "--do", "mush"}, 2, "--do needs --out");
    refuse({"hero.glb", "--do", "", "--out", "built"}, 2, "--do is ''");
    refuse({"hero.glb", "--do", "mush --clip 'a", "--out", "built"}, 2, "a quote is not closed");
    refuse({"hero.glb", "--do", "mush -o x.glb", "--out", "built"}, 2, "leave out the output");
    refuse({"hero.glb", "--do", "compare", "--out", "built"}, 2, "compare cannot be a step");
    refuse({"hero.glb", "--do", "mush", "--out", "built", "--", "--mem=1G"}, 2, "it needs --engine slurm");
    EXPECT_FALSE(fs::exists(path("built.state")));
}
