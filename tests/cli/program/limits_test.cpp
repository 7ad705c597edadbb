// Machines with scarce resources and files that need too much: the work succeeds, or one line says why it does not.
#include <sys/resource.h>

#include <fstream>

#include "cli/support/glb_file.h"
#include "cli/support/program.h"

namespace fs = std::filesystem;

namespace {

constexpr long kMebibyte = 1 << 20;

class Limits : public CliTest {
protected:
    void SetUp() override {
#ifdef PELT_SANITIZED
        GTEST_SKIP() << "a sanitizer takes terabytes of address space";
#endif
        CliTest::SetUp();
        fs::permissions(folder_, fs::perms::all);
        fs::copy_file(bar(), path("bar.glb"));
        fs::permissions(path("bar.glb"), fs::perms::all);
    }

    /// Succeeds, or explains in one plain line why not, and never crashes. True if it succeeded.
    static bool endsInPlainWords(const RunResult& result) {
        if (result.status == 0) return true;
        EXPECT_TRUE(result.status == 1 || result.status == 3) << result.status << " " << result.err;
        EXPECT_TRUE(result.oneErrorLine()) << result.err;
        for (const char* word : {"std::", "vector", "bad_alloc", "filesystem", "basic_string", "terminate", "what()"})
            EXPECT_EQ(result.err.find(word), std::string::npos) << result.err;
        return false;
    }

    static RunResult runLimited(const std::vector<std::string>& words, int resource, long most) {
        RunOptions options;
        options.limits = {{resource, most}};
        return runPelt(words, options);
    }
};

/// A file of a few kilobytes that claims millions of vertices: accessors without data are zeros, and each primitive has
/// its own copy.
void writeBomb(const fs::path& path, const std::string& from, int primitives) {
    GlbFile glb(from);
    const auto add = [&](int component, const char* type) {
        glb.json["accessors"].push_back({{"componentType", component}, {"count", 65000}, {"type", type}});
        return glb.json["accessors"].size() - 1;
    };
    const nlohmann::json attributes = {{"POSITION", add(5126, "VEC3")},
                                       {"NORMAL", add(5126, "VEC3")},
                                       {"JOINTS_0", add(5121, "VEC4")},
                                       {"WEIGHTS_0", add(5126, "VEC4")}};
    for (int p = 0; p < primitives; ++p) glb.json["meshes"][0]["primitives"].push_back({{"attributes", attributes}});
    glb.save(path);
}

}  // namespace

TEST_F(Limits, WorkGoesOnWithTheThreadsThatCanBeStarted) {
    runWell({"mush", path("bar.glb"), "--threads", "8", "-o", path("free.glb")});
    for (long processes = 1; processes < 8; ++processes) {
        SCOPED_TRACE(processes);
        RunOptions options;
        options.as_nobody = true;
        options.limits = {{RLIMIT_NPROC, processes}};
        for (const char* threads : {"1", "8"}) {
            const RunResult mushed =
                runPelt({"mush", path("bar.glb"), "--threads", threads, "-o", path("m.glb")}, options);
            EXPECT_EQ(mushed.status, 0) << mushed.err;
            EXPECT_EQ(readBytes(path("m.glb")), readBytes(path("free.glb")));
            fs::remove(path("m.glb"));
        }
        const RunResult drawn = runPelt({"render", path("bar.glb"), "--size", "64x64", "-o", path("r.png")}, options);
        EXPECT_EQ(drawn.status, 0) << drawn.err;
        fs::remove(path("r.png"));
    }
}

TEST_F(Limits, TooLittleAddressSpaceIsOneLine) {
    const auto runsThatFit = [](const std::vector<std::string>& words, int enough) {
        int fit = 0;  // in a row: then more memory is no other case
        for (long mebibytes = 120; mebibytes < 420 && fit < enough; mebibytes += 20) {
            SCOPED_TRACE(mebibytes);
            fit = endsInPlainWords(runLimited(words, RLIMIT_AS, mebibytes * kMebibyte)) ? fit + 1 : 0;
        }
        return fit;
    };
    EXPECT_EQ(runsThatFit({"mush", path("bar.glb"), "-o", path("x.glb")}, 2), 2);
    EXPECT_EQ(runsThatFit({"render", path("bar.glb"), "--size", "640x480", "-o", path("x.png")}, 2), 2);
    runsThatFit({"render", path("bar.glb"), "--size", "2400x2400", "-o", path("x.png")}, 1);
}

TEST_F(Limits, RenderingALargeMeshNearItsMemoryLimitIsOneLine) {
    runWell({"sample", "bar", "--resolution", "60000", "-o", path("large.glb")});
    for (long mebibytes = 130; mebibytes < 300; mebibytes += 10) {
        SCOPED_TRACE(mebibytes);
        endsInPlainWords(runLimited({"render", path("large.glb"), "--size", "320x240", "-o", path("x.png")}, RLIMIT_AS,
                                    mebibytes * kMebibyte));
    }
}

