#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pelt {

/// 8-bit sRGB picture, row by row from the top, three bytes per pixel.
struct Image {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb;

    Image() = default;
    Image(int w, int h, std::uint8_t grey = 255) : width(w), height(h), rgb(std::size_t(w) * h * 3, grey) {}
    std::uint8_t* pixel(int x, int y) { return rgb.data() + (std::size_t(y) * width + x) * 3; }
    const std::uint8_t* pixel(int x, int y) const { return rgb.data() + (std::size_t(y) * width + x) * 3; }
};

struct PictureSize {
    int width = 0, height = 0;
};

inline constexpr int kLeastPictureSide = 16, kMostPictureSide = 16384;

/// "1280x960"; false unless both are from kLeastPictureSide to kMostPictureSide.
bool readText(const std::string& text, PictureSize& size);

}  // namespace pelt
