#pragma once

#include <string>
#include <string_view>

namespace pelt::cli {

/// One line that any terminal can show, whatever is in it: control characters, marks that change how text reads and
/// what is no UTF-8 come out as \xNN; names in quotation marks and the whole are cut in the middle where they are long.
std::string oneLine(std::string_view text);

/// "1 vertex", "3 vertices".
std::string counted(std::size_t count, std::string_view one, std::string_view many);

bool isTerminal(int stream);  ///< a terminal that understands control sequences
bool wantsColor(int stream);  ///< that, and NO_COLOR is not set
bool speaksUtf8();            ///< by LC_ALL, LC_CTYPE, LANG

/// Throws Error (system) where standard output does not take it: closed, or the disk is full.
void writeStdout(std::string_view text);
void writeStderr(std::string_view text);

}  // namespace pelt::cli