TEST_F(Limits, AFewKilobytesThatBecomeMillionsOfVerticesAreBadInputWhereTheMemoryIsNotThere) {
    writeBomb(path("bomb.glb"), bar(), 100);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"info", path("bomb.glb")}, {"bind", path("bomb.glb"), "-o", path("x.glb")}})
        expectFailure(runLimited(words, RLIMIT_AS, 900 * kMebibyte), 3, "memory");
}

TEST_F(Limits, TextWithoutEndIsBadInput) {
    const std::vector<std::string> words = {"pose", bar(), "--handles", "/dev/zero", "-o", path("x.npy")};
    expectFailure(runLimited(words, RLIMIT_AS, 2000 * kMebibyte), 3, "/dev/zero: it has more than");
    fs::create_symlink("/dev/zero", path("endless.obj"));
    expectFailure(runLimited({"info", path("endless.obj")}, RLIMIT_AS, 4000 * kMebibyte), 3, "endless.obj");
    std::ofstream(path("huge.json")).close();
    fs::resize_file(path("huge.json"), std::uintmax_t(1) << 36);
    expectFailure(runPelt({"pose", bar(), "--handles", path("huge.json"), "-o", path("x.npy")}), 3,
                  "it has 68719476736 bytes");
}

TEST_F(Limits, TooManyOpenFilesAreTheSystemsFault) {
    runWell({"deform", bar(), "--frames", ":2", "-o", path("a.npy")});
    runWell({"deform", bar(), "--frames", ":2", "-o", path("b.npy")});
    int refused = 0;  // with fewer files the program cannot even start, with more it works
    for (long files = 3; files < 16; ++files) {
        const RunResult result = runLimited({"compare", path("a.npy"), path("b.npy")}, RLIMIT_NOFILE, files);
        if (result.status == 0 || result.status == 127) continue;
        expectFailure(result, 1, "Too many open files");
        ++refused;
    }
    EXPECT_GT(refused, 0);
    for (long files = 3; files < 9; ++files)
        for (const std::string name : {"a.npy", "bar.glb"}) {
            const RunResult result = runLimited({"info", path(name)}, RLIMIT_NOFILE, files);
            EXPECT_TRUE(result.status == 0 || result.status == 1 || result.status == 127) << result.err;
        }
}

TEST_F(Limits, WordsOfTheLanguageNeverReachAUser) {
    const std::string long_name = path(std::string(300, 'a') + ".json");
    expectFailure(runPelt({"pose", bar(), "--handles", long_name, "-o", path("x.npy")}), 3, "File name too long");
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"pose", bar(), "--handles", long_name, "-o", path("x.npy")},
          {"bake", bar(), "--limits", long_name, "-o", path("x.glb")},
          {"render", path(std::string(300, 'a') + ".glb"), "-o", path("x.png")}})
        endsInPlainWords(runPelt(words));
}

TEST_F(Limits, NamesFromAFileAreShortenedAndPrintable) {
    GlbFile glb(bar());
    // An escape sequence, its eight-bit form, a change of text direction, invalid UTF-8, and a very long name.
    const std::string name =
        "\x1b[2J\xc2\x9b"
        "2J\xe2\x80\xae" +
        std::string(100000, 'x');
    for (auto& clip : glb.json["animations"]) clip["name"] = name;
    for (auto& node : glb.json["nodes"]) node["name"] = name;
    glb.json["extensionsRequired"] = {name};
    glb.save(path("rude.glb"));
    const RunResult refused = runPelt({"info", path("rude.glb")});
    expectFailure(refused, 3, "requires the extension");
    glb.json.erase("extensionsRequired");
    glb.save(path("rude.glb"));
    const RunResult no_clip = runPelt({"deform", path("rude.glb"), "--clip", "dance", "-o", path("x.npy")});
    expectFailure(no_clip, 3, "no clip 'dance'");
    const RunResult told = runPelt({"info", path("rude.glb")});
    EXPECT_EQ(told.status, 0) << told.err;
    const std::string alien = path("no\xff\xc3(.glb");
    for (const std::string& text : {refused.err, no_clip.err, told.out, runPelt({"info", alien}).err}) {
        for (const char* bad : {"\x1b", "\xc2\x9b", "\xe2\x80\xae", "\xff", "\xc3("})
            EXPECT_EQ(text.find(bad), std::string::npos) << text.substr(0, 1000);
        EXPECT_LT(text.size(), 20000u);
    }
    EXPECT_LT(refused.err.size(), 3000u);
    EXPECT_LT(no_clip.err.size(), 6000u);
}

TEST_F(Limits, MeasuringItsMemoryDoesNotChangeWhatOthersMeasure) {
    runWell({"sample", "bar", "--resolution", "100000", "-o", path("large.glb")});
    const RunResult result = runPelt({"info", path("large.glb"), "--json"});
    ASSERT_EQ(result.status, 0) << result.err;
    std::uint64_t largest = 0;
    const nlohmann::json report = result.json();
    for (const auto& stage : report["stages"]) largest = std::max(largest, stage["peak_bytes"].get<std::uint64_t>());
    constexpr std::uint64_t kBatches = 2 << 20;  // the kernel counts pages of each thread in batches
    EXPECT_GE(result.max_resident + kBatches, largest);
    EXPECT_GT(largest, result.max_resident / 2);
}
