#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pelt::io {

/// Reads the text of a mesh file token by token and keeps track of the line for messages. Lines end with LF, CRLF or
/// CR; a backslash at the end of a line joins the next one to it; '#' at the start of a token begins a comment. The
/// bytes must outlive the cursor and every token it returns.
class TextCursor {
public:
    TextCursor(std::span<const std::byte> bytes, std::string name);

    bool atEnd() const { return at_ == text_.size(); }
    std::size_t bytesLeft() const { return text_.size() - at_; }
    std::uint64_t line() const { return line_; }

    /// The next token of this line; empty if the line ends or a comment begins.
    std::string_view nextOnLine();
    /// The next token of the file, skipping line ends and comments; empty at the end of the file.
    std::string_view next();
    /// The rest of this line, without blanks at both ends, including comments.
    std::string_view restOfLine();
    /// Goes to the start of the next line; true unless the file ends.
    bool nextLine();

    /// The next number of the file. Fails with a message that names `what` if there is none.
    float nextFloat(std::string_view what);
    std::int64_t nextInteger(std::string_view what);

    /// Throws Error (bad input): file, line, `what`.
    [[noreturn]] void fail(const std::string& what) const;
    [[noreturn]] void failNumber(std::string_view what, std::string_view token) const;

private:
    bool atLineEnd() const { return atEnd() || text_[at_] == '\n' || text_[at_] == '\r'; }
    std::size_t joinLength() const;
    void skipBlanks();

    std::string_view text_;
    std::string name_;
    std::size_t at_ = 0;
    std::uint64_t line_ = 1;
};

/// Parses a whole token as a number; a leading '+' is accepted. A value too small for the type becomes 0, one too large
/// is not a number; "nan" and "inf" are accepted. False if the token is not a number.
bool parseNumber(std::string_view token, float& value);
bool parseNumber(std::string_view token, double& value);
bool parseNumber(std::string_view token, std::int64_t& value);

/// The token in quotes, short and printable, for a message.
std::string inQuotes(std::string_view token);

}  // namespace pelt::io
