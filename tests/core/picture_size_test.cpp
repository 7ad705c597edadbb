// Sizes of pictures as text.
#include <gtest/gtest.h>
#include <pelt/core/image.h>

namespace pelt {
namespace {

TEST(PictureSize, IsReadAsWidthAndHeight) {
    PictureSize size;
    ASSERT_TRUE(readText("1280x960", size));
    EXPECT_EQ(size.width, 1280);
    EXPECT_EQ(size.height, 960);
    EXPECT_TRUE(readText("16X16384", size));
}

TEST(PictureSize, AnythingElseIsRefused) {
    PictureSize size;
    for (const char* text :
         {"", "x", "1280", "1280x", "x960", "1280x960 ", "1280x960x3", "15x16", "16x16385", "-20x20"})
        EXPECT_FALSE(readText(text, size)) << text;
}

}  // namespace
}  // namespace pelt
