#pragma once

#include <optional>

#include "batch/run/state.h"

namespace pelt::batch {

/// What decides an item's result.
struct ItemKey {
    std::string key;
    std::vector<InputFile> inputs;
    std::int64_t hashed = 0;
};

/// The key of an item now. Files that have not changed since `former` looked at them are not read again.
ItemKey keyOf(const Item& item, const std::filesystem::path& folder, const std::optional<Record>& former);

/// True if the record is the final result of the item with this key, and what it wrote is still there.
bool isCurrent(const Record& record, const Item& item, const ItemKey& key, const std::filesystem::path& folder);

}  // namespace pelt::batch
