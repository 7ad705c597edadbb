// Usage: the list of verbs, and wrong words and numbers.
#include <sstream>

#include "cli/support/glb_file.h"
#include "cli/support/program.h"

namespace {

class Usage : public CliTest {
protected:
    /// Those of the table.
    std::vector<std::string> verbs() const {
        std::vector<std::string> names;
        const auto table = nlohmann::json::parse(runWell({"verbs", "--json"}).out);
        for (const auto& verb : table.at("verbs")) names.push_back(verb.at("name"));
        return names;
    }
};

}  // namespace

TEST_F(Usage, HelpNamesTheFinishedVerbsAndNoOthers) {
    const RunResult result = runWell({"--help"});
    const std::vector<std::string> names = verbs();
    EXPECT_GE(names.size(), 21u);
    for (const std::string& verb : names) EXPECT_NE(result.out.find("\n  " + verb), std::string::npos) << verb;
    const std::string title = "\nVerbs:\n";
    const std::size_t heading = result.out.find(title);
    ASSERT_NE(heading, std::string::npos) << result.out;
    std::istringstream lines(result.out.substr(heading + title.size()));
    std::size_t listed = 0;
    for (std::string line; std::getline(lines, line) && line.rfind("  ", 0) == 0;) listed += line[2] != ' ';
    EXPECT_EQ(listed, names.size()) << result.out;
}

TEST_F(Usage, EveryVerbExplainsItselfWithAWorkedExample) {
    for (const std::string& verb : verbs()) {
        const RunResult result = runWell({verb, "--help"});
        EXPECT_NE(result.out.find("Example:\n  pelt " + verb + " "), std::string::npos) << result.out;
        for (const std::string option : {"--json", "--quiet", "--threads"})
            EXPECT_NE(result.out.find(option), std::string::npos) << verb << " " << option;
    }
}

TEST_F(Usage, EveryVerbOffersItsOwnMethodsOnly) {
    const RunResult help = runWell({"deform", "--help"});
    EXPECT_NE(help.out.find("\n  dqs "), std::string::npos) << help.out;
    EXPECT_EQ(help.out.find("bbw"), std::string::npos);
    EXPECT_NE(runWell({"bind", "--help"}).out.find("rigid|bbw"), std::string::npos);
    expectFailure(runPelt({"bind", bar(), "--method", "heat", "-o", path("x.glb")}), 2, "heat");
}

TEST_F(Usage, VersionIsOneLine) {
    const RunResult result = runWell({"--version"});
    EXPECT_EQ(result.out.rfind("pelt ", 0), 0u);
    EXPECT_EQ(result.out.find('\n'), result.out.size() - 1);
}

TEST_F(Usage, WrongUsageIsOneLineAndStatus2) {
    expectFailure(runPelt({}), 2, "no verb given");
    expectFailure(runPelt({"--"}), 2, "no verb given");
    expectFailure(runPelt({"--nonsense"}), 2, "no option '--nonsense'");
    expectFailure(runPelt({"explode"}), 2, "no verb 'explode'");
    expectFailure(runPelt({"bake", "a.glb"}), 2, "--output");
    expectFailure(runPelt({"info"}), 2, "pelt info --help");
    expectFailure(runPelt({"info", "a.glb", "--frobnicate"}), 2, "--frobnicate");
    expectFailure(runPelt({"info", "a.glb", "b.glb"}), 2, "b.glb");
    expectFailure(runPelt({"info", "a.glb", "--threads", "0"}), 2, "--threads");
    expectFailure(runPelt({"info", "a.glb", "--threads", "many"}), 2, "--threads");
    expectFailure(runPelt({"deform", bar()}), 2, "--output");
    expectFailure(runPelt({"deform", bar(), "-o", path("x.npy"), "--method", "corr"}), 2, "no method 'corr'");
    expectFailure(runPelt({"deform", bar(), "-o", path("x.npy"), "--fps", "0"}), 2, "--fps");
    expectFailure(runPelt({"deform", bar(), "-o", path("x.npy"), "--fps", "nan"}), 2, "--fps");
    expectFailure(runPelt({"deform", bar(), "-o", path("x.npy"), "--frames", "a:b"}), 2, "'a:b' is not a slice");
    expectFailure(runPelt({"deform", bar(), "-o", path("x.npy"), "--frames", "::0"}), 2, "step");
    expectFailure(runPelt({"deform", bar(), "-o", path("x.npy"), "--bind-pose", "--clip", "0"}), 2, "--clip");
    expectFailure(runPelt({"render", bar(), "-o", path("x.png"), "--size", "12"}), 2, "--size");
    expectFailure(runPelt({"render", bar(), "-o", path("x.png"), "--color", "pink"}), 2, "--color");
    expectFailure(runPelt({"render", bar(), "-o", path("x.png"), "--color", "joint"}), 2, "name the joint");
    expectFailure(runPelt({"render", bar(), "-o", path("x.png"), "--color", "joint "}), 2, "name the joint");
    expectFailure(runPelt({"render", bar(), "-o", path("x.png"), "--color", "error"}), 2, "two methods");
    expectFailure(runPelt({"render", bar(), "-o", path("x.png"), "--frame", "soon"}), 2, "--frame");
    expectFailure(runPelt({"render", bar(), "-o", path("x.png"), "--camera", "moon"}), 2, "moon");
    expectFailure(runPelt({"render", bar(), "-o", path("x.png"), "--method", "lbs,nope"}), 2, "nope");
    EXPECT_TRUE(filesLeft().empty());
}

