// Clips by name and index.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/rig/character.h>

namespace pelt::rig {
namespace {

TEST(Clips, AreFoundByNameThenByIndex) {
    Character character;
    character.clips.resize(3);
    character.clips[0].name = "walk";
    character.clips[1].name = "0";
    character.clips[2].name = "run";
    EXPECT_EQ(findClip(character, "run").name, "run");
    EXPECT_EQ(findClip(character, "2").name, "run");
    EXPECT_EQ(&findClip(character, "0"), &character.clips[1]);
}

TEST(Clips, AnUnknownOneIsRefusedWithTheListOfThoseThereAre) {
    Character character;
    character.clips.resize(1);
    character.clips[0].name = "walk";
    for (const char* wrong : {"jump", "1", "-1", ""}) {
        try {
            findClip(character, wrong);
            FAIL() << wrong;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input);
            EXPECT_NE(std::string(error.what()).find("'walk'"), std::string::npos);
        }
    }
}

}  // namespace
}  // namespace pelt::rig
