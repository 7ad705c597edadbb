#pragma once

#include <pelt/verbs/verb.h>

#include <cstddef>
#include <filesystem>
#include <vector>

namespace pelt::program {

/// "-" in the place of a file: standard input or standard output. A file of that name is "./-".
bool isStandardStream(const std::filesystem::path& path);

/// The name of a file in messages: "standard input" for "-".
std::string inputName(const std::filesystem::path& path);

/// Refuses "-" before any work if it is not possible: files that are read by seeking, standard input or output twice,
/// standard output together with --json, a terminal. True if standard output gets a file. Throws Error (bad usage).
bool checkStreams(const verbs::Verb& verb, const verbs::Inputs& inputs,
                  const std::map<std::string, std::filesystem::path, std::less<>>& outputs, bool json);

/// All of standard input. Throws Error: bad input for more than a .glb can hold, system if it cannot be read.
std::vector<std::byte> readStandardInput();

}  // namespace pelt::program
