// Damaged files and a helper that misbehaves: one clear line, never a crash or a hang of this process.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdint>

#include "import_support.h"

using namespace pelt;
namespace fs = std::filesystem;

namespace {

/// A small generator of its own, so that the mutations are the same everywhere.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}
    std::size_t below(std::size_t n) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::size_t>(state_ >> 33) % n;
    }

private:
    std::uint64_t state_;
};

std::string mutated(std::string bytes, Dice& dice) {
    switch (dice.below(4)) {
        case 0:
            bytes.resize(dice.below(bytes.size()));
            break;
        case 1:
            for (int i = 0; i < 8; ++i) bytes[dice.below(bytes.size())] = static_cast<char>(dice.below(256));
            break;
        case 2: {
            const std::size_t at = dice.below(bytes.size() - 8);
            bytes.replace(at, 4, std::string(4, static_cast<char>(dice.below(2) ? 0xff : 0x7f)));
            break;
        }
        default: {
            const std::size_t at = dice.below(bytes.size()), size = dice.below(bytes.size() - at) / 4;
            bytes.erase(at, size);
        }
    }
    return bytes;
}

/// Reads mutations of a file: each loads or is bad input with one line (importFault checks that).
void readMutations(const std::string& name, int count) {
    const ScratchFolder folder;
    const std::string bytes = readBytes(importData(name));
    Dice dice(7);
    int faults = 0;
    for (int i = 0; i < count; ++i) {
        SCOPED_TRACE(i);
        const fs::path path = folder.write("mutated" + importData(name).extension().string(), mutated(bytes, dice));
        if (!importFault(path).empty()) ++faults;
    }
    EXPECT_GT(faults, count / 4) << "the mutations do too little";
}

io::ImportOptions helper(const ScratchFolder& folder, const std::string& script, double seconds = 20) {
    io::ImportOptions options;
    options.importer = folder.write("helper", "#!/bin/sh\n" + script + "\n");
    ::chmod(options.importer.c_str(), 0755);
    options.timeout_seconds = seconds;
    return options;
}

}  // namespace

TEST(ImportFaults, DamagedBinaryFbxIsBadInput) { readMutations("smooth_bar.fbx", 40); }
TEST(ImportFaults, DamagedTextFbxIsBadInput) { readMutations("scale_compensation.fbx", 40); }
TEST(ImportFaults, DamagedColladaIsBadInput) { readMutations("smooth_bar.dae", 40); }

TEST(ImportFaults, AbsurdSizesInABinaryHeaderAreSeenBeforeMemoryIsTaken) {
    const ScratchFolder folder;
    std::string bytes = readBytes(importData("smooth_bar.fbx"));
    for (const std::size_t at : {27u, 31u, 35u}) {  // end offset, value count and value bytes of the first record
        std::string damaged = bytes;
        damaged.replace(at, 4, "\xff\xff\xff\x7f");
        const std::string fault = importFault(folder.write("absurd.fbx", damaged));
        EXPECT_TRUE(at == 35u || fault.find("damaged at byte") != std::string::npos) << fault;
    }
}

TEST(ImportFaults, FilesOfAnotherKindSaySo) {
    const ScratchFolder folder;
    for (const char* name : {"garbage.fbx", "garbage.dae"}) {
        EXPECT_NE(importFault(folder.write(name, "the quick brown fox\n")).find("neither an FBX nor a Collada"),
                  std::string::npos);
        EXPECT_NE(importFault(folder.write(name, "")).find("neither"), std::string::npos);
    }
    EXPECT_FALSE(importFault(folder.write("a.dae", "<COLLADA <<< this is no XML")).empty());
    EXPECT_FALSE(importFault(folder.write("a.dae", "<?xml version=\"1.0\"?><COLLADA version=\"1.4.1\"/>")).empty());
    EXPECT_NE(importFault(folder.write("old.fbx", "; FBX 5.0\nFBXHeaderExtension: {\nFBXVersion: 5000\n}\n"))
                  .find("older than 6"),
              std::string::npos);
    EXPECT_FALSE(importFault(folder.write("b.fbx", "; FBX 7.4.0 project file\n{{{{")).empty());
    EXPECT_NE(
        importFault(folder.write("c.fbx", "; FBX 6.1.0 project file\nFBXHeaderExtension: {\nFBXVersion: 6100\n}\n"))
            .find("it has no mesh and no animation"),
        std::string::npos);
}

TEST(ImportFaults, CurvesWithoutAMeshSaySo) {
    const ScratchFolder folder;
    const std::string text =
        "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXVersion: 7400\n}\nObjects:  {\n\tGeometry: 1, "
        "\"Geometry::curve\", \"NurbsCurve\" {\n\t\tOrder: 4\n\t}\n\tModel: 2, \"Model::curve\", \"NurbsCurve\" "
        "{\n\t}\n}\nConnections:  {\n\tC: \"OO\",1,2\n\tC: \"OO\",2,0\n}\n";
    EXPECT_NE(importFault(folder.write("nurbs.fbx", text)).find("NURBS curves or surfaces, but no mesh"),
              std::string::npos);
}

