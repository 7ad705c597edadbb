#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "batch/plan/manifest.h"

namespace pelt::batch {

/// `--do` over files: for each file a chain of items, of which each reads what the one before wrote.
struct ChainRequest {
    std::vector<std::string> inputs;    ///< files, folders (every character below them), patterns with ** * ? [
    std::vector<std::string> commands;  ///< a verb and its options each
    std::filesystem::path out, state;   ///< as they were named; files inside them are no inputs
    std::filesystem::path folder;       ///< absolute; what relative paths start from
    ItemDefaults defaults;
};

/// The last step that writes a character writes OUT/NAME.glb; steps before it write into STATE. A step that writes
/// something else (a picture, a packed rig) writes it as OUT/NAME with its extension; the next step reads the character
/// before it. Throws Error: bad usage for a command that is no verb of a chain, bad input if nothing matches.
Plan planChains(const ChainRequest& request);

}  // namespace pelt::batch
