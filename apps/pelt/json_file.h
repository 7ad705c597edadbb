#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace pelt::cli {

/// Reads JSON from a file or standard input ("-"). Throws Error (bad input) if it cannot be read, and for invalid JSON
/// with the line.
nlohmann::json readJsonFile(const std::filesystem::path& path);

}  // namespace pelt::cli
