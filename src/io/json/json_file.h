#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace pelt::io {

/// Reads JSON from a file. Throws Error (bad input) if it cannot be read, and for invalid JSON with the line.
nlohmann::ordered_json readJsonFile(const std::filesystem::path& path);
/// The same of a text; messages call it `name`.
nlohmann::ordered_json parseJson(std::string_view text, const std::string& name);

}  // namespace pelt::io
