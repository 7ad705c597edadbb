#pragma once

#include "skin.h"

namespace pelt::render {

/// The surfaces hit by the rays of one pixel, by layer, averaged over the samples. Visibilities are separate from the
/// light that they attenuate, so that they can be smoothed without blurring shape or color.
struct PixelLayers {
    float coverage = 0;      ///< fraction of samples on the skin
    Vec3f dome, key, rest;   ///< light of the skin, times coverage
    float openness = 1;      ///< of the dome above the skin
    float light = 1;         ///< fraction of the key light that reaches the skin
    Vec3f normal, position;  ///< means over the skin's samples

    float floor = 0;  ///< fraction of samples on the floor, where it has not faded out
    float floor_openness = 1, floor_light = 1;

    Vec3f bones;  ///< times bone_coverage
    float bone_coverage = 0;
};

struct Gatherer {
    const Skin& skin;
    const BoneShapes& bones;
    View view;
    Studio studio;
    int width = 0, height = 0, samples = 16;
    bool has_floor = false;
    float floor = 0;  ///< y, normalized

    /// The result depends on the pixel alone.
    PixelLayers pixel(int x, int y) const;
};

}  // namespace pelt::render
