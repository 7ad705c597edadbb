// Guesses from its name whether a leaf only marks an end or an attachment point.
#include "joint_names.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace pelt::bind {
namespace {

/// The name without the marks of its side or number: "HandSlot.L" and "handslot_02" become "handslot".
std::string stemOf(const std::string& name) {
    std::string stem = name;
    const auto trim = [&] {
        while (!stem.empty() && !std::isalpha(static_cast<unsigned char>(stem.back()))) stem.pop_back();
    };
    trim();
    for (const std::string_view side : {"left", "right", "l", "r"}) {
        if (stem.size() <= side.size()) continue;
        const std::size_t cut = stem.size() - side.size();
        const bool apart = !std::isalnum(static_cast<unsigned char>(stem[cut - 1]));
        const bool same = std::equal(side.begin(), side.end(), stem.begin() + static_cast<std::ptrdiff_t>(cut),
                                     [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
        if (apart && same) {
            stem.resize(cut);
            break;
        }
    }
    trim();
    return stem;
}

/// Whether the stem ends in the word; with `whole`, only if a word begins there: "toe_end", "ToeEnd", not "bend".
bool endsInWord(const std::string& stem, std::string_view word, bool whole) {
    if (stem.size() < word.size()) return false;
    const std::size_t cut = stem.size() - word.size();
    for (std::size_t k = 0; k < word.size(); ++k)
        if (std::tolower(static_cast<unsigned char>(stem[cut + k])) != word[k]) return false;
    if (!whole || cut == 0) return true;
    const auto before = static_cast<unsigned char>(stem[cut - 1]), at = static_cast<unsigned char>(stem[cut]);
    return !std::isalpha(before) || (std::isupper(at) && std::islower(before));
}

}  // namespace

Marker markerOf(const std::string& name) {
    const std::string stem = stemOf(name);
    if (endsInWord(stem, "end", true) || endsInWord(stem, "site", true) || endsInWord(stem, "tip", false) ||
        endsInWord(stem, "nub", false))
        return Marker::end;
    if (endsInWord(stem, "slot", false) || endsInWord(stem, "socket", false)) return Marker::place;
    return Marker::none;
}

}  // namespace pelt::bind
