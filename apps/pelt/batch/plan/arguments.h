#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pelt::batch {

using Words = std::vector<std::string>;

/// Files and folders that a command writes: the values of -o and of the other output options.
std::vector<std::filesystem::path> outputsOf(const Words& argv);

/// The words of a command that may name an input: all but the verb, flags and outputs; the values of --option=value.
Words inputWordsOf(const Words& argv);

/// The files that a command reads, relative to `folder` or absolute as the words are: files that words name, the files
/// of a folder or a quoted glob, and the files that a .gltf refers to. In the order of the words, without repetition.
std::vector<std::filesystem::path> inputsOf(const Words& argv, const std::filesystem::path& folder);

/// A file as a word of a command: ./-x.glb for -x.glb, which would be an option.
std::string fileWord(const std::filesystem::path& file);

/// True if `argv` has the option in any spelling.
bool hasOption(const Words& argv, const std::string& flag);

/// Splits a command as a shell does, with '…', "…" and backslashes. Throws Error (bad usage) for an open quote.
Words splitWords(const std::string& command);
/// The opposite: one line that a shell reads as these words.
std::string joinWords(const Words& words);

}  // namespace pelt::batch
