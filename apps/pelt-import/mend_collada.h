#pragma once

#include <string>
#include <string_view>

namespace pelt::importer {

/// The text of a Collada file as the import library can read it: without space before numbers.
std::string mendCollada(std::string_view text);

}  // namespace pelt::importer
