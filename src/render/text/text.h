#pragma once

#include <pelt/core/image.h>
#include <pelt/core/vec.h>

#include <string>
#include <string_view>
#include <vector>

namespace pelt::render {

/// Code points of UTF-8 text; a malformed byte becomes U+FFFD, a control character a space.
std::vector<int> codePoints(std::string_view utf8);

/// The coverage of each pixel of a line of text, 0 to 255.
struct TextBitmap {
    int width = 0, height = 0;
    int baseline = 0;  ///< rows above it
    std::vector<std::uint8_t> ink;
};

/// The advance of a line in pixels; `size` is the font's em in pixels.
float textWidth(std::string_view utf8, float size);

/// Height of a capital letter in pixels.
float capHeight(float size);

/// One line, its glyphs placed in fractions of a pixel.
TextBitmap drawText(std::string_view utf8, float size);

/// The line rotated by 90° counterclockwise, reading upward.
TextBitmap turned(const TextBitmap& text);

/// The part of the text that fits into `width`, with an ellipsis instead of the rest.
std::string fitted(std::string_view utf8, float size, float width);

/// Draws the ink over the picture with its upper left corner at (x, y), clipped; color in sRGB.
void blend(Image& image, const TextBitmap& text, int x, int y, const std::uint8_t (&rgb)[3]);

}  // namespace pelt::render
