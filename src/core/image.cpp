// Sizes of pictures as users write them.
#include <pelt/core/image.h>

#include <charconv>

namespace pelt {

bool readText(const std::string& text, PictureSize& size) {
    const char* const end = text.data() + text.size();
    const auto width = std::from_chars(text.data(), end, size.width);
    if (width.ec != std::errc() || width.ptr == end || (*width.ptr != 'x' && *width.ptr != 'X')) return false;
    const auto height = std::from_chars(width.ptr + 1, end, size.height);
    const auto fits = [](int side) { return side >= kLeastPictureSide && side <= kMostPictureSide; };
    return height.ec == std::errc() && height.ptr == end && fits(size.width) && fits(size.height);
}

}  // namespace pelt
