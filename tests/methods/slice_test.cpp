// Slices of frames, as in Python.
#include "methods/slice.h"

#include <gtest/gtest.h>
#include <pelt/core/error.h>

namespace pelt::methods {
namespace {

using Indices = std::vector<std::size_t>;

Indices chosen(const char* text, std::size_t size) { return sliceIndices(parseSlice(text), size); }

ErrorCode codeOf(const char* text, std::size_t size) {
    try {
        chosen(text, size);
    } catch (const Error& error) {
        return error.code();
    }
    ADD_FAILURE() << text << " was accepted";
    return ErrorCode::system;
}

}  // namespace

// What list(range(6))[slice] gives in Python 3.
TEST(Slice, ChoosesWhatPythonChooses) {
    EXPECT_EQ(chosen(":", 6), (Indices{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(chosen("::", 6), (Indices{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(chosen("1:4", 6), (Indices{1, 2, 3}));
    EXPECT_EQ(chosen("::2", 6), (Indices{0, 2, 4}));
    EXPECT_EQ(chosen("1::3", 6), (Indices{1, 4}));
    EXPECT_EQ(chosen("-2:", 6), (Indices{4, 5}));
    EXPECT_EQ(chosen(":-4", 6), (Indices{0, 1}));
    EXPECT_EQ(chosen("-100:100", 6), (Indices{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(chosen("4:2", 6), Indices{});
    EXPECT_EQ(chosen("10:", 6), Indices{});
    EXPECT_EQ(chosen(":", 0), Indices{});
}

TEST(Slice, StepsBackwardsAsPythonDoes) {
    EXPECT_EQ(chosen("::-1", 6), (Indices{5, 4, 3, 2, 1, 0}));
    EXPECT_EQ(chosen("4:1:-1", 6), (Indices{4, 3, 2}));
    EXPECT_EQ(chosen("-1:-4:-2", 6), (Indices{5, 3}));
    EXPECT_EQ(chosen("100::-3", 6), (Indices{5, 2}));
    EXPECT_EQ(chosen("2::-1", 6), (Indices{2, 1, 0}));
    EXPECT_EQ(chosen(":-100:-1", 6), (Indices{5, 4, 3, 2, 1, 0}));
    EXPECT_EQ(chosen("-100::-1", 6), Indices{});
    EXPECT_EQ(chosen("::-1", 0), Indices{});
}

TEST(Slice, ALoneNumberIsThatOneEntryAndMustExist) {
    EXPECT_EQ(chosen("3", 6), Indices{3});
    EXPECT_EQ(chosen("-1", 6), Indices{5});
    EXPECT_EQ(codeOf("6", 6), ErrorCode::bad_input);
    EXPECT_EQ(codeOf("-7", 6), ErrorCode::bad_input);
    EXPECT_EQ(codeOf("0", 0), ErrorCode::bad_input);
}

TEST(Slice, HugeNumbersDoNotOverflow) {
    EXPECT_EQ(chosen("1::9223372036854775807", 6), Indices{1});
    EXPECT_EQ(chosen("::-9223372036854775808", 6), Indices{5});
    EXPECT_EQ(chosen("-9223372036854775808:9223372036854775807", 3), (Indices{0, 1, 2}));
    EXPECT_EQ(codeOf("99999999999999999999:", 6), ErrorCode::bad_usage);
}

TEST(Slice, WhatIsNoSliceIsWrongUsage) {
    for (const char* text : {"", "a", "1:b", "1:2:3:4", "::0", "1.5:", " 1:2", "1 :2", "--1:", "1,2"})
        EXPECT_EQ(codeOf(text, 6), ErrorCode::bad_usage) << text;
}

}  // namespace pelt::methods
