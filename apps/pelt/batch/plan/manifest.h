#pragma once

#include <filesystem>
#include <string_view>

#include "batch/plan/plan.h"

namespace pelt::batch {

/// What an item of the manifest has if its line does not say otherwise.
struct ItemDefaults {
    int retries = 1;
    double timeout = 0;
};

/// Reads a manifest: one JSON object per line; empty lines are ignored. Its folder becomes the plan's. `name` stands in
/// messages. Throws Error (bad input) with the line that is wrong.
Plan readManifest(std::string_view text, const std::string& name, const std::filesystem::path& folder,
                  const ItemDefaults& defaults);

/// An item as a line of a manifest, complete, for the tasks of a cluster.
Json toJson(const Item& item);
Item itemFromJson(const Json& line);

}  // namespace pelt::batch
