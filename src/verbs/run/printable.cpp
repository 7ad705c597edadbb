// Makes texts of files safe to print on one line.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "verbs/run/text.h"

namespace pelt::verbs {
namespace {

constexpr std::size_t kLongestName = 200;  ///< maximum number of characters of a name from a file
constexpr std::size_t kLongestLine = 2000;

struct CodePoint {
    std::uint32_t value = 0;
    std::size_t bytes = 0;  ///< 0: not valid UTF-8
};

CodePoint decode(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
    std::uint32_t value = lead & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) return {};
        value = value << 6 | (byte(i) & 0x3fU);
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = value >= 0xd800 && value < 0xe000;
    return value < kLeast[length] || value > 0x10ffff || surrogate ? CodePoint{} : CodePoint{value, length};
}

/// Characters that control a terminal or change how text is displayed: controls (C0, C1), line and paragraph
/// separators, marks without width, changes of direction, the byte order mark, tags.
bool isHidden(std::uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xe0000 && c < 0xe0080);
}

/// Removes the first character; one that must not be shown is returned as \xNN for each of its bytes.
std::string takePrintable(std::string_view& text) {
    const CodePoint c = decode(text);
    const std::string_view bytes = text.substr(0, std::max<std::size_t>(c.bytes, 1));
    text.remove_prefix(bytes.size());
    if (c.bytes > 0 && !isHidden(c.value)) return std::string(bytes);
    std::string escaped;
    for (const char b : bytes) escaped += fmt::format("\\x{:02x}", static_cast<unsigned char>(b));
    return escaped;
}

/// Removes the middle of the characters starting at `first` if there are more than `most`.
void cutMiddle(std::vector<std::string>& characters, std::size_t first, std::size_t most) {
    if (characters.size() - first <= most) return;
    const auto middle = characters.begin() + std::ptrdiff_t(first + most / 2);
    *middle = "…";
    characters.erase(middle + 1, characters.end() - std::ptrdiff_t(most - most / 2 - 1));
}

}  // namespace

std::string oneLine(std::string_view text) {
    constexpr std::size_t kLongestText = 16 * kLongestLine;  // most of it is removed again
    std::string shorter;
    if (text.size() > kLongestText)
        text = shorter =
            std::string(text.substr(0, kLongestText / 2)) + std::string(text.substr(text.size() - kLongestText / 2));
    std::vector<std::string> characters;
    std::size_t quoted = 0;  // after the last quotation mark
    while (!text.empty()) {
        std::string character = takePrintable(text);
        const bool quote = character == "'";
        if (quote) cutMiddle(characters, quoted, kLongestName);
        characters.push_back(std::move(character));
        if (quote) quoted = characters.size();
    }
    cutMiddle(characters, 0, kLongestLine);
    std::string line;
    for (const std::string& character : characters) line += character;
    return line;
}

}  // namespace pelt::verbs
