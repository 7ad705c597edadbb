#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pelt::batch {

/// True if the word has *, ? or [.
bool isPattern(const std::string& word);

/// The part of a pattern before its first folder with a wildcard: "lib" of "lib/**/*.glb".
std::filesystem::path fixedPart(const std::string& pattern);

/// Regular files that match, sorted by path, as the pattern begins: relative to `folder`, or absolute. A part ** stands
/// for any number of folders, also none; hidden files and folders match only a part that begins with a dot, as in
/// shells. Folders that are symbolic links are not entered by **.
std::vector<std::filesystem::path> findFiles(const std::string& pattern, const std::filesystem::path& folder);

}  // namespace pelt::batch