TEST(ImportFaults, DeeplyNestedTextIsRefused) {
    const ScratchFolder folder;
    std::string text = "; FBX 7.4.0 project file\n";
    for (int i = 0; i < 100000; ++i) text += "a: {";
    EXPECT_NE(importFault(folder.write("deep.fbx", text)).find("nested too deeply"), std::string::npos);
}

TEST(ImportFaults, AMissingFileIsBadInput) {
    EXPECT_NE(importFault("nowhere/hero.fbx").find("no such file"), std::string::npos);
}

TEST(ImportFaults, ACrashOfTheHelperIsBadInput) {
    const ScratchFolder folder;
    EXPECT_NE(importFault(importData("smooth_bar.fbx"), helper(folder, "kill -SEGV $$"))
                  .find("the importer crashed while reading it (signal 11)"),
              std::string::npos);
    EXPECT_NE(importFault(importData("smooth_bar.fbx"), helper(folder, "exit 77")).find("(exit status 77)"),
              std::string::npos);
}

TEST(ImportFaults, AHelperThatHangsIsStopped) {
    const ScratchFolder folder;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_NE(importFault(importData("smooth_bar.fbx"), helper(folder, "exec sleep 100", 0.3))
                  .find("took longer than 0.3 seconds"),
              std::string::npos);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(50));
}

TEST(ImportFaults, AHelperThatWritesWithoutEndIsStopped) {
    const ScratchFolder folder;
    io::ImportOptions options = helper(folder, "exec cat /dev/zero");
    options.memory_bytes = std::uint64_t(1) << 20;
    EXPECT_NE(importFault(importData("smooth_bar.fbx"), options).find("more than 1 MiB"), std::string::npos);
}

TEST(ImportFaults, OutputThatIsNoCharacterIsBadInput) {
    const ScratchFolder folder;
    EXPECT_FALSE(importFault(importData("smooth_bar.fbx"), helper(folder, "echo nonsense")).empty());
}

TEST(ImportFaults, TooLittleMemoryIsSaid) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer needs the whole address space, so the helper does not limit it";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    GTEST_SKIP() << "a sanitizer needs the whole address space, so the helper does not limit it";
#endif
#endif
    const ScratchFolder folder;
    // 70 MiB of text for a helper that may take 64.
    std::string text = readBytes(importData("scale_compensation.fbx"));
    text += "; " + std::string(std::size_t(70) << 20, '-') + "\n";
    io::ImportOptions options;
    options.memory_bytes = std::uint64_t(64) << 20;
    EXPECT_NE(importFault(folder.write("large.fbx", text), options).find("more than the free memory"),
              std::string::npos);
}

TEST(ImportFaults, CancellingStopsTheHelper) {
    const ScratchFolder folder;
    const Progress stop([](std::string_view, double) { return false; });
    try {
        io::importCharacter(importData("smooth_bar.fbx"), helper(folder, "exec sleep 100"), stop);
        FAIL() << "not cancelled";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::cancelled);
    }
}

TEST(ImportFaults, AnInterruptThatReachesTheHelperIsACancellation) {
    const ScratchFolder folder;
    try {
        io::importCharacter(importData("smooth_bar.fbx"), helper(folder, "kill -INT $$; exec sleep 100"));
        FAIL() << "not cancelled";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::cancelled);
    }
}

TEST(ImportFaults, WarningsOfTheHelperAreHandedOn) {
    const ScratchFolder folder;
    const std::string real = io::findImporter().string();
    const std::vector<std::string> warnings =
        io::importCharacter(
            importData("smooth_bar.fbx"),
            helper(folder,
                   "echo 'noise of a library' >&2; echo 'warning: the hat is askew' >&2; exec " + real + " \"$@\""))
            .warnings;
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0], "the hat is askew");
}

TEST(ImportFaults, AMissingHelperIsASystemError) {
    const char* before = ::getenv("PELT_IMPORTER");
    const std::string kept = before ? before : "";
    ::setenv("PELT_IMPORTER", "/nowhere/pelt-import", 1);
    try {
        io::importCharacter(importData("smooth_bar.fbx"));
        ADD_FAILURE() << "a helper was found";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::system);
        EXPECT_NE(std::string(error.what()).find("/nowhere/pelt-import"), std::string::npos);
    }
    before ? ::setenv("PELT_IMPORTER", kept.c_str(), 1) : ::unsetenv("PELT_IMPORTER");
}
