#pragma once

#include <pelt/core/mesh_sequence.h>
#include <pelt/rig/character.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace pelt::cli {

/// In-memory replacements for files, for a program that runs a verb in its own process: inputs and results, with names
/// that begin with "memory:".
struct Documents {
    std::map<std::string, const Character*> characters;
    std::map<std::string, std::function<std::unique_ptr<MeshSequence>()>> sequences;
    std::map<std::string, nlohmann::json> objects;  ///< instead of JSON files
    std::optional<Character> written;

    /// Throws Error (bad usage) if there is no such document.
    const Character& character(const std::filesystem::path& name) const;
    std::unique_ptr<MeshSequence> sequence(const std::filesystem::path& name) const;
    const nlohmann::json& object(const std::filesystem::path& name) const;
};

bool isInMemory(const std::filesystem::path& path);

}  // namespace pelt::cli
