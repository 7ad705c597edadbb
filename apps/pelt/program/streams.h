#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

namespace pelt::cli {

/// "-" in the place of a file: standard input or standard output. A file of that name is "./-".
bool isStandardStream(const std::filesystem::path& path);

/// The name of a file in messages: "standard input" for "-".
std::string inputName(const std::filesystem::path& path);

/// Refuses "-" before any work if it is not possible: options whose files are read by seeking, standard input or output
/// twice, standard output together with --json, a terminal. True if standard output gets a file. Throws Error (bad
/// usage).
bool checkStreams(const CLI::App& verb, bool json);

/// True for the options (without --) whose values are files or folders that a verb writes.
bool isOutputOption(std::string_view name);

/// All of standard input. Throws Error: bad input for more than a .glb can hold, system if it cannot be read.
std::vector<std::byte> readStandardInput();

}  // namespace pelt::cli
