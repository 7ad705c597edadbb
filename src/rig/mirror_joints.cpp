// Finds the plane of symmetry of a skeleton and the twin of each joint.
#include <pelt/core/error.h>
#include <pelt/rig/mirror_joints.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <tuple>

namespace pelt::rig {
namespace {

constexpr double kJointTolerance = 0.01, kMiddleTolerance = 0.01, kAtOrigin = 1e-3;  // of the size

bool isUpper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool isLower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }
bool isAlpha(char c) { return isUpper(c) || isLower(c); }

struct SideWord {
    std::size_t first = 0, count = 0;
    std::string other;  ///< in the same case
    Side side = Side::none;
};

/// Each side word with the other side's, written alike.
constexpr std::array<std::array<const char*, 2>, 6> kSideWords = {
    {{"left", "right"}, {"Left", "Right"}, {"LEFT", "RIGHT"}, {"l", "r"}, {"L", "R"}, {"lft", "rgt"}}};

bool beginsWord(std::string_view name, std::size_t at) {
    if (!isAlpha(name[at])) return false;
    if (at == 0 || !isAlpha(name[at - 1])) return true;
    const bool rises = isUpper(name[at]) && isLower(name[at - 1]);
    const bool ends_capitals = isUpper(name[at]) && at + 1 < name.size() && isLower(name[at + 1]);
    return rises || ends_capitals;
}

std::vector<SideWord> sideWords(std::string_view name) {
    std::vector<SideWord> words;
    for (std::size_t at = 0; at < name.size(); ++at) {
        // The Japanese words, three bytes each in UTF-8.
        for (const auto& [word, other, side] : {std::tuple{"\xE5\xB7\xA6", "\xE5\x8F\xB3", Side::left},
                                                std::tuple{"\xE5\x8F\xB3", "\xE5\xB7\xA6", Side::right}})
            if (name.substr(at).starts_with(word)) words.push_back({at, 3, other, side});
        if (!beginsWord(name, at)) continue;
        std::size_t end = at + 1;
        while (end < name.size() && isAlpha(name[end]) && !beginsWord(name, end)) ++end;
        const std::string_view word = name.substr(at, end - at);
        for (const auto& pair : kSideWords)
            for (const std::size_t s : {0u, 1u})
                if (word == pair[s]) words.push_back({at, end - at, pair[1 - s], s == 0 ? Side::left : Side::right});
    }
    return words;
}

std::string swapped(std::string_view name, std::span<const SideWord> words) {
    std::string out;
    std::size_t at = 0;
    for (const SideWord& word : words) {
        out += name.substr(at, word.first - at);
        out += word.other;
        at = word.first + word.count;
    }
    return out += name.substr(at);
}

/// Slots by name; a name may occur several times.
using SlotsByName = std::map<std::string, std::vector<std::uint32_t>, std::less<>>;

std::size_t pairByName(const Skeleton& skeleton, std::vector<std::uint32_t>& twins) {
    SlotsByName slots;
    for (std::uint32_t j = 0; j < twins.size(); ++j) slots[jointName(skeleton, j)].push_back(j);
    std::size_t pairs = 0;
    for (const auto& [name, of_name] : slots)
        for (const std::string& other : namesOnOtherSide(name)) {
            const auto found = slots.find(other);
            if (found == slots.end() || found->second.size() != of_name.size()) continue;
            for (std::size_t i = 0; i < of_name.size(); ++i) {
                if (twins[of_name[i]] != JointMirror::kNoTwin || twins[found->second[i]] != JointMirror::kNoTwin)
                    continue;
                twins[of_name[i]] = found->second[i];
                twins[found->second[i]] = of_name[i];
                ++pairs;
            }
            break;
        }
    return pairs;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2), values.end());
    return values[values.size() / 2];
}

/// The plane in the middle of the pairs, perpendicular to an axis.
MirrorPlane planeOf(std::span<const Vec3d> positions, std::span<const std::uint32_t> twins, int axis) {
    std::vector<double> middles;
    for (std::size_t j = 0; j < twins.size(); ++j)
        if (twins[j] != JointMirror::kNoTwin && twins[j] != j)
            middles.push_back((positions[j][axis] + positions[twins[j]][axis]) / 2);
    return {axis, middles.empty() ? 0 : median(std::move(middles))};
}

/// Without an axis, that about which the pairs are most symmetric.
MirrorPlane planeOf(std::span<const Vec3d> positions, std::span<const std::uint32_t> twins, std::optional<int> axis) {
    if (axis) return planeOf(positions, twins, *axis);
    MirrorPlane best;
    double least = HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        const MirrorPlane plane = planeOf(positions, twins, k);
        double apart = 0;
        for (std::size_t j = 0; j < twins.size(); ++j)
            if (twins[j] != JointMirror::kNoTwin) apart += length(plane.across(positions[j]) - positions[twins[j]]);
        if (apart < least) least = apart, best = plane;
    }
    return best;
}

