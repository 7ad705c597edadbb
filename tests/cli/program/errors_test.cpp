// Bad input and failing systems: one line and the right exit status.
#include "cli/support/glb_file.h"
#include "cli/support/program.h"
#include "shared_data.h"

namespace fs = std::filesystem;

namespace {

class Errors : public CliTest {};

}  // namespace

TEST_F(Errors, MissingFilesAreBadInputThatNamesTheFile) {
    const std::string none = path("none.glb");
    expectFailure(runPelt({"info", none}), 3, none + ": ");
    expectFailure(runPelt({"bind", none, "-o", path("x.glb")}), 3, none + ": ");
    expectFailure(runPelt({"deform", none, "-o", path("x.npy")}), 3, none + ": ");
    expectFailure(runPelt({"compare", bar(), path("none.npy")}), 3, path("none.npy") + ": ");
    expectFailure(runPelt({"render", none, "-o", path("x.png")}), 3, none + ": ");
    EXPECT_TRUE(filesLeft().empty());
}

TEST_F(Errors, AFileNameWithANewlineStaysOneLine) {
    expectFailure(runPelt({"info", path("two\nlines.glb")}), 3, "two\\x0alines.glb");
    expectFailure(runPelt({"info", "a.glb", "--wrong\noption"}), 2, "\\x0a");
}

TEST_F(Errors, WhatIsNotThereIsBadInputThatSaysWhatIs) {
    expectFailure(runPelt({"deform", bar(), "-o", path("x.npy"), "--clip", "dance"}), 3, "no clip 'dance'; there are");
    expectFailure(runPelt({"deform", bar(), "-o", path("x.npy"), "--clip", "99"}), 3, bar() + ": no clip '99'");
    expectFailure(runPelt({"deform", bar(), "-o", path("x.npy"), "--frames", "5000:"}), 3, "selects none");
    expectFailure(runPelt({"deform", bar(), "-o", path("x.npy"), "--frames", "5000"}), 3, "no frame 5000");
    expectFailure(runPelt({"render", bar(), "-o", path("x.png"), "--color", "joint", "tail"}), 3, "no joint 'tail'");
    expectFailure(runPelt({"render", bar(), "-o", path("x.png"), "--frame", "5000f"}), 3, "no frame 5000f");
    EXPECT_TRUE(filesLeft().empty());
}

