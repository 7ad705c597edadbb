// The name that somebody meant.
#include <gtest/gtest.h>
#include <pelt/core/spelling.h>

#include <vector>

using pelt::didYouMean;
using pelt::listNames;
using pelt::nearestName;

namespace {

const std::vector<std::string> kNames = {"walk", "run", "forearm_L", "forearm_R", "hand_L", "range_of_motion"};

}  // namespace

TEST(Spelling, OneSlipOfTheHandFindsTheName) {
    for (const char* slip : {"wlak", "wak", "walkk", "welk", "WALK"})
        EXPECT_EQ(nearestName(slip, kNames), "walk") << slip;
    EXPECT_EQ(nearestName("rnu", kNames), "run");
    EXPECT_EQ(nearestName("foream_R", kNames), "forearm_R");
    EXPECT_EQ(nearestName("rangeofmotion", kNames), "range_of_motion");
}

TEST(Spelling, APartOfANameFindsTheShortestWithIt) {
    EXPECT_EQ(nearestName("forearm", kNames), "forearm_L");
    EXPECT_EQ(nearestName("motion", kNames), "range_of_motion");
    EXPECT_EQ(nearestName("n", kNames), "") << "a letter is in nearly every name";
}

TEST(Spelling, WhatIsLikeNoNameFindsNone) {
    for (const char* other : {"dance", "x", "", "tail", "of"}) EXPECT_EQ(nearestName(other, kNames), "") << other;
    EXPECT_EQ(nearestName(std::string(100000, 'a'), kNames), "");
    EXPECT_EQ(nearestName("walk", std::vector<std::string>{}), "");
    EXPECT_EQ(nearestName("walk", std::vector<std::string>{"", std::string(100000, 'w')}), "");
}

TEST(Spelling, MessagesAskOrSayNothing) {
    EXPECT_EQ(didYouMean("wlak", kNames), "; did you mean 'walk'?");
    EXPECT_EQ(didYouMean("dance", kNames), "");
}

TEST(Spelling, AListOfNamesIsCutAfterAFew) {
    EXPECT_EQ(listNames(std::vector<std::string>{}), "");
    EXPECT_EQ(listNames(std::vector<std::string>{"a", "b"}), "'a', 'b'");
    const std::string many = listNames(std::vector<std::string>(300, "joint"));
    EXPECT_LT(many.size(), 150u);
    EXPECT_NE(many.find(", … (300 in all)"), std::string::npos) << many;
}
