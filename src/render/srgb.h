#pragma once

#include <algorithm>
#include <cmath>

namespace pelt::render {

/// IEC 61966-2-1, both ways, on 0..1 (clamped).
inline float encodeSrgb(float linear) {
    const float x = std::clamp(linear, 0.0f, 1.0f);
    return x <= 0.0031308f ? 12.92f * x : 1.055f * std::pow(x, 1 / 2.4f) - 0.055f;
}

inline float decodeSrgb(float encoded) {
    const float x = std::clamp(encoded, 0.0f, 1.0f);
    return x <= 0.04045f ? x / 12.92f : std::pow((x + 0.055f) / 1.055f, 2.4f);
}

}  // namespace pelt::render
