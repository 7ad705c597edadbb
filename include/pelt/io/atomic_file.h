#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace pelt::io {

/// A file that appears whole or not at all: written under a temporary name beside the target, renamed by commit(),
/// removed by the destructor otherwise. A device or a pipe is written directly; through a symbolic link, what it points
/// to is replaced. Throws Error (system) when the disk says no.
class AtomicFile {
public:
    explicit AtomicFile(const std::filesystem::path& target);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::span<const std::byte> bytes);
    void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
    /// Overwrites bytes already written, at `offset` (a header whose counts are known last).
    void rewrite(std::uint64_t offset, std::span<const std::byte> bytes);
    void commit();

private:
    std::filesystem::path target_, temporary_;
    std::FILE* file_ = nullptr;
};

/// The same for a folder: `path()` is filled, then commit() puts it in the target's place (an existing target folder
/// is replaced only as a whole, after the new one is complete).
class AtomicFolder {
public:
    explicit AtomicFolder(const std::filesystem::path& target);
    ~AtomicFolder();
    AtomicFolder(const AtomicFolder&) = delete;
    AtomicFolder& operator=(const AtomicFolder&) = delete;

    const std::filesystem::path& path() const { return temporary_; }
    void commit();

private:
    std::filesystem::path target_, temporary_;
    bool committed_ = false;
};

/// The whole file. Throws Error (bad input) where it cannot be read or is larger than `limit` bytes.
std::vector<std::byte> readFile(const std::filesystem::path& path, std::uint64_t limit = std::uint64_t(1) << 34);

}  // namespace pelt::io
