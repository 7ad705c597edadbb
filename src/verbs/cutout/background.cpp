// Makes the background of a picture transparent by its color.
#include "background.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace pelt::verbs {
namespace {

/// Differences from the background, in the channel in which it is largest: less is noise of the compression, more is
/// the figure.
constexpr int kNoise = 12, kFigure = 48;

int difference(const std::uint8_t* pixel, const Color& color) {
    int most = 0;
    for (std::size_t c = 0; c < 3; ++c) most = std::max(most, std::abs(int(pixel[c]) - int(color[c])));
    return most;
}

Color cornerColor(const io::Picture& picture) {
    const std::size_t right = picture.width - 1, bottom = picture.height - 1;
    Color best{};
    int most = -1;
    for (const std::size_t pixel : {std::size_t(0), right, bottom * picture.width, bottom * picture.width + right}) {
        const std::uint8_t* p = &picture.rgba[4 * pixel];
        const Color color{p[0], p[1], p[2]};
        int alike = 0;
        for (const std::size_t other : {std::size_t(0), right, bottom * picture.width, bottom * picture.width + right})
            alike += difference(&picture.rgba[4 * other], color) < kFigure ? 1 : 0;
        if (alike <= most) continue;
        most = alike;
        best = color;
    }
    return best;
}

}  // namespace

Color backgroundColor(const std::string& text, const io::Picture& picture) {
    if (text == "corner") return cornerColor(picture);
    std::uint32_t rgb = 0;
    const char* end = text.data() + text.size();
    const bool good = text.size() == 7 && text[0] == '#' && std::from_chars(text.data() + 1, end, rgb, 16).ptr == end;
    if (!good)
        throw Error::badUsage(
            fmt::format("`background` {}: write a color as #RRGGBB, such as #ffffff, or corner", text));
    return {std::uint8_t(rgb >> 16), std::uint8_t(rgb >> 8), std::uint8_t(rgb)};
}

void clearBackground(io::Picture& picture, const Color& background) {
    for (std::size_t i = 0; i < picture.rgba.size(); i += 4) {
        std::uint8_t* pixel = &picture.rgba[i];
        const int far = std::clamp(difference(pixel, background) - kNoise, 0, kFigure - kNoise);
        const double alpha = double(far) / (kFigure - kNoise);
        for (std::size_t c = 0; c < 3 && alpha > 0 && alpha < 1;
             ++c) {  // pixel = alpha figure + (1 - alpha) background
            const double figure = background[c] + (double(pixel[c]) - background[c]) / alpha;
            pixel[c] = std::uint8_t(std::clamp(figure, 0.0, 255.0) + 0.5);
        }
        pixel[3] = std::uint8_t(alpha * 255 + 0.5);
    }
    picture.has_alpha = true;
    picture.file = io::toPng(picture.width, picture.height, picture.rgba, "the picture");
    picture.media_type = "image/png";
}

}  // namespace pelt::verbs