TEST_F(Usage, NumbersOutOfRangeAreToldInPlainWords) {
    const auto refused = [](std::vector<std::string> words, const std::string& option, const std::string& value,
                            const std::string& wanted) {
        SCOPED_TRACE(words[0] + " " + option + " " + value);
        words.insert(words.end(), {option, value});
        expectFailure(runPelt(words), 2, option + " is '" + value + "'; it takes " + wanted + ";");
    };
    const std::vector<std::string> compare = {"compare", bar(), bar()}, deform = {"deform", bar(), "-o", path("x.npy")},
                                   bake = {"bake", bar(), "-o", path("x.glb")},
                                   decompose = {"decompose", bar(), "-o", path("x.glb")},
                                   bind = {"bind", bar(), "-o", path("x.glb")},
                                   pose = {"pose", bar(), "--handles", "h.json", "-o", path("x.npy")};
    for (const std::string value : {"-1", "nan", "inf", "much"}) {
        for (const auto& words : {compare, bake}) refused(words, "--max-error", value, "a number, 0 or more");
        refused(decompose, "--tolerance", value, "a number, 0 or more");
        refused({"info", bar()}, "--weld", value, "a number, 0 or more");
        for (const auto& words : {deform, pose}) refused(words, "--fps", value, "a number above 0");
    }
    refused(pose, "--fps", "0", "a number above 0");
    refused(bind, "--influences", "-1", "a whole number, 0 or more");
    refused(pose, "--clusters", "-1", "a whole number, 0 or more");
    EXPECT_TRUE(filesLeft().empty());
}

TEST_F(Usage, AnUnknownExtensionIsToldBeforeTheWorkStarts) {
    expectFailure(runPelt({"deform", "/no/such.glb", "-o", path("x.abc")}), 2, ".npy");
    expectFailure(runPelt({"sample", "bar", "-o", path("x.dae")}), 2, ".glb");
    expectFailure(runPelt({"bind", "/no/such.glb", "-o", path("x.obj")}), 2, ".glb");
    expectFailure(runPelt({"render", "/no/such.glb", "-o", path("x.jpg")}), 2, ".png");
    expectFailure(runPelt({"compare", "/no/a.npy", "/no/b.npy", "--heatmap", path("x.gif")}), 2, ".png");
    expectFailure(runPelt({"deform", "/no/such.glb", "-o", path("x.npy"), "--normals", path("n.pc2")}), 2, ".npy");
}

TEST_F(Usage, InputsAreNeverModified) {
    const std::string copy = path("bar.glb");
    std::filesystem::copy_file(bar(), copy);
    const std::string before = readBytes(copy);
    std::filesystem::create_symlink(copy, path("link.glb"));
    expectFailure(runPelt({"bind", copy, "-o", copy}), 2, "input");
    expectFailure(runPelt({"bind", copy, "-o", path("link.glb")}), 2, "input");
    expectFailure(runPelt({"deform", copy, "-o", folder_.string()}), 2, "input");
    EXPECT_EQ(readBytes(copy), before);
}

TEST_F(Usage, TheBufferOfAGltfInputIsAnInputToo) {
    runWell({"bind", bar(), "-o", path("a.gltf")});
    if (!std::filesystem::exists(path("a.bin"))) GTEST_SKIP() << "the writer embeds its buffer";
    std::filesystem::rename(path("a.gltf"), path("b.gltf"));
    expectFailure(runPelt({"bind", path("b.gltf"), "-o", path("a.gltf")}), 2, "a.bin");
}

TEST_F(Usage, FilesThatAGlbNamesAreInputsToo) {
    GlbFile glb(bar());
    glb.json["images"] = {{{"uri", "skin%20of%20it.png"}}};
    glb.json["buffers"].push_back({{"uri", "more.npy"}, {"byteLength", 4}});
    glb.save(path("hero.glb"));
    writeBytes(path("skin of it.png"), "a picture");
    writeBytes(path("more.npy"), "data");
    expectFailure(runPelt({"render", path("hero.glb"), "-o", path("skin of it.png")}), 2, "would change the input");
    expectFailure(runPelt({"deform", path("hero.glb"), "-o", path("more.npy")}), 2, "would change the input");
    EXPECT_EQ(readBytes(path("skin of it.png")), "a picture");
    EXPECT_EQ(readBytes(path("more.npy")), "data");
}

