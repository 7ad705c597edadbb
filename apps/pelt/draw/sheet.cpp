// Lays out rendered panels as one picture.
#include "draw/sheet.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/geometry/bounding_box.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace pelt::draw {
namespace {

constexpr PictureSize kAlone{1280, 960};
constexpr int kPanelHeight = 640, kNarrowestPanel = 440, kWidestPanel = 960;

bool isAlone(std::span<const Shot> shots, const SheetLayout& layout) { return shots.size() == 1 && !layout.bar; }

Image layOut(std::vector<render::Panel> panels, const SheetLayout& layout) {
    return render::contactSheet(panels, layout.columns, layout.title, layout.bar);
}

/// The size of a sheet with panels of size `panel`.
PictureSize sheetSize(std::span<const Shot> shots, const SheetLayout& layout, PictureSize panel) {
    std::vector<render::Panel> blank;
    for (const Shot& shot : shots) blank.push_back({Image(panel.width, panel.height), shot.caption});
    const Image sheet = layOut(std::move(blank), layout);
    return {sheet.width, sheet.height};
}

/// The largest panel whose sheet fits into the whole. The size of captions and margins may depend on the panel, so the
/// result is refined a few times.
PictureSize panelFor(std::span<const Shot> shots, const SheetLayout& layout, PictureSize whole) {
    const int count = static_cast<int>(shots.size());
    int columns = layout.columns;
    if (columns <= 0) columns = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count))));
    columns = std::min(columns, count);
    const int rows = (count + columns - 1) / columns;
    PictureSize panel{std::max(1, whole.width / columns), std::max(1, whole.height / rows)};
    for (int round = 0; round < 4; ++round) {
        const PictureSize sheet = sheetSize(shots, layout, panel);
        const int wide = whole.width - sheet.width, high = whole.height - sheet.height;
        panel.width += wide >= 0 ? wide / columns : -((-wide + columns - 1) / columns);
        panel.height += high >= 0 ? high / rows : -((-high + rows - 1) / rows);
        if (panel.width < kLeastPictureSide || panel.height < kLeastPictureSide)
            throw Error::badUsage(fmt::format("--size {}x{} leaves no room for {} panels; make it larger", whole.width,
                                              whole.height, count));
    }
    return panel;
}

/// `image` on a sheet of exactly that size, in its own background color.
Image padded(const Image& image, PictureSize size) {
    if (image.width == size.width && image.height == size.height) return image;
    Image sheet(size.width, size.height);
    for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
            const bool inside = x < image.width && y < image.height;
            std::copy_n(image.pixel(inside ? x : 0, inside ? y : 0), 3, sheet.pixel(x, y));
        }
    }
    return sheet;
}

/// Tall panels for upright characters, wide ones for others: as wide as the widest shot, with a margin.
PictureSize suitablePanel(std::span<const Shot> shots) {
    constexpr float kAir = 1.3f;
    float widest = 0;
    for (const Shot& shot : shots) {
        const geometry::Box box = geometry::boundingBox(shot.positions);
        const Vec3f extent(box.high - box.low);
        if (extent.y > 0) widest = std::max(widest, std::max(extent.x, extent.z) / extent.y);
    }
    const float width = std::min(kAir * widest * kPanelHeight, static_cast<float>(kWidestPanel));
    return {std::max(kNarrowestPanel, static_cast<int>(width) / 8 * 8), kPanelHeight};
}

std::vector<render::Frame> sharedFrames(std::span<const Shot> shots) {
    std::map<std::size_t, render::Frame> by_size;
    for (const Shot& shot : shots) {
        const render::Frame frame = render::frameOf(shot.positions);
        const auto [known, is_new] = by_size.emplace(shot.positions.size(), frame);
        if (!is_new) known->second = render::unite(known->second, frame);
    }
    std::vector<render::Frame> frames;
    for (const Shot& shot : shots) frames.push_back(by_size.at(shot.positions.size()));
    return frames;
}

}  // namespace

Image drawSheet(std::span<const Shot> shots, const SheetLayout& layout, const Progress& progress) {
    const bool alone = isAlone(shots, layout);
    PictureSize panel = shots.size() == 1 ? kAlone : suitablePanel(shots);
    if (layout.size) panel = alone ? *layout.size : panelFor(shots, layout, *layout.size);
    render::Options options;
    options.width = panel.width, options.height = panel.height;

    const std::vector<render::Frame> frames = sharedFrames(shots);
    std::vector<render::Panel> panels;
    const double share = 1.0 / static_cast<double>(shots.size());
    for (std::size_t s = 0; s < shots.size(); ++s) {
        const Shot& shot = shots[s];
        render::Subject subject{shot.positions, shot.normals, shot.triangles, shot.colors, shot.bones};
        subject.bodies = shot.bodies;
        if (layout.bar && !shot.values.empty())
            subject.scalars = render::Scalars{shot.values, layout.bar->map, layout.bar->low, layout.bar->high};
        const double done = static_cast<double>(s) * share;
        const Progress part = progress.share("render", done, done + share);
        panels.push_back({render::render(subject, frames[s], shot.camera, options, part), shot.caption});
    }
    if (alone) return std::move(panels.front().image);
    const Image sheet = layOut(std::move(panels), layout);
    return layout.size ? padded(sheet, *layout.size) : sheet;
}

}  // namespace pelt::draw