/// Pairs joints that have no twin yet with the nearest one at the mirrored position. Returns the number of new pairs.
std::size_t pairByPosition(std::span<const Vec3d> positions, const MirrorPlane& plane, double tolerance,
                           std::vector<std::uint32_t>& twins) {
    std::size_t pairs = 0;
    for (std::uint32_t j = 0; j < twins.size(); ++j) {
        if (twins[j] != JointMirror::kNoTwin) continue;
        if (std::abs(plane.distance(positions[j])) <= tolerance) {
            twins[j] = j;
            continue;
        }
        std::uint32_t best = JointMirror::kNoTwin;
        double nearest = tolerance;
        for (std::uint32_t k = 0; k < twins.size(); ++k) {
            const double apart = length(positions[k] - plane.across(positions[j]));
            if (k != j && twins[k] == JointMirror::kNoTwin && apart < nearest) nearest = apart, best = k;
        }
        if (best == JointMirror::kNoTwin) continue;
        twins[j] = best;
        twins[best] = j;
        ++pairs;
    }
    return pairs;
}

/// Names say nothing: the axis and place with the most pairs, if most joints have a twin or are in the middle.
std::optional<MirrorPlane> planeByPosition(std::span<const Vec3d> positions, std::optional<int> axis,
                                           double tolerance) {
    std::optional<MirrorPlane> best;
    std::size_t most = 0;
    for (int k = 0; k < 3 && !positions.empty(); ++k) {
        if (axis && *axis != k) continue;
        double low = positions[0][k], high = low;
        for (const Vec3d& p : positions) low = std::min(low, p[k]), high = std::max(high, p[k]);
        for (const double place : {0.0, positions[0][k], (low + high) / 2}) {
            std::vector<std::uint32_t> twins(positions.size(), JointMirror::kNoTwin);
            const std::size_t pairs = pairByPosition(positions, {k, place}, tolerance, twins);
            const auto lonely = std::size_t(std::count(twins.begin(), twins.end(), JointMirror::kNoTwin));
            if (pairs > most && 5 * lonely <= twins.size()) most = pairs, best = MirrorPlane{k, place};
        }
    }
    return best;
}

}  // namespace

std::vector<std::string> namesOnOtherSide(std::string_view name) {
    const std::vector<SideWord> words = sideWords(name);
    std::vector<std::string> names;
    if (words.empty()) return names;
    names.push_back(swapped(name, words));
    if (words.size() > 1)
        for (const SideWord& word : words) names.push_back(swapped(name, {&word, 1}));
    return names;
}

Side sideOf(std::string_view name) {
    const std::vector<SideWord> words = sideWords(name);
    return words.empty() ? Side::none : words.front().side;
}

std::vector<std::uint32_t> JointMirror::nearestTwins(const Skeleton& skeleton) const {
    const std::vector<std::int32_t> parents = jointParents(skeleton);
    std::vector<std::uint32_t> found(twins.size());
    for (std::uint32_t j = 0; j < twins.size(); ++j) {
        auto at = std::int32_t(j);
        while (at >= 0 && twins[std::size_t(at)] == kNoTwin) at = parents[std::size_t(at)];
        found[j] = at >= 0 ? twins[std::size_t(at)] : j;
    }
    return found;
}

JointMirror findJointMirror(const Skeleton& skeleton, std::span<const Vec3d> positions, std::optional<int> axis,
                            double size) {
    JointMirror mirror;
    mirror.twins.assign(positions.size(), JointMirror::kNoTwin);
    mirror.pairs_by_name = pairByName(skeleton, mirror.twins);
    if (mirror.pairs_by_name > 0) {
        mirror.plane = planeOf(positions, mirror.twins, axis);
    } else {
        const std::optional<MirrorPlane> plane = planeByPosition(positions, axis, kJointTolerance * size);
        if (!plane && !axis)
            throw Error::badInput(
                "has no joints of two sides, by name (hand_L, hand_R) or position, that would show what to mirror "
                "across; name the `axis`");
        mirror.plane = plane.value_or(MirrorPlane{axis.value_or(0), 0});
    }
    if (std::abs(mirror.plane.place) <= kAtOrigin * size) mirror.plane.place = 0;
    double left = 0;
    for (std::size_t j = 0; j < positions.size(); ++j) {
        const Side side = sideOf(jointName(skeleton, j));
        if (mirror.twins[j] == JointMirror::kNoTwin || side == Side::none) continue;
        left += (side == Side::left ? 1 : -1) * mirror.plane.distance(positions[j]);
    }
    mirror.left_is_positive = left >= 0;
    mirror.pairs =
        mirror.pairs_by_name + pairByPosition(positions, mirror.plane, kMiddleTolerance * size, mirror.twins);
    return mirror;
}

}  // namespace pelt::rig
