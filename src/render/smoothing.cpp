// Averages noisy visibilities over the smooth surface around a pixel.
#include "smoothing.h"

#include <algorithm>

namespace pelt::render {

namespace {

constexpr float kSpread = 1.8f;  // of the Gaussian, in pixels

float spatialWeight(int dx, int dy) {
    return std::exp(-static_cast<float>(dx * dx + dy * dy) / (2 * kSpread * kSpread));
}

struct Kernel {
    float weight[2 * kSmoothingReach + 1][2 * kSmoothingReach + 1];
    Kernel() {
        for (int dy = -kSmoothingReach; dy <= kSmoothingReach; ++dy)
            for (int dx = -kSmoothingReach; dx <= kSmoothingReach; ++dx)
                weight[dy + kSmoothingReach][dx + kSmoothingReach] = spatialWeight(dx, dy);
    }
};

/// How far points of neighboring pixels may be from the pixel's tangent plane: the spacing of the points.
float surfaceWeight(const PixelLayers& p, const PixelLayers& q, float spacing) {
    const float facing = std::max(dot(p.normal, q.normal), 0.0f);
    const float sharp = facing * facing * facing * facing;
    const float off = dot(p.normal, q.position - p.position) / spacing;
    return sharp * sharp / (1 + off * off);
}

struct Mean {
    float sum = 0, weight = 0;
    void add(float value, float w) {
        sum += value * w;
        weight += w;
    }
    float value(float fallback) const { return weight > 0 ? sum / weight : fallback; }
};

}  // namespace

Visibility smoothedVisibility(const LayerBand& band, int x, int row) {
    static const Kernel kernel;
    const PixelLayers& p = band.at(x, row);
    Visibility out{p.openness, p.light, p.floor_openness, p.floor_light};
    if (p.coverage == 0 && p.floor == 0) return out;
    Mean openness, light, floor_openness, floor_light;
    const float spacing = 4e-3f;
    for (int dy = -kSmoothingReach; dy <= kSmoothingReach; ++dy) {
        if (row + dy < 0 || row + dy >= band.rows) continue;
        for (int dx = -kSmoothingReach; dx <= kSmoothingReach; ++dx) {
            if (x + dx < 0 || x + dx >= band.width) continue;
            const PixelLayers& q = band.at(x + dx, row + dy);
            const float w = kernel.weight[dy + kSmoothingReach][dx + kSmoothingReach];
            if (p.coverage > 0 && q.coverage > 0) {
                const float s = w * q.coverage * surfaceWeight(p, q, spacing);
                openness.add(q.openness, s);
                light.add(q.light, s);
            }
            if (p.floor > 0 && q.floor > 0) {
                floor_openness.add(q.floor_openness, w * q.floor);
                floor_light.add(q.floor_light, w * q.floor);
            }
        }
    }
    return {openness.value(p.openness), light.value(p.light), floor_openness.value(p.floor_openness),
            floor_light.value(p.floor_light)};
}

}  // namespace pelt::render
