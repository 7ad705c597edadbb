#include "../shared_data.h"
#include "program.h"

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
