#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document.h"

namespace pelt::io::gltf {

/// "a%20b" -> "a b"; a stray percent sign stays.
std::string percentDecoded(std::string_view text);
/// A file name as a relative URI.
std::string percentEncoded(std::string_view file_name);

/// The bytes of a base64 data URI; nullopt if it is something else or damaged.
std::optional<std::vector<std::byte>> decodeDataUri(std::string_view uri);

/// The file that a relative URI refers to; nullopt for absolute paths and URIs with a scheme.
std::optional<std::filesystem::path> relativeFile(const std::filesystem::path& folder, std::string_view uri);

/// Whether a document may read this external file.
bool mayRead(const ExternalFiles& external, const std::filesystem::path& file);

}  // namespace pelt::io::gltf
