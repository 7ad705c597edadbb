#pragma once

#include <filesystem>
#include <string>

namespace pelt::io {

/// A descriptor that the caller closes. Throws as failReading does.
int openForReading(const std::filesystem::path& path);

/// Throws Error that says why `name` cannot be read: system where the process or the machine has no room for one more
/// open file, which says nothing about the file; else bad input.
[[noreturn]] void failReading(const std::string& name, int code);

}  // namespace pelt::io
