#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace pelt::verbs {

/// One line that is safe to print on any terminal: control characters, characters that change the display of text and
/// invalid UTF-8 become \xNN. Long names in quotation marks, and long lines, are shortened in the middle.
std::string oneLine(std::string_view text);

/// An option of the library as a flag: bind_pose is --bind-pose.
std::string flagOf(std::string_view option);

/// Replaces options in backquotes, as in the library's messages, by flags.
std::string withFlags(const std::string& sentence);

/// "1 vertex", "3 vertices".
std::string counted(std::size_t count, std::string_view one, std::string_view many);

/// A message for an exception that is no Error. The texts of the standard library would not help users.
std::string plainWords(const std::exception& fault);

}  // namespace pelt::verbs
