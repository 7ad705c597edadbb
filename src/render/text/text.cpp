// Draws lines of text with stb_truetype.
#include "text.h"

#include <pelt/core/error.h>

#include <algorithm>
#include <cmath>

#include "font_data.h"

#define STB_TRUETYPE_IMPLEMENTATION
#define STBTT_STATIC
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include <stb/stb_truetype.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace pelt::render {

namespace {

constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

const stbtt_fontinfo& font() {
    static const stbtt_fontinfo info = [] {
        stbtt_fontinfo made;
        const unsigned char* data = fontData().data();
        if (!stbtt_InitFont(&made, data, stbtt_GetFontOffsetForIndex(data, 0)))
            throw Error::system("the font built into Pelt cannot be read");
        return made;
    }();
    return info;
}

float scaleOf(float size) { return stbtt_ScaleForMappingEmToPixels(&font(), size); }

/// Calls place(glyph, x) for every glyph with its pen position in pixels; returns the last pen position.
template <class Place>
float layOut(const std::vector<int>& text, float size, const Place& place) {
    const float scale = scaleOf(size);
    float pen = 0;
    int previous = 0;
    for (const int code : text) {
        const int glyph = stbtt_FindGlyphIndex(&font(), code);
        if (previous) pen += scale * static_cast<float>(stbtt_GetGlyphKernAdvance(&font(), previous, glyph));
        place(glyph, pen);
        int advance = 0, bearing = 0;
        stbtt_GetGlyphHMetrics(&font(), glyph, &advance, &bearing);
        pen += scale * static_cast<float>(advance);
        previous = glyph;
    }
    return pen;
}

void drawGlyph(TextBitmap& out, int glyph, float x, float scale, int margin) {
    const float whole = std::floor(x), fraction = x - whole;
    int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    stbtt_GetGlyphBitmapBoxSubpixel(&font(), glyph, scale, scale, fraction, 0, &x0, &y0, &x1, &y1);
    const int w = x1 - x0, h = y1 - y0;
    if (w <= 0 || h <= 0) return;
    std::vector<std::uint8_t> glyph_ink(static_cast<std::size_t>(w) * h);
    stbtt_MakeGlyphBitmapSubpixel(&font(), glyph_ink.data(), w, h, w, scale, scale, fraction, 0, glyph);
    for (int row = 0; row < h; ++row)
        for (int column = 0; column < w; ++column) {
            const int tx = margin + static_cast<int>(whole) + x0 + column, ty = out.baseline + y0 + row;
            if (tx < 0 || ty < 0 || tx >= out.width || ty >= out.height) continue;
            std::uint8_t& ink = out.ink[static_cast<std::size_t>(ty) * out.width + tx];
            ink = std::max(ink, glyph_ink[static_cast<std::size_t>(row) * w + column]);
        }
}

void appendUtf8(std::string& out, int code) {
    const auto byte = [&](int value) { out.push_back(static_cast<char>(value)); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xc0 | (code >> 6));
        byte(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        byte(0xe0 | (code >> 12));
        byte(0x80 | ((code >> 6) & 0x3f));
        byte(0x80 | (code & 0x3f));
    } else {
        byte(0xf0 | (code >> 18));
        byte(0x80 | ((code >> 12) & 0x3f));
        byte(0x80 | ((code >> 6) & 0x3f));
        byte(0x80 | (code & 0x3f));
    }
}

}  // namespace

std::vector<int> codePoints(std::string_view utf8) {
    std::vector<int> codes;
    for (std::size_t i = 0; i < utf8.size();) {
        const auto lead = static_cast<unsigned char>(utf8[i]);
        const int more = lead < 0x80                   ? 0
                         : lead >= 0xc2 && lead < 0xe0 ? 1
                         : lead >= 0xe0 && lead < 0xf0 ? 2
                         : lead >= 0xf0 && lead < 0xf5 ? 3
                                                       : -1;
        int code = more <= 0 ? lead : lead & (0x3f >> more);
        bool good = more >= 0 && i + static_cast<std::size_t>(std::max(more, 0)) < utf8.size();
        for (int k = 1; good && k <= more; ++k) {
            const auto next = static_cast<unsigned char>(utf8[i + k]);
            good = (next & 0xc0) == 0x80;
            code = (code << 6) | (next & 0x3f);
        }
        constexpr int kSmallest[] = {0, 0x80, 0x800, 0x10000};
        good = good && code >= kSmallest[more] && code < 0x110000 && (code < 0xd800 || code > 0xdfff);
        codes.push_back(!good ? 0xfffd : code < 0x20 || code == 0x7f ? ' ' : code);
        i += good ? static_cast<std::size_t>(more) + 1 : 1;
    }
    return codes;
}

float textWidth(std::string_view utf8, float size) {
    return layOut(codePoints(utf8), size, [](int, float) {});
}

float capHeight(float size) {
    int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    stbtt_GetCodepointBox(&font(), 'H', &x0, &y0, &x1, &y1);
    return scaleOf(size) * static_cast<float>(y1);
}

TextBitmap drawText(std::string_view utf8, float size) {
    const float scale = scaleOf(size);
    int ascent = 0, descent = 0, gap = 0;
    stbtt_GetFontVMetrics(&font(), &ascent, &descent, &gap);
    const std::vector<int> codes = codePoints(utf8);
    constexpr int kMargin = 1;  // ink may begin left of the pen
    TextBitmap out;
    out.baseline = static_cast<int>(std::ceil(scale * static_cast<float>(ascent)));
    out.height = out.baseline + static_cast<int>(std::ceil(-scale * static_cast<float>(descent)));
    out.width = static_cast<int>(std::ceil(textWidth(utf8, size))) + 2 * kMargin;
    out.ink.assign(static_cast<std::size_t>(out.width) * out.height, 0);
    layOut(codes, size, [&](int glyph, float x) { drawGlyph(out, glyph, x, scale, kMargin); });
    return out;
}

TextBitmap turned(const TextBitmap& text) {
    TextBitmap out;
    out.width = text.height;
    out.height = text.width;
    out.baseline = text.baseline;
    out.ink.resize(text.ink.size());
    for (int y = 0; y < text.height; ++y)
        for (int x = 0; x < text.width; ++x)
            out.ink[static_cast<std::size_t>(text.width - 1 - x) * out.width + y] =
                text.ink[static_cast<std::size_t>(y) * text.width + x];
    return out;
}

std::string fitted(std::string_view utf8, float size, float width) {
    if (textWidth(utf8, size) <= width) return std::string(utf8);
    std::string out;
    for (const int code : codePoints(utf8)) {
        std::string longer = out;
        appendUtf8(longer, code);
        if (textWidth(longer + std::string(kEllipsis), size) > width) break;
        out = std::move(longer);
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out + std::string(kEllipsis);
}

void blend(Image& image, const TextBitmap& text, int x, int y, const std::uint8_t (&rgb)[3]) {
    for (int row = std::max(0, -y); row < text.height && y + row < image.height; ++row)
        for (int column = std::max(0, -x); column < text.width && x + column < image.width; ++column) {
            const int ink = text.ink[static_cast<std::size_t>(row) * text.width + column];
            std::uint8_t* pixel = image.pixel(x + column, y + row);
            for (int k = 0; k < 3; ++k)
                pixel[k] = static_cast<std::uint8_t>((pixel[k] * (255 - ink) + rgb[k] * ink + 127) / 255);
        }
}

}  // namespace pelt::render