TEST_F(Errors, ACharacterWithoutClipsAsksForTheBindPose) {
    writeBytes(path("tri.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    expectFailure(runPelt({"deform", path("tri.obj"), "-o", path("x.npy")}), 3, "is not a character file");
}

TEST_F(Errors, AFolderThatIsMissingIsStatus1) {
    expectFailure(runPelt({"sample", "bar", "-o", path("none/x.glb")}), 1, "does not exist");
    expectFailure(runPelt({"deform", bar(), "-o", path("none/x.npy")}), 1, "does not exist");
    expectFailure(runPelt({"render", bar(), "-o", path("none/x.png")}), 1, "does not exist");
    fs::create_directory(path("x.png"));
    expectFailure(runPelt({"render", bar(), "-o", path("x.png")}), 1, "x.png");
    expectFailure(runPelt({"sample", "bar", "-o", "/proc/x.glb"}), 1, "/proc/x.glb");
}

TEST_F(Errors, ADiskThatFillsUpIsStatus1AndLeavesTheOldFile) {
    RunOptions options;
    options.file_size_limit = 3000;
    for (const std::string name : {"old.npy", "old.pc2", "old.mdd", "old.glb"}) {
        SCOPED_TRACE(name);
        writeBytes(path(name), "old");
        expectFailure(runPelt({"deform", bar(), "-o", path(name)}, options), 1, name);
        EXPECT_EQ(readBytes(path(name)), "old");
    }
    expectFailure(runPelt({"deform", bar(), "-o", path("frames")}, options), 1, "frames");
    expectFailure(runPelt({"bind", bar(), "-o", path("b.glb")}, options), 1, "b.glb");
    expectFailure(runPelt({"render", bar(), "--size", "200x200", "-o", path("r.png")}, options), 1, "r.png");
    EXPECT_EQ(filesLeft(), (std::vector<std::string>{"old.glb", "old.mdd", "old.npy", "old.pc2"}));
}

TEST_F(Errors, AReadOnlyOutputIsRefusedBeforeAnyWork) {
    fs::permissions(folder_, fs::perms::all);
    fs::copy_file(bar(), path("bar.glb"));
    fs::permissions(path("bar.glb"), fs::perms(0644));
    fs::create_directory(path("frames"));
    for (const char* name : {"old.glb", "old.npy", "old.png", "old.obj", "frames/frame_0000.obj"})
        writeBytes(path(name), "old");
    for (const char* name : {"old.glb", "old.npy", "old.png", "old.obj"}) fs::permissions(path(name), fs::perms(0444));
    fs::permissions(path("frames"), fs::perms(0555));
    RunOptions options;
    options.as_nobody = true;
    const auto refused = [&](std::vector<std::string> words, const std::string& name) {
        words.insert(words.end(), {"-o", path(name)});
        expectFailure(runPelt(words, options), 1, path(name) + ": cannot write: Permission denied");
    };
    refused({"mush", path("bar.glb")}, "old.glb");
    refused({"deform", path("bar.glb")}, "old.npy");
    refused({"deform", path("bar.glb"), "--frames", "0"}, "old.obj");
    refused({"deform", path("bar.glb")}, "frames");
    refused({"render", path("bar.glb"), "--size", "64x64"}, "old.png");
    expectFailure(
        runPelt({"batch", path("bar.glb"), "--do", "info", "--out", path("built"), "--html", path("old.png")}, options),
        1, "read-only");
    for (const char* name : {"old.glb", "old.npy", "old.png", "old.obj", "frames/frame_0000.obj"})
        EXPECT_EQ(readBytes(path(name)), "old") << name;
    EXPECT_EQ(filesLeft(), (std::vector<std::string>{"bar.glb", "frames", "old.glb", "old.npy", "old.obj", "old.png"}));
}

TEST_F(Errors, AReadOnlyFileBesideAGltfStaysAsItIs) {
    fs::permissions(folder_, fs::perms::all);
    fs::copy_file(bar(), path("bar.glb"));
    fs::permissions(path("bar.glb"), fs::perms(0644));
    writeBytes(path("hero.bin"), "of somebody else");
    fs::permissions(path("hero.bin"), fs::perms(0444));
    RunOptions options;
    options.as_nobody = true;
    const RunResult run = runPelt({"mush", path("bar.glb"), "-q", "-o", path("hero.gltf")}, options);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(readBytes(path("hero.bin")), "of somebody else");
    EXPECT_EQ(filesLeft(), (std::vector<std::string>{"bar.glb", "hero.bin", "hero.gltf", "hero_1.bin"}));
}

TEST_F(Errors, TheFolderThatTheUserIsInIsNotReplaced) {
    const fs::path before = fs::current_path();
    const std::string character = fs::absolute(bar());
    fs::create_directory(path("here"));
    fs::current_path(path("here"));
    for (const char* name : {".", "./", "../here", "..", "/"})
        expectFailure(runPelt({"deform", character, "-o", name}), 2, "new folder");
    expectFailure(runPelt({"deform", character, "-o", "."}), 2, ".: the folder is replaced as a whole");
    expectFailure(runPelt({"mush", character, "-o", "."}), 2, ".: is a folder; write .glb, .gltf, .fbx or");
    EXPECT_EQ(runPelt({"lod", character, "--ratios", "0.5", "-o", "."}).status, 0);
    fs::current_path(before);
    EXPECT_EQ(filesLeft(), std::vector<std::string>{"here"});
}

TEST_F(Errors, TheNextRunRemovesWhatAKilledOneLeft) {
    const std::vector<std::string> words = {"deform", bar(), "--fps", "20000", "-o", path("long.npy")};
    RunOptions options;
    options.interrupt = SIGKILL;
    options.interrupt_when = [&](int) { return !filesLeft().empty(); };
    EXPECT_NE(runPelt(words, options).status, 0);
    EXPECT_EQ(filesLeft().size(), 1u) << "a temporary file";
    runWell({"deform", bar(), "-o", path("other.npy")});
    EXPECT_EQ(filesLeft().size(), 2u) << "that of another output stays";
    runWell({"deform", bar(), "-o", path("long.npy")});
    EXPECT_EQ(filesLeft(), (std::vector<std::string>{"long.npy", "other.npy"}));
}

TEST_F(Errors, SettingsThatLieAreBadInput) {
    runWell({"mush", bar(), "-o", path("mushed.glb")});
    const std::pair<const char*, nlohmann::json> lies[] = {
        {"alpha", 7},       {"alpha", -0.5},
        {"lambda", -1},     {"kappa", -1e300},
        {"weld", -1},       {"iterations", 1000000},
        {"iterations", -1}, {"influences", -1},
        {"lambda", "x"},    {"jointAlpha", {{{"joint", "joint0"}, {"alpha", 3}}}}};
    for (const auto& [key, value] : lies) {
        SCOPED_TRACE(key + value.dump());
        GlbFile glb(path("mushed.glb"));
        glb.primitive()["extensions"]["PELT_direct_delta_mush"]["settings"][key] = value;
        glb.save(path("lie.glb"));
        expectFailure(runPelt({"info", path("lie.glb")}), 3, key);
        expectFailure(runPelt({"lod", path("lie.glb"), "-o", path("lods")}), 3, key);
    }
    GlbFile glb(path("mushed.glb"));  // fewer inverse bind matrices than joints
    glb.json["accessors"][glb.json["skins"][0]["inverseBindMatrices"].get<std::size_t>()]["count"] = 1;
    glb.save(path("few.glb"));
    const RunResult few = runPelt({"info", path("few.glb")});
    EXPECT_EQ(few.err.find("internal error"), std::string::npos) << few.err;
    EXPECT_TRUE(few.status == 0 || few.status == 3) << few.status;
}

TEST_F(Errors, DamagedFilesOfEveryKindAreOneLineAndStatus3) {
    const std::string whole = readBytes(bar());
    writeBytes(path("cut.glb"), whole.substr(0, whole.size() / 2));
    writeBytes(path("empty.glb"), "");
    writeBytes(path("text.glb"), "not a model at all");
    writeBytes(path("bad.gltf"), "{\"asset\":{\"version\":\"2.0\"},\"meshes\":7}");
    writeBytes(path("bad.obj"), "v 0 0 0\nf 1 2 3\n");
    writeBytes(path("bad.ply"), "ply\nformat ascii 1.0\nelement vertex 99999999999\n");
    writeBytes(path("bad.off"), "OFF\n3 1 0\n0 0 0\n");
    writeBytes(path("bad.npy"), "\x93NUMPY");
    writeBytes(path("bad.pc2"), "POINTCACHE2");
    writeBytes(path("bad.mdd"), "xx");
    writeBytes(path("bad.fbx"), "Kaydara FBX Binary  ");
    writeBytes(path("bad.dae"), "<COLLADA");
    writeBytes(path("what.xyz"), "1 2 3");
    fs::create_directory(path("empty_folder"));
    std::vector<std::string> names = {"*.stl"};
    for (const std::string& name : filesLeft()) names.push_back(name);
    for (const std::string& name : names) {
        SCOPED_TRACE(name);
        expectFailure(runPelt({"info", path(name)}), 3, name);
        expectFailure(runPelt({"render", path(name), "-o", path("x.png")}), 3, name);
        expectFailure(runPelt({"compare", path(name), bar()}), 3, name);
    }
}

TEST_F(Errors, FilesOutsideOfAGltfsFolderAreReadOnlyWhereThatIsAllowed) {
    runWell({"bind", bar(), "-o", path("hero.gltf")});
    fs::create_directory(path("models"));
    auto document = nlohmann::json::parse(readBytes(path("hero.gltf")));
    document["buffers"][0]["uri"] = "../hero.bin";
    writeBytes(path("models/out.gltf"), document.dump());
    document["buffers"][0]["uri"] = "link.bin";
    writeBytes(path("models/link.gltf"), document.dump());
    fs::create_symlink("../hero.bin", path("models/link.bin"));
    document["buffers"][0]["uri"] = "below/../in.bin";
    document["images"] = {{{"uri", "../skin.png"}}};
    writeBytes(path("skin.png"), "\x89PNG\r\n\x1a\nsecret");
    fs::create_directory(path("models/below"));
    fs::copy_file(path("hero.bin"), path("models/in.bin"));
    writeBytes(path("models/in.gltf"), document.dump());
    for (const char* name : {"models/out.gltf", "models/link.gltf"}) {
        EXPECT_EQ(runPelt({"info", path(name)}).status, 0);
        expectFailure(runPelt({"info", path(name), "--local-files-only"}), 3, "outside the folder");
    }
    for (const bool local : {false, true}) {
        std::vector<std::string> words{"bind", path("models/in.gltf"), "-o", path("out.glb"), "--quiet"};
        if (local) words.push_back("--local-files-only");
        EXPECT_EQ(runPelt(words).status, 0);
        EXPECT_EQ(readBytes(path("out.glb")).find("secret") == std::string::npos, local);
    }
}

TEST_F(Errors, SequencesOfDifferentSizesDoNotCompare) {
    runWell({"deform", bar(), "-o", path("all.npy")});
    runWell({"deform", bar(), "--frames", ":3", "-o", path("three.npy")});
    expectFailure(runPelt({"compare", path("all.npy"), path("three.npy")}), 3, "3 frames");
    runWell({"sample", "bar", "--resolution", "200", "-o", path("other.glb")});
    expectFailure(runPelt({"compare", path("other.glb"), bar()}), 3, "only sequences of the same size can be compared");
    expectFailure(runPelt({"compare", path("all.npy"), path("all.npy"), "--mesh", path("other.glb")}), 3, "vertices");
}

TEST_F(Errors, AHeatMapNeedsFaces) {
    runWell({"deform", bar(), "--frames", ":2", "-o", path("a.npy")});
    expectFailure(runPelt({"compare", path("a.npy"), path("a.npy"), "--heatmap", path("h.png")}), 3, "--mesh");
    expectFailure(runPelt({"render", path("a.npy"), "-o", path("h.png")}), 3, "--mesh");
}

TEST_F(Errors, EveryMalformedFileLoadsOrEndsWithOneLine) {
    PELT_NEEDS_SHARED("data/malformed");
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(sharedPath("data/malformed"))) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".gltf" && extension != ".glb") continue;
        SCOPED_TRACE(entry.path().string());
        const RunResult result = runPelt({"info", entry.path().string(), "--json"});
        const RunResult levels = runPelt({"lod", entry.path().string(), "-q", "-o", path("lods")});
        EXPECT_TRUE(levels.status == 0 || levels.status == 3) << levels.status << " " << levels.err;
        ++files;
        if (result.status == 0) {
            EXPECT_EQ(result.json().at("verb"), "info");
        } else {
            expectFailure(result, 3, entry.path().string() + ": ");
        }
    }
    EXPECT_GT(files, 50);
}

TEST_F(Errors, EveryConformanceFileLoads) {
    PELT_NEEDS_SHARED("data/conformance");
    for (const auto& entry : fs::recursive_directory_iterator(sharedPath("data/conformance"))) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".gltf" && extension != ".glb") continue;
        SCOPED_TRACE(entry.path().string());
        const RunResult result = runPelt({"info", entry.path().string(), "--json"});
        EXPECT_EQ(result.status, 0) << result.err;
    }
}
