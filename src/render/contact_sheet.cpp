// Puts several pictures with titles and color scales on one sheet.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/render/render.h>

#include <algorithm>
#include <cmath>

#include "srgb.h"
#include "text/text.h"
#include "text/ticks.h"

namespace pelt::render {

namespace {

constexpr std::uint8_t kInk[3] = {38, 42, 50}, kSoftInk[3] = {92, 98, 110};
constexpr std::uint8_t kPage = 255, kFrameGrey = 206;

/// All sizes are proportional to the panels, so that small and large sheets look alike.
struct Layout {
    int columns = 1, rows = 1;
    int cell_width = 0, cell_height = 0;
    float text = 13, title_text = 17, tick_text = 12;
    int margin = 0, gap = 0, caption = 0, title = 0;
    int corner = 0;
    int bar_gap = 0, bar_width = 0, tick = 0, tick_labels = 0, label = 0;

    int gridWidth() const { return columns * cell_width + (columns - 1) * gap; }
    int gridHeight() const { return rows * (cell_height + caption) + (rows - 1) * gap; }
    int barColumn() const { return bar_width ? bar_gap + bar_width + tick + tick_labels + label : 0; }
    int left(int column) const { return margin + column * (cell_width + gap); }
    int top(int row) const { return margin + title + row * (cell_height + caption + gap); }
    int width() const { return 2 * margin + gridWidth() + barColumn(); }
    int height() const { return margin + title + gridHeight() + (caption ? margin / 2 : margin); }
};

int rounded(float x) { return static_cast<int>(std::lround(x)); }

Layout makeLayout(std::span<const Panel> panels, int columns, const std::string& title,
                  const std::optional<ColorBar>& bar, const std::vector<Tick>& ticks) {
    Layout l;
    const int count = std::max<int>(static_cast<int>(panels.size()), 1);
    l.columns = std::clamp(columns > 0 ? columns : static_cast<int>(std::ceil(std::sqrt(count))), 1, count);
    l.rows = (count + l.columns - 1) / l.columns;
    bool captions = false;
    for (const Panel& panel : panels) {
        l.cell_width = std::max(l.cell_width, panel.image.width);
        l.cell_height = std::max(l.cell_height, panel.image.height);
        captions = captions || !panel.caption.empty();
    }
    l.text = std::clamp(7.5f + 0.0165f * static_cast<float>(l.cell_width), 11.0f, 60.0f);
    l.title_text = l.text * 1.4f;
    l.tick_text = l.text * 0.86f;
    l.margin = rounded(l.text * 1.25f);
    l.gap = rounded(l.text * 0.9f);
    l.caption = captions ? rounded(l.text * 2.1f) : 0;
    l.title = title.empty() ? 0 : rounded(l.title_text * 2.0f);
    l.corner = std::max(3, rounded(l.text * 0.38f));
    if (bar) {
        l.bar_gap = rounded(l.text * 1.5f);
        l.bar_width = std::max(8, rounded(l.text * 1.05f));
        l.tick = rounded(l.text * 0.75f);
        for (const Tick& tick : ticks)
            l.tick_labels = std::max(l.tick_labels, rounded(std::ceil(textWidth(tick.label, l.tick_text))));
        l.label = bar->label.empty() ? 0 : rounded(l.text * 1.9f);
    }
    return l;
}

/// The coverage of a pixel by a rectangle with round corners; coordinates are relative to its upper left corner.
float roundedCoverage(int x, int y, int width, int height, float corner) {
    const float px = static_cast<float>(x) + 0.5f, py = static_cast<float>(y) + 0.5f;
    const float dx = std::max({corner - px, px - (static_cast<float>(width) - corner), 0.0f});
    const float dy = std::max({corner - py, py - (static_cast<float>(height) - corner), 0.0f});
    return std::clamp(corner - std::sqrt(dx * dx + dy * dy) + 0.5f, 0.0f, 1.0f);
}

/// A picture with round corners and a thin border.
template <class ColorAt>
void drawCard(Image& sheet, int left, int top, int width, int height, float corner, const ColorAt& color_at) {
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const float outer = roundedCoverage(x, y, width, height, corner);
            const float inner = x > 0 && y > 0 && x + 1 < width && y + 1 < height
                                    ? roundedCoverage(x - 1, y - 1, width - 2, height - 2, corner - 1)
                                    : 0.0f;
            const std::uint8_t* color = color_at(x, y);
            std::uint8_t* to = sheet.pixel(left + x, top + y);
            for (int k = 0; k < 3; ++k) {
                const float line = 0.5f * static_cast<float>(color[k]) + 0.5f * kFrameGrey;
                const float card = line * (1 - inner) + static_cast<float>(color[k]) * inner;
                to[k] = static_cast<std::uint8_t>(static_cast<float>(to[k]) * (1 - outer) + card * outer + 0.5f);
            }
        }
}

void drawCaption(Image& sheet, const Layout& l, const std::string& caption, int left, int top) {
    float size = l.text;
    const auto room = static_cast<float>(l.cell_width);
    const float wide = textWidth(caption, size);
    if (wide > room) size = std::max(size * 0.8f, size * room / wide);
    const TextBitmap text = drawText(fitted(caption, size, room), size);
    const int baseline = top + rounded((static_cast<float>(l.caption) + capHeight(size)) / 2);
    blend(sheet, text, left + (l.cell_width - text.width) / 2, baseline - text.baseline, kInk);
}

void drawBar(Image& sheet, const Layout& l, const ColorBar& bar, const std::vector<Tick>& ticks) {
    const int left = l.margin + l.gridWidth() + l.bar_gap, top = l.top(0);
    const int height = std::max(l.gridHeight() - l.caption, 2);
    std::vector<std::uint8_t> colors(static_cast<std::size_t>(height) * 3);
    for (int y = 0; y < height; ++y) {
        const float t = 1 - (static_cast<float>(y) + 0.5f) / static_cast<float>(height);
        const Vec3f c = mapColor(bar.map, t);
        for (int k = 0; k < 3; ++k) colors[3 * y + k] = static_cast<std::uint8_t>(255 * encodeSrgb(c[k]) + 0.5f);
    }
    drawCard(sheet, left, top, l.bar_width, height, static_cast<float>(l.corner),
             [&](int, int y) { return &colors[3 * static_cast<std::size_t>(y)]; });
    const int labels = left + l.bar_width + l.tick;
    for (const Tick& tick : ticks) {
        const int y =
            std::clamp(top + rounded((1 - tick.position) * static_cast<float>(height) - 0.5f), top, top + height - 1);
        for (int x = left + l.bar_width + 2; x < labels - l.tick / 3; ++x) std::copy_n(kSoftInk, 3, sheet.pixel(x, y));
        const TextBitmap text = drawText(tick.label, l.tick_text);
        const int baseline = y + rounded(capHeight(l.tick_text) / 2);
        blend(sheet, text, labels, baseline - text.baseline, kSoftInk);
    }
    if (l.label) {
        const TextBitmap text = turned(drawText(fitted(bar.label, l.text, static_cast<float>(height)), l.text));
        blend(sheet, text, labels + l.tick_labels + l.label - text.width, top + (height - text.height) / 2, kInk);
    }
}

void checkSize(const Layout& l) {
    constexpr std::int64_t kLargest = std::int64_t(1) << 28;  // pixels
    if (std::int64_t(l.width()) * l.height() > kLargest)
        throw Error::badUsage(fmt::format("a contact sheet of {}x{} pixels is too large; make the panels smaller",
                                          l.width(), l.height()));
}

}  // namespace

