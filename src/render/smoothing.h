#pragma once

#include "gather.h"

namespace pelt::render {

constexpr int kSmoothingReach = 3;  ///< radius of the smoothing of a pixel, in pixels

/// The layers of some rows of the picture.
struct LayerBand {
    LayerBand(int w, int first, int end)
        : width(w), first_row(first), rows(end - first), pixels(static_cast<std::size_t>(w) * (end - first)) {}

    PixelLayers& at(int x, int row) { return pixels[static_cast<std::size_t>(row) * width + x]; }
    const PixelLayers& at(int x, int row) const { return pixels[static_cast<std::size_t>(row) * width + x]; }

    int width = 0, first_row = 0, rows = 0;
    std::vector<PixelLayers> pixels;
};

struct Visibility {
    float openness = 1, light = 1, floor_openness = 1, floor_light = 1;
};

/// The visibilities of a pixel, averaged with neighbors that lie on the same smooth piece of surface.
Visibility smoothedVisibility(const LayerBand& band, int x, int row);

}  // namespace pelt::render
