#pragma once

#include <filesystem>
#include <string>

namespace pelt::io {

/// A file descriptor that the caller must close. Throws as failReading does.
int openForReading(const std::filesystem::path& path);

/// Throws Error that says why `name` cannot be read: system if too many files are open, which is not the fault of the
/// file; otherwise bad input.
[[noreturn]] void failReading(const std::string& name, int code);

}  // namespace pelt::io
