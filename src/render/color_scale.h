#pragma once

#include <pelt/render/render.h>

namespace pelt::render {

/// The position of a value between `low` (0) and `high` (1), not clamped; if these are equal, 1 above them and 0
/// otherwise.
inline float scalePosition(float value, float low, float high) {
    if (std::isnan(value)) return value;
    const double range = double(high) - low;
    return range != 0 ? static_cast<float>((double(value) - low) / range) : value > high ? 1.0f : 0.0f;
}

/// A color map as a table, with one lookup per sample.
class ColorTable {
public:
    explicit ColorTable(ColorMap map) : not_a_number_(mapColor(map, NAN)) {
        for (int i = 0; i <= kSteps; ++i) colors_.push_back(mapColor(map, static_cast<float>(i) / kSteps));
    }

    Vec3f at(float t) const {
        if (std::isnan(t)) return not_a_number_;
        const float x = (t < 0 ? 0.0f : t > 1 ? 1.0f : t) * kSteps;
        const int i = x < kSteps ? static_cast<int>(x) : kSteps - 1;
        const float f = x - static_cast<float>(i);
        return colors_[i] * (1 - f) + colors_[i + 1] * f;
    }

private:
    static constexpr int kSteps = 1024;
    std::vector<Vec3f> colors_;
    Vec3f not_a_number_;
};

}  // namespace pelt::render
