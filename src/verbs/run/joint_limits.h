#pragma once

#include <pelt/rig/range_of_motion.h>

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace pelt::verbs {

/// Reads how far joints bend and twist, in degrees:
///     { "default": { "bend": 90, "twist": 60 }, "joints": { "knee_L": { "bend": [0, 140], "twist": 10 } } }
/// A single number applies to both directions. Missing values keep the default. Throws Error (bad input) with the
/// file's name, `path`.
rig::RangeOfMotion readJointLimits(const nlohmann::ordered_json& document, const std::filesystem::path& path,
                                   const Skeleton& skeleton);

}  // namespace pelt::verbs
