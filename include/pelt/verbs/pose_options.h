#pragma once

#include <pelt/core/options.h>
#include <pelt/verbs/pose.h>

namespace pelt::verbs {

/// The options that `pelt pose` and a live poser (LivePoser) have in common.
struct PoserOptions {
    std::optional<pose::Energy> energy;  ///< not set: energyFor()
    std::optional<std::size_t> clusters;
    std::size_t extra_weights = 0;
    pose::ExtraKind extra_kind = pose::ExtraKind::modes;
    FlatMode flat = FlatMode::automatic;
    bool free = false, keep_lengths = false;
    std::optional<std::string> clip;
    std::optional<double> at;
    double fps = 30;

    PoseRequest request(const Character& character) const;
};

OptionTable<PoserOptions> poserRows();

/// The request of a live poser. `limits` is the text of a JSON object (docs/pose.md); empty: no limits. Throws Error:
/// bad usage for an option that is not among poserRows() or does not take its value, bad input for the limits.
PoseRequest readPoserRequest(const Character& character, const OptionValues& options, const std::string& limits = {});

/// Handles from the text of a JSON object (docs/pose.md). Throws Error (bad input) that names the handle that is wrong;
/// messages call the text `name`.
std::vector<PoseHandle> parseHandles(const std::string& json, const std::string& name);

}  // namespace pelt::verbs
