#pragma once

#include <pelt/verbs/verb.h>

#include <filesystem>
#include <vector>

namespace pelt::program {

/// Checks an output before any work; returns which of the kinds its extension says. Throws Error: bad usage for an
/// extension of another kind, or a target that is one of the inputs or would replace other files; system for a folder
/// that is missing or not writable. Standard output ("-") is of the first kind.
verbs::Kind checkOutput(const std::filesystem::path& output, std::span<const verbs::Kind> kinds,
                        const std::vector<std::filesystem::path>& inputs);

/// Throws Error (bad usage) if writing the file would change one of the inputs or what these refer to.
void checkInputsAreKept(const std::filesystem::path& output, const std::vector<std::filesystem::path>& inputs);

}  // namespace pelt::program
