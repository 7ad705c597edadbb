// Kinds of files.
#include <gtest/gtest.h>
#include <pelt/verbs/files.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

namespace pelt::verbs {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "pelt-files-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }
    fs::path touch(const char* name) {
        std::ofstream(folder_ / name) << "x";
        return folder_ / name;
    }

    fs::path folder_;
};

}  // namespace

TEST_F(Files, TheKindFollowsTheExtensionOfAnyCase) {
    EXPECT_EQ(fileKind(touch("a.GLB")), FileKind::character);
    EXPECT_EQ(fileKind(touch("a.fbx")), FileKind::character);
    EXPECT_EQ(fileKind(touch("a.Obj")), FileKind::mesh);
    EXPECT_EQ(fileKind(touch("a.npy")), FileKind::sequence);
    EXPECT_EQ(fileKind(folder_), FileKind::sequence);
    EXPECT_EQ(fileKind(folder_ / "*.obj"), FileKind::sequence);
}

TEST_F(Files, WhatPeltDoesNotReadIsBadInput) {
    EXPECT_THROW(fileKind(touch("a.stl")), Error);
    EXPECT_THROW(fileKind(touch("a")), Error);
    EXPECT_THROW(fileKind(folder_ / "missing.glb"), Error);
    ASSERT_EQ(::mkfifo((folder_ / "pipe.glb").c_str(), 0600), 0);
    EXPECT_THROW(fileKind(folder_ / "pipe.glb"), Error);
}

}  // namespace pelt::verbs