Image contactSheet(std::span<const Panel> panels, int columns, const std::string& title,
                   const std::optional<ColorBar>& bar) {
    const std::vector<Tick> ticks = bar ? makeTicks(bar->low, bar->high) : std::vector<Tick>{};
    const Layout l = makeLayout(panels, columns, title, bar, ticks);
    checkSize(l);
    Image sheet(l.width(), l.height(), kPage);
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const Image& image = panels[i].image;
        const int left = l.left(static_cast<int>(i) % l.columns), top = l.top(static_cast<int>(i) / l.columns);
        drawCard(sheet, left + (l.cell_width - image.width) / 2, top + (l.cell_height - image.height) / 2, image.width,
                 image.height, static_cast<float>(l.corner), [&](int x, int y) { return image.pixel(x, y); });
        if (l.caption) drawCaption(sheet, l, panels[i].caption, left, top + l.cell_height);
    }
    if (l.title) {
        const auto room = static_cast<float>(l.width() - 2 * l.margin);
        const TextBitmap text = drawText(fitted(title, l.title_text, room), l.title_text);
        const int baseline = l.margin + rounded(capHeight(l.title_text) * 1.15f);
        blend(sheet, text, l.margin, baseline - text.baseline, kInk);
    }
    if (bar) drawBar(sheet, l, *bar, ticks);
    return sheet;
}

}  // namespace pelt::render