TEST_F(Usage, TheFileThatLendsItsClipsIsAnInputToo) {
    std::filesystem::copy_file(bar(), path("lender.glb"));
    const std::string before = readBytes(path("lender.glb"));
    expectFailure(runPelt({"mush", bar(), "--clips", path("lender.glb"), "-o", path("lender.glb")}), 2, "input");
    EXPECT_EQ(readBytes(path("lender.glb")), before);
}

TEST_F(Usage, AFolderInAFolderOfFramesIsNeverDeleted) {
    std::filesystem::create_directories(path("frames/frame_0000.obj"));
    writeBytes(path("frames/frame_0000.obj/mine.txt"), "mine");
    expectFailure(runPelt({"deform", bar(), "-o", path("frames")}), 2, "frame_0000.obj");
    EXPECT_EQ(readBytes(path("frames/frame_0000.obj/mine.txt")), "mine");
}

TEST_F(Usage, AFolderWithOtherFilesIsNotReplaced) {
    for (const char* name : {"notes.txt", "hero.obj", "frame_hero.obj"}) {
        std::filesystem::create_directory(path("frames"));
        writeBytes(path("frames/" + std::string(name)), "mine");
        expectFailure(runPelt({"deform", bar(), "-o", path("frames")}), 2, name);
        EXPECT_EQ(readBytes(path("frames/" + std::string(name))), "mine");
        std::filesystem::remove_all(path("frames"));
    }
    for (int run = 0; run < 2; ++run) runWell({"deform", bar(), "--frames", "0:2", "-o", path("frames")});
    EXPECT_TRUE(std::filesystem::exists(path("frames/frame_0001.obj")));
}

TEST_F(Usage, QuietIsQuiet) {
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"info", bar()},
                                               {"sample", "bar", "--resolution", "100", "-o", path("s.glb")},
                                               {"bind", bar(), "-o", path("b.glb")},
                                               {"deform", bar(), "-o", path("d.npy")},
                                               {"bake", bar(), "-o", path("w.glb")},
                                               {"decompose", bar(), "--bones", "2", "-o", path("k.glb")},
                                               {"compare", bar(), bar()},
                                               {"render", bar(), "--size", "64x64", "-o", path("r.png")}}) {
        std::vector<std::string> quiet = words;
        quiet.push_back("--quiet");
        EXPECT_EQ(runWell(quiet).out, "") << words[0];
    }
    expectFailure(runPelt({"info", path("missing.glb"), "--quiet"}), 3, "missing.glb");
}

TEST_F(Usage, JsonIsOneObjectWithVerbAndStages) {
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"info", bar()},
                                               {"sample", "--list"},
                                               {"sample", "bar", "--resolution", "100", "-o", path("s.glb")},
                                               {"bind", bar(), "-o", path("b.glb")},
                                               {"deform", bar(), "-o", path("d.npy")},
                                               {"decompose", bar(), "--bones", "2", "-o", path("k.glb")},
                                               {"compare", bar(), bar()},
                                               {"render", bar(), "--size", "64x64", "-o", path("r.png")}}) {
        std::vector<std::string> with_json = words;
        with_json.push_back("--json");
        const nlohmann::json json = runWell(with_json).json();
        EXPECT_EQ(json.at("verb"), words[0]);
        ASSERT_TRUE(json.at("stages").is_array());
        for (const auto& stage : json["stages"]) {
            EXPECT_FALSE(stage.at("name").get<std::string>().empty());
            EXPECT_GE(stage.at("seconds").get<double>(), 0.0);
            EXPECT_GT(stage.at("peak_bytes").get<std::uint64_t>(), 1u << 20);
        }
        if (words[1] != "--list") {
            EXPECT_GE(json["stages"].size(), 2u) << words[0];
            EXPECT_GT(json.at("vertices").get<int>(), 0) << words[0];
        }
    }
}

TEST_F(Usage, NoColorAndNoControlCharactersWhereThereIsNoTerminal) {
    const RunResult result = runWell({"info", bar()});
    EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
    EXPECT_EQ(result.out.find('\r'), std::string::npos);
}

TEST_F(Usage, StandardOutputThatTakesNothingIsStatus1) {
    RunOptions closed;
    closed.close_stdout = true;
    const RunResult result = runPelt({"info", bar()}, closed);
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(result.oneErrorLine()) << result.err;
    RunOptions full;
    full.stdout_file = "/dev/full";
    const RunResult no_space = runPelt({"info", bar(), "--json"}, full);
    EXPECT_EQ(no_space.status, 1);
    EXPECT_NE(no_space.err.find("No space left"), std::string::npos) << no_space.err;
}
