#pragma once

#include <pelt/verbs/pose.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace pelt::verbs {

/// Reads the handles for `pelt pose`; the format is described in docs/pose.md. Throws Error (bad input) with the name
/// of the file and the number of the handle that is wrong.
std::vector<PoseHandle> readHandles(const nlohmann::ordered_json& document, const std::string& file);

}  // namespace pelt::verbs
