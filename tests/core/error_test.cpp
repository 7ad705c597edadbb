// Errors: file, subject and sentence.
#include <gtest/gtest.h>
#include <pelt/core/error.h>

namespace pelt {
namespace {

TEST(Error, SaysFileThenSubjectThenSentence) {
    const Error error = Error::badInput({"hero.glb", "clip 'walk'"}, "has no keys");
    EXPECT_STREQ(error.what(), "hero.glb: clip 'walk': has no keys");
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_EQ(error.file(), "hero.glb");
    EXPECT_EQ(error.subject(), "clip 'walk'");
    EXPECT_EQ(error.sentence(), "has no keys");
}

TEST(Error, NamesItsFileOnceTheOneThatWasRead) {
    const Error plain = Error::badInput({"", "clip 'x'"}, "not found").in("a.glb");
    EXPECT_STREQ(plain.what(), "a.glb: clip 'x': not found");
    EXPECT_EQ(plain.code(), ErrorCode::bad_input);
    EXPECT_STREQ(plain.in("a.glb").what(), "a.glb: clip 'x': not found");
    EXPECT_STREQ(plain.in("other.glb").what(), "a.glb: clip 'x': not found");
}

TEST(Error, StoppingIsNoFaultOfAFile) {
    EXPECT_STREQ(Error(ErrorCode::cancelled, "cancelled").in("a.glb").what(), "cancelled");
}

}  // namespace
}  // namespace pelt
