// Writing .png.
#include <pelt/io/png.h>

#include "file_test_tools.h"

using namespace pelt;
using namespace pelt::test;

namespace {

Image gradient(int width, int height) {
    Image image(width, height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            image.pixel(x, y)[0] = static_cast<std::uint8_t>(x);
            image.pixel(x, y)[1] = static_cast<std::uint8_t>(y);
            image.pixel(x, y)[2] = static_cast<std::uint8_t>(x * y);
        }
    return image;
}

std::uint32_t bigEndian(std::span<const std::byte> bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint32_t>(bytes[at + i]);
    return value;
}

}  // namespace

TEST(Png, HasSignatureSizeAndColorType) {
    const TempFolder folder;
    io::savePng(gradient(37, 21), folder / "a.png");
    const auto bytes = io::readFile(folder / "a.png");
    ASSERT_GT(bytes.size(), 57u);
    EXPECT_EQ(bigEndian(bytes, 0), 0x89504E47u);
    EXPECT_EQ(bigEndian(bytes, 12), 0x49484452u);  // IHDR
    EXPECT_EQ(bigEndian(bytes, 16), 37u);
    EXPECT_EQ(bigEndian(bytes, 20), 21u);
    EXPECT_EQ(bigEndian(bytes, 24) >> 16, 0x0802u);              // 8 bits, RGB
    EXPECT_EQ(bigEndian(bytes, bytes.size() - 8), 0x49454E44u);  // IEND
    EXPECT_LT(bytes.size(), 37u * 21u * 3u);
}

TEST(Png, TheSamePictureGivesTheSameBytes) {
    const TempFolder folder;
    io::savePng(gradient(200, 100), folder / "a.png");
    io::savePng(gradient(200, 100), folder / "b.png");
    EXPECT_EQ(io::readFile(folder / "a.png"), io::readFile(folder / "b.png"));
}

TEST(Png, RefusesAPictureWithoutPixelsOrFolder) {
    const TempFolder folder;
    Image torn(4, 4);
    torn.rgb.pop_back();
    EXPECT_EQ(errorCode([&] { io::savePng(Image(), folder / "a.png"); }), ErrorCode::bad_usage);
    EXPECT_EQ(errorCode([&] { io::savePng(torn, folder / "a.png"); }), ErrorCode::bad_usage);
    EXPECT_EQ(errorCode([&] { io::savePng(gradient(2, 2), folder / "no/a.png"); }), ErrorCode::system);
    EXPECT_TRUE(folder.isEmpty());
}
