// Files that appear whole or not at all.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

namespace pelt::io {
namespace {

namespace fs = std::filesystem;

class AtomicOutput : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("pelt_atomic_" + std::to_string(::getpid()));
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    static std::string contents(const fs::path& path) {
        std::ifstream file(path);
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }
    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }

    fs::path folder_;
};

TEST_F(AtomicOutput, NothingAppearsBeforeCommit) {
    const fs::path target = folder_ / "a.txt";
    AtomicFile file(target);
    file.write("hello");
    EXPECT_FALSE(fs::exists(target));
    file.commit();
    EXPECT_EQ(contents(target), "hello");
    EXPECT_EQ(entries(), 1u);
}

TEST_F(AtomicOutput, AnAbandonedFileLeavesTheOldOne) {
    const fs::path target = folder_ / "a.txt";
    std::ofstream(target) << "old";
    { AtomicFile(target).write("half of the n"); }
    EXPECT_EQ(contents(target), "old");
    EXPECT_EQ(entries(), 1u);
}

TEST_F(AtomicOutput, AHeaderCanBeWrittenLast) {
    AtomicFile file(folder_ / "a.txt");
    file.write("0000 body");
    file.rewrite(0, std::as_bytes(std::span("1234", 4)));
    file.write(" end");
    file.commit();
    EXPECT_EQ(contents(folder_ / "a.txt"), "1234 body end");
}

TEST_F(AtomicOutput, AMissingFolderIsASystemError) {
    try {
        AtomicFile file(folder_ / "missing" / "a.txt");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::system);
    }
}

TEST_F(AtomicOutput, ADeviceStaysADevice) {
    const fs::path null = "/dev/null";
    AtomicFile file(null);
    file.write("gone");
    file.commit();
    EXPECT_TRUE(fs::is_character_file(null));
    EXPECT_THROW(
        {
            AtomicFile full("/dev/full");
            full.write("no room");
            full.commit();
        },
        Error);
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(AtomicOutput, ALinkStaysALink) {
    std::ofstream(folder_ / "real.txt") << "old";
    fs::create_symlink("real.txt", folder_ / "link.txt");
    AtomicFile file(folder_ / "link.txt");
    file.write("new");
    file.commit();
    EXPECT_TRUE(fs::is_symlink(folder_ / "link.txt"));
    EXPECT_EQ(contents(folder_ / "real.txt"), "new");
}

TEST_F(AtomicOutput, ALinkToAFileThatIsNotThereYetStaysALink) {
    fs::create_directory(folder_ / "other");
    fs::create_symlink("other/real.txt", folder_ / "link.txt");
    AtomicFile file(folder_ / "link.txt");
    file.write("new");
    file.commit();
    EXPECT_TRUE(fs::is_symlink(folder_ / "link.txt"));
    EXPECT_EQ(contents(folder_ / "other" / "real.txt"), "new");
    fs::create_symlink("none/real.txt", folder_ / "nowhere.txt");
    EXPECT_THROW(AtomicFile(folder_ / "nowhere.txt"), Error);
    fs::create_symlink("loop.txt", folder_ / "loop.txt");
    EXPECT_THROW(AtomicFile(folder_ / "loop.txt").commit(), Error);
}

TEST_F(AtomicOutput, AFolderIsReplacedAsAWhole) {
    const fs::path target = folder_ / "frames";
    fs::create_directory(target);
    std::ofstream(target / "stale.obj") << "old";
    { AtomicFolder abandoned(target); }
    EXPECT_TRUE(fs::exists(target / "stale.obj"));
    AtomicFolder folder(target / "");
    std::ofstream(folder.path() / "frame_0.obj") << "new";
    folder.commit();
    EXPECT_FALSE(fs::exists(target / "stale.obj"));
    EXPECT_EQ(contents(target / "frame_0.obj"), "new");
    EXPECT_EQ(entries(), 1u);
}

TEST_F(AtomicOutput, AFileKeepsThePermissionsOfTheOneThatItReplaces) {
    const fs::path target = folder_ / "secret.txt";
    for (const auto mode : {fs::perms(0600), fs::perms(0664), fs::perms(0444)}) {
        if (mode == fs::perms(0444) && ::geteuid() != 0) continue;  // only root may replace it
        std::ofstream(target) << "old";
        fs::permissions(target, mode);
        AtomicFile file(target);
        file.write("new");
        for (const auto& entry : fs::directory_iterator(folder_))
            EXPECT_EQ(entry.status().permissions() & ~mode, fs::perms::none) << entry.path();
        file.commit();
        EXPECT_EQ(fs::status(target).permissions(), mode);
        EXPECT_EQ(contents(target), "new");
        fs::remove(target);
    }
}

TEST_F(AtomicOutput, NobodyCanForeseeTemporaryNames) {
    // Like two containers that share a folder: both have the same process id and start counting at the same number.
    const auto name = [&] {
        AtomicFile file(folder_ / "a.txt");
        for (const auto& entry : fs::directory_iterator(folder_)) return entry.path().filename().string();
        return std::string();
    };
    const std::string first = name(), second = name();
    EXPECT_EQ(first.find(std::to_string(::getpid())), std::string::npos) << first;
    EXPECT_NE(first, second);
    EXPECT_GE(first.size(), std::string("a.txt..tmp").size() + 16) << first;
}

TEST_F(AtomicOutput, TheLongestNameThatAFileMayHaveCanBeWritten) {
    AtomicFile file(folder_ / std::string(255, 'a'));
    file.write("x");
    file.commit();
    EXPECT_EQ(entries(), 1u);
}

TEST_F(AtomicOutput, AReplacedFolderIsThereAtEveryMoment) {
    const fs::path target = folder_ / "frames";
    fs::create_directory(target);
    std::ofstream(target / "frame_0000.obj") << "old";
    std::atomic<bool> done{false};
    std::atomic<int> missed{0};
    std::thread reader([&] {
        while (!done) {
            struct stat status = {};
            if (::stat(target.c_str(), &status) != 0) ++missed;
        }
    });
    for (int i = 0; i < 300; ++i) {
        AtomicFolder folder(target);
        std::ofstream(folder.path() / "frame_0000.obj") << i;
        folder.commit();
    }
    done = true;
    reader.join();
    EXPECT_EQ(missed, 0);
    EXPECT_EQ(entries(), 1u);
}

TEST_F(AtomicOutput, AFolderInAReplacedFolderIsNotDeleted) {
    const fs::path target = folder_ / "frames";
    fs::create_directories(target / "frame_0000.obj");
    std::ofstream(target / "frame_0000.obj" / "mine.txt") << "mine";
    try {
        AtomicFolder folder(target);
        std::ofstream(folder.path() / "frame_0000.obj") << "new";
        folder.commit();
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::system);
    }
    int found = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) found += entry.path().filename() == "mine.txt";
    EXPECT_EQ(found, 1);
}

