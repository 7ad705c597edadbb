#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace pelt::cli {

/// What a file, or standard input ("-"), holds. Throws Error (bad input) where it cannot be read, and for what is no
/// JSON, with its line.
nlohmann::json readJsonFile(const std::filesystem::path& path);

}  // namespace pelt::cli
