// Suggests the name that a misspelled word probably means.
#include <pelt/core/spelling.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

namespace pelt {
namespace {

constexpr std::size_t kListed = 12;       ///< number of names listed in a message
constexpr std::size_t kShortestPart = 3;  ///< shortest word that is searched for inside names
constexpr std::size_t kLongestName =
    200;  ///< maximal length; longer words are hardly typed by hand, and the table would be large

std::string lowered(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower;
}

/// Letters inserted, left out, changed, or swapped with their neighbor (optimal string alignment distance).
std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t(0));
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), last[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

}  // namespace

std::string nearestName(std::string_view word, std::span<const std::string> names) {
    const std::string wanted = lowered(word);
    if (wanted.size() > kLongestName) return {};
    const std::size_t most = std::max<std::size_t>(1, wanted.size() / 3);
    std::size_t fewest = most + 1;
    const std::string *nearest = nullptr, *containing = nullptr;
    for (const std::string& name : names) {
        if (name.empty() || name.size() > kLongestName) continue;
        const std::string lower = lowered(name);
        const std::size_t distance = editDistance(wanted, lower);
        // A word with all letters changed is a different word.
        if (distance < fewest && distance < wanted.size()) fewest = distance, nearest = &name;
        const bool contains = wanted.size() >= kShortestPart && lower.find(wanted) != std::string::npos;
        if (contains && (!containing || name.size() < containing->size())) containing = &name;
    }
    return nearest ? *nearest : containing ? *containing : std::string();
}

std::string didYouMean(std::string_view word, std::span<const std::string> names) {
    const std::string nearest = nearestName(word, names);
    return nearest.empty() ? std::string() : "; did you mean '" + nearest + "'?";
}

std::string listNames(std::span<const std::string> names) {
    std::string text;
    for (const std::string& name : names.first(std::min(names.size(), kListed)))
        text += (text.empty() ? "'" : ", '") + name + "'";
    if (names.size() > kListed) text += ", … (" + std::to_string(names.size()) + " in all)";
    return text;
}

}  // namespace pelt
