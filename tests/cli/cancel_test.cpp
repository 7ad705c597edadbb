#include <algorithm>

#include "program.h"

namespace fs = std::filesystem;

namespace {

class Cancel : public CliTest {
protected:
    bool hasTemporary() const {
        const std::vector<std::string> names = filesLeft();
        return std::any_of(names.begin(), names.end(),
                           [](const std::string& name) { return name.find(".tmp") != std::string::npos; });
    }
    /// Interrupts the command once its temporary file is there; it would run for minutes otherwise.
    RunResult interrupted(const std::vector<std::string>& words) {
        RunOptions options;
        options.interrupt_when = [this] { return hasTemporary(); };
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

TEST_F(Cancel, LongWorkSaysHowFarItIsInPlainLines) {
    RunOptions options;
    options.interrupt_after = std::chrono::milliseconds(2500);
    const RunResult result = runPelt({"deform", bar(), "--fps", "500000", "-o", path("long.npy")}, options);
    EXPECT_EQ(result.status, 130);
    EXPECT_NE(result.err.find("pelt: deform "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(" left\n"), std::string::npos) << result.err;
    EXPECT_LT(std::count(result.err.begin(), result.err.end(), '\n'), 6) << result.err;
    EXPECT_EQ(result.err.find('\r'), std::string::npos);
}
