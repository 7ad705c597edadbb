// Animation curves as the FBX format defines them: each key determines the interpolation of the segment after it; cubic
// segments are Bézier curves in time and value whose handles are given by slopes and, if weighted, lengths.
#include "curve.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace pelt::io::fbx {
namespace {

enum KeyFlag : std::uint32_t {
    kConstant = 0x2,
    kLinear = 0x4,
    kCubic = 0x8,
    kAutoOrNext = 0x100,  // automatic tangent of a cubic key; "take the next value" of a constant one
    kTcb = 0x200,
    kBroken = 0x800,
    kClampedAuto = 0x1000,
    kClampProgressive = 0x4000,
    kRightWeighted = 0x01000000,
    kNextLeftWeighted = 0x02000000,
};

constexpr double kWeightUnit = 1.0 / 9999;

struct KeyAttributes {
    std::uint32_t flags = kLinear;
    double data[4] = {0, 0, 0, 0};  // right slope, next left slope, the two packed weights, velocity; or T, C, B
};

/// Attributes are run-length encoded: KeyAttrRefCount is the number of keys that share each.
std::vector<KeyAttributes> readAttributes(const Element& curve, std::size_t key_count) {
    const auto list = [&](const char* name) {
        const Element* element = curve.find(name);
        std::vector<double> numbers = element ? element->array<double>() : std::vector<double>();
        for (double& number : numbers)
            if (!(std::abs(number) < 1e18)) number = 0;
        return numbers;
    };
    const std::vector<double> flags = list("KeyAttrFlags"), data = list("KeyAttrDataFloat");
    const std::vector<double> counts = list("KeyAttrRefCount");
    std::vector<KeyAttributes> attributes;
    for (std::size_t i = 0; i < flags.size() && attributes.size() < key_count; ++i) {
        KeyAttributes a;
        a.flags = static_cast<std::uint32_t>(static_cast<std::int64_t>(flags[i]));
        for (std::size_t k = 0; k < 4; ++k)
            if (i * 4 + k < data.size()) a.data[k] = data[i * 4 + k];
        const double claimed = i < counts.size() ? counts[i] : 1;
        const double room = static_cast<double>(key_count - attributes.size());
        attributes.insert(attributes.end(), static_cast<std::size_t>(std::clamp(claimed, 0.0, room)), a);
    }
    attributes.resize(key_count, attributes.empty() ? KeyAttributes() : attributes.back());
    return attributes;
}

KeyKind keyKind(std::uint32_t flags) {
    if (flags & kConstant) return flags & kAutoOrNext ? KeyKind::constant_next : KeyKind::constant;
    return flags & kCubic ? KeyKind::cubic : KeyKind::linear;
}

/// An automatic tangent: the slope between the neighbors, limited so that it overshoots neither.
double automaticSlope(const FbxKey& before, const FbxKey& key, const FbxKey& after, std::uint32_t flags) {
    double slope = (after.value - before.value) / (after.time - before.time);
    if (!(flags & (kClampProgressive | kClampedAuto))) return slope;
    const double rise = key.value - before.value, next_rise = after.value - key.value;
    if (rise * next_rise <= 0) return 0;
    // The handle at a third of the segment may reach the neighbor's value but not pass it.
    const double limit =
        3 * std::min(std::abs(rise) / (key.time - before.time), std::abs(next_rise) / (after.time - key.time));
    return std::clamp(slope, -limit, limit);
}

/// Kochanek–Bartels tangents, per second.
void tcbSlopes(const FbxKey& before, FbxKey& key, const FbxKey& after, const double* data) {
    const double t = data[0], c = data[1], b = data[2];
    const double left = (key.value - before.value) / (key.time - before.time);
    const double right = (after.value - key.value) / (after.time - key.time);
    key.in_slope = (1 - t) * ((1 + b) * (1 - c) * left + (1 - b) * (1 + c) * right) / 2;
    key.out_slope = (1 - t) * ((1 + b) * (1 + c) * left + (1 - b) * (1 - c) * right) / 2;
}

void setTangents(std::vector<FbxKey>& keys, const std::vector<KeyAttributes>& attributes, bool is_text) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const KeyAttributes& a = attributes[i];
        FbxKey& key = keys[i];
        const bool inner = i > 0 && i + 1 < keys.size();
        if (a.flags & kCubic && a.flags & kTcb) {
            if (inner) tcbSlopes(keys[i - 1], key, keys[i + 1], a.data);
            continue;
        }
        if (a.flags & kCubic && a.flags & kAutoOrNext && !(a.flags & kBroken)) {
            if (inner) key.in_slope = key.out_slope = automaticSlope(keys[i - 1], key, keys[i + 1], a.flags);
        } else {
            key.out_slope = a.data[0];
            if (i == 0) key.in_slope = a.data[0];
        }
        if (i + 1 == keys.size()) continue;
        const KeyAttributes& next = attributes[i + 1];
        const bool next_is_automatic =
            next.flags & kCubic && next.flags & (kAutoOrNext | kTcb) && !(next.flags & kBroken);
        if (!next_is_automatic) keys[i + 1].in_slope = a.data[1];
        // Text files print the bits of the packed weights as an integer, binary ones store them as a float.
        const std::uint32_t weights = is_text ? static_cast<std::uint32_t>(std::clamp(a.data[2], 0.0, 4294967295.0))
                                              : std::bit_cast<std::uint32_t>(static_cast<float>(a.data[2]));
        if (a.flags & kRightWeighted) key.out_weight = std::min((weights & 0xffff) * kWeightUnit, 1.0);
        if (a.flags & kNextLeftWeighted) keys[i + 1].in_weight = std::min((weights >> 16) * kWeightUnit, 1.0);
    }
}