TEST_F(AtomicOutput, ALinkToAFolderStaysALink) {
    fs::create_directories(folder_ / "other" / "real");
    fs::create_directory_symlink("other/real", folder_ / "frames");
    AtomicFolder folder(folder_ / "frames");
    std::ofstream(folder.path() / "frame_0000.obj") << "new";
    folder.commit();
    EXPECT_TRUE(fs::is_symlink(folder_ / "frames"));
    EXPECT_EQ(contents(folder_ / "other" / "real" / "frame_0000.obj"), "new");
}

TEST_F(AtomicOutput, WhatAKilledProcessLeftIsRemovedByTheNextOneAndNothingElse) {
    const fs::path target = folder_ / "a.txt", frames = folder_ / "frames";
    const pid_t child = ::fork();
    if (child == 0) {
        AtomicFile file(target);
        AtomicFolder folder(frames);
        std::ofstream(folder.path() / "frame_0.obj") << "half";
        ::kill(::getpid(), SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
    EXPECT_EQ(entries(), 2u) << "a killed process leaves its temporary files";
    for (const char* mine : {"a.txt.0123456789abcdeX.tmp", "b.txt.0123456789abcdef.tmp", "a.txt.tmp"})
        std::ofstream(folder_ / mine) << "mine";
    AtomicFile alive(target);
    { AtomicFile(target).write("another one that is not finished"); }
    AtomicFolder also_alive(frames);
    EXPECT_EQ(entries(), 5u) << "two of this process, and three of somebody else";
    alive.write("new");
    alive.commit();
    also_alive.commit();
    EXPECT_EQ(contents(target), "new");
    EXPECT_TRUE(fs::is_directory(frames));
    EXPECT_EQ(entries(), 5u);
}

TEST_F(AtomicOutput, LinksThatLookLikeLeftoversAreNotFollowed) {
    fs::create_directory(folder_ / "precious");
    std::ofstream(folder_ / "precious" / "mine.txt") << "mine";
    fs::create_directory_symlink("precious", folder_ / "a.txt.0123456789abcdef.tmp");
    AtomicFile(folder_ / "a.txt").commit();
    EXPECT_EQ(contents(folder_ / "precious" / "mine.txt"), "mine");
}

TEST_F(AtomicOutput, ReadingSaysWhatIsWrong) {
    EXPECT_THROW(readFile(folder_ / "missing"), Error);
    EXPECT_THROW(readFile(folder_), Error);
    std::ofstream(folder_ / "a") << "12345";
    EXPECT_EQ(readFile(folder_ / "a").size(), 5u);
    EXPECT_THROW(readFile(folder_ / "a", 4), Error);
}

}  // namespace
}  // namespace pelt::io
