#pragma once

#include <filesystem>
#include <string>

namespace pelt::io {

/// The extension of a file in lower case, with its dot; empty if there is none.
std::string extensionOf(const std::filesystem::path& path);

}  // namespace pelt::io
