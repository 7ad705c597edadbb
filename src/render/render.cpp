// Renders a picture tile by tile.
#include <pelt/core/error.h>
#include <pelt/core/parallel.h>

#include <algorithm>
#include <mutex>

#include "gather.h"
#include "sampling.h"
#include "smoothing.h"

namespace pelt::render {

namespace {

constexpr int kBandRows =
    128;  // pictures are rendered in bands, so that the layers of a large one need not be in memory
constexpr int kTile = 16;

/// Counts finished tiles and reports progress, one call at a time.
class TileProgress {
public:
    TileProgress(const Progress& progress, std::size_t tiles) : progress_(progress), tiles_(tiles) {}

    void finishTile() {
        const std::lock_guard lock(mutex_);
        ++done_;
        progress_.report("render", std::min(1.0, static_cast<double>(done_) / static_cast<double>(tiles_)));
    }

private:
    const Progress& progress_;
    std::mutex mutex_;
    std::size_t tiles_ = 1, done_ = 0;
};

/// Rows first_row .. first_row + rows of the picture and kSmoothingReach more on both sides if there are any.
void gatherBand(const Gatherer& gatherer, LayerBand& band, TileProgress& progress) {
    const int across = (band.width + kTile - 1) / kTile, down = (band.rows + kTile - 1) / kTile;
    parallelFor(static_cast<std::size_t>(across) * down, 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t tile = first; tile < last; ++tile) {
            const int x0 = static_cast<int>(tile % across) * kTile, y0 = static_cast<int>(tile / across) * kTile;
            for (int y = y0; y < std::min(y0 + kTile, band.rows); ++y)
                for (int x = x0; x < std::min(x0 + kTile, band.width); ++x)
                    band.at(x, y) = gatherer.pixel(x, band.first_row + y);
            progress.finishTile();
        }
    });
}

/// Composites the layers: paper, floor, skin, bones.
Vec3f compose(const Gatherer& g, const PixelLayers& p, const Visibility& v, float x, float y) {
    const Studio& studio = g.studio;
    const float openness = 1 - studio.occlusion_depth * (1 - v.openness);
    const float light = 1 - studio.shadow_depth * (1 - v.light);
    const Vec3f paper = background(x, y);
    const Vec3f tint =
        mix(Vec3f(1, 1, 1), floorTint(v.floor_light, v.floor_openness), p.floor / std::max(1 - p.coverage, 1e-6f));
    Vec3f color = p.dome * openness + p.key * light + p.rest;
    if (p.coverage < 1) color += mul(paper, tint) * (1 - p.coverage);
    return color * (1 - kBoneOpacity * p.bone_coverage) + p.bones * kBoneOpacity;
}

void composeRow(const Gatherer& g, const LayerBand& band, int row, Image& image) {
    const int y = band.first_row + row;
    for (int x = 0; x < image.width; ++x) {
        const float px = (2 * (static_cast<float>(x) + 0.5f)) / static_cast<float>(image.width) - 1;
        const float py = 1 - (2 * (static_cast<float>(y) + 0.5f)) / static_cast<float>(image.height);
        const Vec3f shown = displayColor(compose(g, band.at(x, row), smoothedVisibility(band, x, row), px, py));
        // Noise of half a level prevents banding in the slow gradient of the paper.
        const float noise = unitFloat(hashPair(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(~y)));
        for (int k = 0; k < 3; ++k)
            image.pixel(x, y)[k] = static_cast<std::uint8_t>(std::clamp(shown[k] + noise, 0.0f, 255.0f));
    }
}

void check(const Options& options) {
    constexpr int kLargest = 16384;
    if (options.width < 1 || options.height < 1 || options.width > kLargest || options.height > kLargest)
        throw Error::badUsage("picture size " + std::to_string(options.width) + "x" + std::to_string(options.height) +
                              " is not within 1x1 to 16384x16384");
    if (options.samples < 1 || options.samples > 4096)
        throw Error::badUsage("the samples per pixel must be from 1 to 4096, not " + std::to_string(options.samples));
}

}  // namespace

Image render(const Subject& subject, const Frame& frame, const Camera& camera, const Options& options,
             const Progress& progress) {
    check(options);
    const Normalization normalize(frame);
    const View view = fitView(frame, camera, static_cast<float>(options.width) / static_cast<float>(options.height));
    const Skin skin(subject, normalize, progress);
    const BoneShapes bones = makeBoneShapes(subject.bones, normalize, progress);
    Gatherer gatherer{
        skin,          bones,          view,           makeStudio(view, subject.scalars || !subject.colors.empty()),
        options.width, options.height, options.samples};
    gatherer.floor = normalize({frame.center.x, frame.floor, frame.center.z}).y;
    gatherer.has_floor = options.floor && std::isfinite(gatherer.floor);

    Image image(options.width, options.height);
    const int bands = (options.height + kBandRows - 1) / kBandRows;
    const int tiles_across = (options.width + kTile - 1) / kTile;
    TileProgress tiles(progress, static_cast<std::size_t>(bands) * tiles_across * (kBandRows / kTile + 1));
    for (int first = 0; first < options.height; first += kBandRows) {
        const int last = std::min(first + kBandRows, options.height);
        LayerBand band(options.width, std::max(first - kSmoothingReach, 0),
                       std::min(last + kSmoothingReach, options.height));
        gatherBand(gatherer, band, tiles);
        parallelFor(last - first, 4, [&](std::size_t a, std::size_t b) {
            for (std::size_t row = a; row < b; ++row)
                composeRow(gatherer, band, first + static_cast<int>(row) - band.first_row, image);
        });
    }
    return image;
}

}  // namespace pelt::render
