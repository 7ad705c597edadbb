// Reads the text of a mesh file token by token and counts its lines.
#include "text_cursor.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace pelt::io {
namespace {

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

std::string_view withoutPlus(std::string_view token) {
    return token.size() > 1 && token[0] == '+' && token[1] != '-' ? token.substr(1) : token;
}

template <class T>
bool parseWhole(std::string_view token, T& value) {
    token = withoutPlus(token);
    const char* end = token.data() + token.size();
    const auto [stop, fault] = std::from_chars(token.data(), end, value);
    return fault == std::errc() && stop == end;
}

}  // namespace

TextCursor::TextCursor(std::span<const std::byte> bytes, std::string name)
    : text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()), name_(std::move(name)) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

/// The number of bytes of a line continuation at this position (a backslash and a line end); 0 if there is none.
std::size_t TextCursor::joinLength() const {
    if (text_[at_] != '\\' || at_ + 1 == text_.size()) return 0;
    const std::string_view after = text_.substr(at_ + 1, 2);
    if (after == "\r\n") return 3;
    return after[0] == '\n' || after[0] == '\r' ? 2 : 0;
}

void TextCursor::skipBlanks() {
    while (!atEnd()) {
        if (isBlank(text_[at_])) {
            ++at_;
        } else if (const std::size_t join = joinLength()) {
            at_ += join;
            ++line_;
        } else {
            return;
        }
    }
}

std::string_view TextCursor::nextOnLine() {
    skipBlanks();
    if (atLineEnd() || text_[at_] == '#') return {};
    const std::size_t first = at_;
    while (!atLineEnd() && !isBlank(text_[at_]) && joinLength() == 0) ++at_;
    return text_.substr(first, at_ - first);
}

std::string_view TextCursor::next() {
    for (;;) {
        const std::string_view token = nextOnLine();
        if (!token.empty() || !nextLine()) return token;
    }
}

std::string_view TextCursor::restOfLine() {
    skipBlanks();
    const std::size_t first = at_;
    while (!atLineEnd()) ++at_;
    std::size_t last = at_;
    while (last > first && isBlank(text_[last - 1])) --last;
    return text_.substr(first, last - first);
}

bool TextCursor::nextLine() {
    while (!atLineEnd()) ++at_;
    if (atEnd()) return false;
    at_ += text_.substr(at_, 2) == "\r\n" ? 2 : 1;
    ++line_;
    return true;
}

float TextCursor::nextFloat(std::string_view what) {
    const std::string_view token = next();
    float value = 0;
    if (!parseNumber(token, value)) failNumber(what, token);
    return value;
}

std::int64_t TextCursor::nextInteger(std::string_view what) {
    const std::string_view token = next();
    std::int64_t value = 0;
    if (!parseNumber(token, value)) failNumber(what, token);
    return value;
}

void TextCursor::fail(const std::string& what) const {
    throw Error::badInput({name_, fmt::format("line {}", line_)}, what);
}

void TextCursor::failNumber(std::string_view what, std::string_view token) const {
    if (token.empty()) fail(fmt::format("{} is missing; the line or the file may be truncated", what));
    fail(fmt::format("{} is {}, not a number", what, inQuotes(token)));
}

bool parseNumber(std::string_view token, float& value) {
    if (parseWhole(token, value)) return true;
    // from_chars also reports underflow as out of range; parsing as double distinguishes it from overflow.
    double wide = 0;
    if (!parseNumber(token, wide) || std::abs(wide) > std::numeric_limits<float>::max()) return false;
    value = static_cast<float>(wide);
    return true;
}

bool parseNumber(std::string_view token, double& value) {
    if (parseWhole(token, value)) return true;
    token = withoutPlus(token);
    const char* end = token.data() + token.size();
    const auto [stop, fault] = std::from_chars(token.data(), end, value);
    if (fault != std::errc::result_out_of_range || stop != end) return false;
    const std::size_t exponent = token.find_first_of("eE");
    if (exponent == std::string_view::npos || token.substr(exponent + 1, 1) != "-") return false;
    value = 0;
    return true;
}

bool parseNumber(std::string_view token, std::int64_t& value) { return parseWhole(token, value); }

std::string inQuotes(std::string_view token) {
    constexpr std::size_t kLongest = 24;
    std::string text = "'";
    for (const char c : token.substr(0, kLongest)) text += c >= 0x20 && c < 0x7f ? c : '?';
    return text + (token.size() > kLongest ? "…'" : "'");
}

}  // namespace pelt::io