double bezier(double p0, double p1, double p2, double p3, double s) {
    const double r = 1 - s;
    return r * r * r * p0 + 3 * r * r * s * p1 + 3 * r * s * s * p2 + s * s * s * p3;
}

double evaluateCubic(const FbxKey& a, const FbxKey& b, double t) {
    const double dt = b.time - a.time, u = (t - a.time) / dt;
    double s = u;
    if (a.out_weight != 1.0 / 3 || b.in_weight != 1.0 / 3) {
        // With handles of other lengths, time is a curve too: find where this monotonic curve passes u.
        double low = 0, high = 1;
        for (int i = 0; i < 52; ++i) {
            s = (low + high) / 2;
            (bezier(0, a.out_weight, 1 - b.in_weight, 1, s) < u ? low : high) = s;
        }
    }
    return bezier(a.value, a.value + a.out_slope * a.out_weight * dt, b.value - b.in_slope * b.in_weight * dt, b.value,
                  s);
}

double evaluateSegment(const FbxKey& a, const FbxKey& b, double t) {
    switch (a.kind) {
        case KeyKind::constant:
            return a.value;
        case KeyKind::constant_next:
            return b.value;
        case KeyKind::linear:
            return a.value + (b.value - a.value) * (t - a.time) / (b.time - a.time);
        case KeyKind::cubic:
            return evaluateCubic(a, b, t);
    }
    return a.value;
}

}  // namespace

double FbxCurve::evaluate(double t) const {
    if (t <= keys.front().time) return keys.front().value;
    if (t >= keys.back().time) return keys.back().value;
    const auto next =
        std::upper_bound(keys.begin(), keys.end(), t, [](double time, const FbxKey& key) { return time < key.time; });
    return std::prev(next)->time == t ? std::prev(next)->value : evaluateSegment(*std::prev(next), *next, t);
}

double FbxCurve::evaluateBefore(double t) const {
    const auto next =
        std::lower_bound(keys.begin(), keys.end(), t, [](const FbxKey& key, double time) { return key.time < time; });
    if (next == keys.begin()) return keys.front().value;
    if (next == keys.end()) return keys.back().value;
    return evaluateSegment(*std::prev(next), *next, t);
}

FbxCurve readCurve(const FbxDocument& document, const FbxObject& object) {
    const Element* times = object.element->find("KeyTime");
    const Element* values = object.element->find("KeyValueFloat");
    FbxCurve curve;
    if (!times || !values) return curve;
    const std::vector<double> ticks = times->array<double>(), numbers = values->array<double>();
    if (ticks.size() != numbers.size())
        throw Error::badInput(fmt::format("animation curve {} has {} times and {} values; export the file again",
                                          object.id, ticks.size(), numbers.size()));
    std::vector<KeyAttributes> attributes = readAttributes(*object.element, ticks.size());
    std::vector<KeyAttributes> kept;
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const double time = ticks[i] / kFbxTicksPerSecond;
        if (!std::isfinite(time) || !std::isfinite(numbers[i]) ||
            (!curve.keys.empty() && !(time > curve.keys.back().time)))
            continue;
        FbxKey key;
        key.time = time;
        key.value = numbers[i];
        key.kind = keyKind(attributes[i].flags);
        curve.keys.push_back(key);
        kept.push_back(attributes[i]);
    }
    setTangents(curve.keys, kept, document.isText());
    return curve;
}

}  // namespace pelt::io::fbx
