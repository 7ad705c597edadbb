// Repairs keys of animations: their order, equal times, values that are not finite.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mend.h"

namespace pelt::io::gltf {
namespace {

/// The keys of a channel, by index, while they are sorted.
struct KeyChoice {
    std::vector<std::uint32_t> keys;
    std::vector<float> times;  ///< of `keys`
};

std::size_t numbersPerKey(const Channel& channel) {
    return channel.width * (channel.interpolation == Interpolation::cubic_spline ? 3 : 1);
}

KeyChoice finiteKeys(const Channel& channel) {
    const std::size_t stride = numbersPerKey(channel);
    KeyChoice out;
    for (std::uint32_t k = 0; k < channel.times.size(); ++k) {
        bool finite = std::isfinite(channel.times[k]);
        for (std::size_t i = k * stride; i < (k + 1) * stride && i < channel.values.size(); ++i)
            finite = finite && std::isfinite(channel.values[i]);
        if (!finite) continue;
        out.keys.push_back(k);
        out.times.push_back(channel.times[k]);
    }
    return out;
}

void sortKeys(const Channel& channel, KeyChoice& choice) {
    std::stable_sort(choice.keys.begin(), choice.keys.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return channel.times[a] < channel.times[b]; });
    std::sort(choice.times.begin(), choice.times.end());
}

/// Of several keys at one time, keeps the last; if the motion jumps there, also the first, just before it.
void dropEqualTimes(const Channel& channel, KeyChoice& choice) {
    KeyChoice out;
    for (std::size_t first = 0, last = 0; first < choice.keys.size(); first = last + 1) {
        last = first;
        while (last + 1 < choice.keys.size() && choice.times[last + 1] == choice.times[first]) ++last;
        const float before = std::nextafter(choice.times[first], std::numeric_limits<float>::lowest());
        const bool jumps = channel.interpolation != Interpolation::step && first < last && !out.times.empty();
        if (jumps && before > out.times.back()) {
            out.keys.push_back(choice.keys[first]);
            out.times.push_back(before);
        }
        out.keys.push_back(choice.keys[last]);
        out.times.push_back(choice.times[last]);
    }
    choice = std::move(out);
}

}  // namespace

void MendedKeys::tell(std::vector<std::string>& warnings) const {
    if (unsorted > 0)
        warnings.push_back(
            fmt::format("{} animation channels had keys out of order; they were sorted by time", unsorted));
    if (equal > 0)
        warnings.push_back(
            fmt::format("{} animation channels had keys at equal times; the last ones were kept", equal));
    if (not_finite > 0)
        warnings.push_back(
            fmt::format("{} animation channels had keys that are not finite; they were left out", not_finite));
}

bool mendKeys(Channel& channel, MendedKeys& mended) {
    const auto rises = [](const std::vector<float>& times, auto fails) {
        return std::adjacent_find(times.begin(), times.end(), fails) == times.end();
    };
    KeyChoice choice = finiteKeys(channel);
    const bool finite = choice.keys.size() == channel.times.size();
    const bool sorted = rises(choice.times, std::greater<>());
    if (!sorted) sortKeys(channel, choice);
    const bool distinct = rises(choice.times, std::equal_to<>());
    if (!distinct) dropEqualTimes(channel, choice);
    mended.not_finite += !finite;
    mended.unsorted += !sorted;
    mended.equal += !distinct;
    if (finite && sorted && distinct) return false;
    const std::size_t stride = numbersPerKey(channel);
    std::vector<float> values;
    for (const std::uint32_t key : choice.keys)
        if ((key + 1) * stride <= channel.values.size())
            values.insert(values.end(), channel.values.begin() + static_cast<std::ptrdiff_t>(key * stride),
                          channel.values.begin() + static_cast<std::ptrdiff_t>((key + 1) * stride));
    channel.times = std::move(choice.times);
    channel.values = std::move(values);
    return true;
}

}  // namespace pelt::io::gltf
