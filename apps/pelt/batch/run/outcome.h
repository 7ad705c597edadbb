#pragma once

#include "batch/run/child.h"
#include "batch/run/state.h"

namespace pelt::batch {

/// Fills a record with how a verb ended. `stopped_after`: the time limit, in seconds, if it was reached; otherwise 0.
void describe(const ChildResult& result, double stopped_after, Record& record);

/// The files that an item wrote, of those that its arguments and its report name; for a folder the files inside it that
/// the report lists.
std::vector<std::string> writtenFiles(const Item& item, const std::filesystem::path& folder, const Json& report);

/// Removes what a child that was killed could not remove: temporary files beside its outputs.
void removeTemporaries(const Item& item, const std::filesystem::path& folder);

}  // namespace pelt::batch
