#pragma once

#include <pelt/pipeline/pose.h>

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace pelt::cli {

/// Reads the handles for `pelt pose`; the format is described in docs/pose.md. Throws Error (bad input) with the file's
/// name, `path`, and the number of the handle that is wrong.
std::vector<pipeline::PoseHandle> readHandles(const nlohmann::json& document, const std::filesystem::path& path);

}  // namespace pelt::cli
