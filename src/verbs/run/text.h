#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace pelt::cli {

/// One line that is safe to print on any terminal: control characters, characters that change the display of text and
/// invalid UTF-8 become \xNN. Long names in quotation marks, and long lines, are shortened in the middle.
std::string oneLine(std::string_view text);

/// An option of the library as a flag: bind_pose is --bind-pose.
std::string flagOf(std::string_view option);

/// Replaces options in backquotes, as in the library's messages, by flags.
std::string withFlags(const std::string& sentence);

/// "1 vertex", "3 vertices".
std::string counted(std::size_t count, std::string_view one, std::string_view many);

bool isTerminal(int stream);  ///< a terminal that understands control sequences
bool wantsColor(int stream);  ///< the same, and NO_COLOR is not set
bool speaksUtf8();            ///< by LC_ALL, LC_CTYPE, LANG

/// Throws Error (system) if standard output cannot be written: closed, or the disk is full.
void writeStdout(std::string_view text);
void writeStdout(std::span<const std::byte> bytes);
void writeStderr(std::string_view text);

}  // namespace pelt::cli
