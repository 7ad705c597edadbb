#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "verbs/run/text.h"

namespace pelt::program {

using verbs::counted, verbs::flagOf, verbs::oneLine, verbs::withFlags;

bool isTerminal(int stream);  ///< a terminal that understands control sequences
bool wantsColor(int stream);  ///< the same, and NO_COLOR is not set
bool speaksUtf8();            ///< by LC_ALL, LC_CTYPE, LANG

/// Throws Error (system) if standard output cannot be written: closed, or the disk is full.
void writeStdout(std::string_view text);
void writeStdout(std::span<const std::byte> bytes);
void writeStderr(std::string_view text);

}  // namespace pelt::program
