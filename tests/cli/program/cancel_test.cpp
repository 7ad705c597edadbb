// Ctrl-C and other signals.
#include <algorithm>
#include <fstream>

#include "cli/support/program.h"

namespace fs = std::filesystem;

namespace {

class Cancel : public CliTest {
protected:
    bool hasTemporary(const fs::path& below = {}) const {
        for (const auto& entry : fs::directory_iterator(folder_ / below))
            if (entry.path().extension() == ".tmp") return true;
        return false;
    }
    /// Interrupts the command when its temporary file exists; otherwise it would run for minutes.
    RunResult interrupted(const std::vector<std::string>& words) {
        RunOptions options;
        options.interrupt_when = [this](int) { return hasTemporary(); };
        return runPelt(words, options);
    }
};

}  // namespace

TEST_F(Cancel, CtrlCEndsADeformWith130AndLeavesNothingHalf) {
    const RunResult result = interrupted({"deform", bar(), "--fps", "500000", "-o", path("long.npy"), "--quiet"});
    EXPECT_EQ(result.status, 130) << result.err;
    EXPECT_EQ(result.err, "pelt: cancelled\n");
    EXPECT_TRUE(filesLeft().empty());
}

TEST_F(Cancel, TheOldFileStaysAsItWas) {
    writeBytes(path("long.npy"), "old");
    const RunResult result = interrupted({"deform", bar(), "--fps", "500000", "-o", path("long.npy"), "--quiet"});
    EXPECT_EQ(result.status, 130) << result.err;
    EXPECT_EQ(filesLeft(), std::vector<std::string>{"long.npy"});
    EXPECT_EQ(readBytes(path("long.npy")), "old");
}

TEST_F(Cancel, AFolderOfFramesIsRemovedAsAWhole) {
    const RunResult result = interrupted({"deform", bar(), "--fps", "500000", "-o", path("frames"), "--quiet"});
    EXPECT_EQ(result.status, 130) << result.err;
    EXPECT_TRUE(filesLeft().empty());
}

TEST_F(Cancel, ALongPictureStopsWithinASecond) {
    RunOptions options;
    options.interrupt_after = std::chrono::milliseconds(400);
    const auto began = std::chrono::steady_clock::now();
    const RunResult result = runPelt({"render", bar(), "--size", "8000x8000", "-o", path("r.png"), "--quiet"}, options);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    EXPECT_EQ(result.status, 130) << result.err;
    EXPECT_LT(took.count(), 10.0);  // generous: sanitizers and a busy machine; the program itself gives up after 0.7 s
    EXPECT_TRUE(filesLeft().empty());
}

TEST_F(Cancel, WorkThatDoesNotListenIsEndedToo) {
    RunOptions options;
    options.interrupt_after = std::chrono::milliseconds(200);
    const RunResult result =
        runPelt({"sample", "biped", "--resolution", "400000", "-o", path("b.glb"), "--quiet"}, options);
    EXPECT_EQ(result.status, 130) << result.err;
    EXPECT_EQ(result.err, "pelt: cancelled\n");
    EXPECT_TRUE(filesLeft().empty());
}

TEST_F(Cancel, SigtermIsACancellationToo) {
    runWell({"sample", "bar", "--resolution", "150000", "-o", path("large.glb")});
    RunOptions options;
    options.interrupt = SIGTERM;
    options.interrupt_after = std::chrono::milliseconds(400);
    options.timeout = std::chrono::seconds(120);
    for (const char* threads : {"1", "4"}) {
        const RunResult result = runPelt(
            {"deform", path("large.glb"), "--method", "dm", "--threads", threads, "-o", path("m.npy"), "--quiet"},
            options);
        EXPECT_EQ(result.status, 130) << result.err;
        EXPECT_EQ(result.err, "pelt: cancelled\n");
    }
    EXPECT_EQ(filesLeft(), std::vector<std::string>{"large.glb"});
}

TEST_F(Cancel, NothingIsLeftBehindALinkIntoAnotherFolder) {
    fs::create_directory(path("other"));
    writeBytes(path("other/real.npy"), "old");
    fs::create_symlink("other/real.npy", path("link.npy"));
    fs::create_directory(path("other/frames"));
    fs::create_symlink("other/frames", path("frames"));
    for (const char* output : {"link.npy", "frames"}) {
        RunOptions options;
        options.interrupt_when = [this](int) { return hasTemporary("other"); };
        options.interrupts = 2;  // the second ends the program immediately
        const RunResult result = runPelt({"deform", bar(), "--fps", "500000", "-o", path(output), "--quiet"}, options);
        EXPECT_EQ(result.status, 130) << result.err;
        EXPECT_FALSE(hasTemporary("other"));
    }
    EXPECT_EQ(readBytes(path("other/real.npy")), "old");
    EXPECT_TRUE(fs::is_symlink(path("frames")));
}

TEST_F(Cancel, LongWorkSaysHowFarItIsInPlainLines) {
    RunOptions options;
    options.interrupt_after = std::chrono::milliseconds(4000);
    const RunResult result =
        runPelt({"deform", bar(), "--fps", "500000", "--threads", "1", "-o", path("long.npy")}, options);
    EXPECT_EQ(result.status, 130);
    EXPECT_NE(result.err.find("pelt: deform "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(" left\n"), std::string::npos) << result.err;
    EXPECT_LT(std::count(result.err.begin(), result.err.end(), '\n'), 8) << result.err;
    EXPECT_EQ(result.err.find('\r'), std::string::npos);
}

TEST_F(Cancel, ATerminalShowsABarWithStagePercentAndTimeLeft) {
    RunOptions options;
    options.terminal = true;
    options.interrupt_after = std::chrono::milliseconds(3000);
    options.environment = {"TERM=xterm", "LC_ALL=C.UTF-8"};
    const std::vector<std::string> words = {"deform",    bar(), "--fps", "500000",
                                            "--threads", "1",   "-o",    path("long.npy")};
    const RunResult colored = runPelt(words, options);
    EXPECT_EQ(colored.status, 130);
    for (const char* part : {"deform ", "░", " % ", " left", "\x1b[36m", "\r\x1b[2K"})
        EXPECT_NE(colored.err.find(part), std::string::npos) << part;
    options.environment.push_back("NO_COLOR=1");
    const RunResult plain = runPelt(words, options);
    EXPECT_NE(plain.err.find(" left"), std::string::npos) << plain.err;
    EXPECT_EQ(plain.err.find("\x1b[36m"), std::string::npos);
}
