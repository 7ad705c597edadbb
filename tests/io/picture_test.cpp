// Pictures that are read.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/io/picture.h>

namespace pelt::io {
namespace {

std::vector<std::uint8_t> checkered(std::size_t width, std::size_t height) {
    std::vector<std::uint8_t> rgba;
    for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < width; ++x)
            for (const std::size_t c : {40 * x, 30 * y, x * y, 255 - 9 * ((x + y) % 20)})
                rgba.push_back(std::uint8_t(c % 256));
    return rgba;
}

}  // namespace

TEST(Pictures, AreReadAsTheyWereWritten) {
    const std::vector<std::uint8_t> rgba = checkered(13, 7);
    const std::vector<std::byte> file = toPng(13, 7, rgba, "checkered");
    const Picture picture = parsePicture(file, "checkered.png");
    EXPECT_EQ(picture.width, 13u);
    EXPECT_EQ(picture.height, 7u);
    EXPECT_EQ(picture.rgba, rgba);
    EXPECT_EQ(picture.file, file);
    EXPECT_EQ(picture.media_type, "image/png");
    EXPECT_TRUE(picture.has_alpha);
}

TEST(Pictures, CutOffAnywhereAreRefused) {
    const std::vector<std::byte> file = toPng(13, 7, checkered(13, 7), "checkered");
    for (std::size_t size = 0; size + 20 < file.size(); ++size)  // the end marker and the checksum are not needed
        EXPECT_THROW(parsePicture(std::span(file).first(size), "cut.png"), Error) << size;
}

TEST(Pictures, InUrisHaveTheirNames) {
    const DataFile named = readDataUri("data:image/png;name=my%20hero.png;base64,AQID", "picture");
    EXPECT_EQ(named.name, "my hero.png");
    EXPECT_EQ(named.bytes, (std::vector<std::byte>{std::byte(1), std::byte(2), std::byte(3)}));
    EXPECT_EQ(readDataUri("data:image/png;base64,AQID", "picture").name, "picture");
    EXPECT_THROW(readDataUri("data:image/png,AQID", "picture"), Error);
    EXPECT_THROW(readDataUri("data:image/png;base64,A!", "picture"), Error);
}

}  // namespace pelt::io
