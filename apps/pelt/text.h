#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace pelt::cli {

/// One line that any terminal can show, whatever is in it: control characters, marks that change how text reads and
/// what is no UTF-8 come out as \xNN; names in quotation marks and the whole are cut in the middle where they are long.
std::string oneLine(std::string_view text);

/// An option of the library as a flag: bind_pose is --bind-pose.
std::string flagOf(std::string_view option);

/// Options in backquotes, as the library's sentences name them, as flags.
std::string withFlags(const std::string& sentence);

/// "1 vertex", "3 vertices".
std::string counted(std::size_t count, std::string_view one, std::string_view many);

bool isTerminal(int stream);  ///< a terminal that understands control sequences
bool wantsColor(int stream);  ///< that, and NO_COLOR is not set
bool speaksUtf8();            ///< by LC_ALL, LC_CTYPE, LANG

/// Throws Error (system) if standard output cannot be written: closed, or the disk is full.
void writeStdout(std::string_view text);
void writeStdout(std::span<const std::byte> bytes);
void writeStderr(std::string_view text);

}  // namespace pelt::cli
