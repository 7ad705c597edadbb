// Mends what the import library refuses in Collada files although its meaning is clear.
#include "mend_collada.h"

#include <cctype>

namespace pelt::importer {
namespace {

bool isXmlSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool beginsNumber(char c) { return std::isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '+' || c == '.'; }

/// Some exporters write a space before the numbers of an element (<color> 1 0 0 1</color>), which the library cannot
/// read in colors.
std::string withoutSpaceBeforeNumbers(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        out += text[at++];
        if (out.back() != '>') continue;
        std::size_t next = at;
        while (next < text.size() && isXmlSpace(text[next])) ++next;
        if (next < text.size() && beginsNumber(text[next])) at = next;
    }
    return out;
}

}  // namespace

std::string mendCollada(std::string_view text) { return withoutSpaceBeforeNumbers(text); }

}  // namespace pelt::importer
