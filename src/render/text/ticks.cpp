// Round numbers for the ticks of a color scale.
#include "ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pelt::render {

namespace {

/// The step that gives four to ten ticks.
double niceStep(double range) {
    const double rough = range / 5;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double lead = rough / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

/// Enough digits for the step, with an exponent if there would be many zeros.
std::string written(double value, double step, double largest) {
    if (value == 0) return "0";
    if (largest >= 1e5 || largest < 1e-3) {
        const int digits = std::max(
            0, static_cast<int>(std::floor(std::log10(std::abs(value))) - std::floor(std::log10(step) + 1e-9)));
        const std::string text = fmt::format("{:.{}e}", value, digits);
        const std::size_t e = text.find('e');
        return fmt::format("{}e{}", text.substr(0, e), std::stoi(text.substr(e + 1)));
    }
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

std::vector<Tick> makeTicks(double low, double high) {
    if (!std::isfinite(low) || !std::isfinite(high)) return {};
    const double range = high - low;
    const double largest = std::max(std::abs(low), std::abs(high));
    if (!(std::abs(range) > 1e-6 * largest)) return {{0.5f, low == 0 ? "0" : fmt::format("{:.3g}", low)}};
    const double step = niceStep(std::abs(range));
    const double from = std::min(low, high), to = std::max(low, high);
    std::vector<Tick> ticks;
    for (double k = std::ceil(from / step - 1e-6); k * step <= to + 1e-6 * step; ++k) {
        const double value = k * step;
        ticks.push_back({static_cast<float>((value - low) / range), written(value, step, largest)});
    }
    return ticks;
}

}  // namespace pelt::render
