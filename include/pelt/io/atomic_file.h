#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace pelt::io {

/// A file that appears whole or not at all: written under a temporary name beside the target, renamed by commit(),
/// removed by the destructor otherwise. The temporary file is a new one of a random name, so that no link is followed
/// and no other program writes into it; it gets the permissions of the file that it replaces. A device or a pipe is
/// written directly; through a symbolic link, what it points to is replaced. Throws Error (system) when the disk says
/// no.
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
    /// Gives the file another name beside the target, and leaves the target as it is. False, with nothing changed but
    /// that no more can be written, where something has that name already.
    bool commitAs(const std::filesystem::path& name);

private:
    int close();

    std::filesystem::path target_, temporary_;
    std::FILE* file_ = nullptr;
};

/// The same for a folder: `path()` is filled, then commit() puts it in the target's place. An existing target folder
/// is exchanged for the new one in a single step, where the file system can do that, and then removed with the files
/// in it. A folder inside it is never removed: commit() throws Error (system) that says where it is now.
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

/// Removes the temporary files and folders of all writers there are; writers that are made afterwards throw Error
/// (cancelled). For a program that has to end at once; any thread may call it.
void removeTemporaryFiles();

/// The whole file. Throws Error: bad input where it cannot be read or is larger than `limit` bytes or than the memory
/// that is free; system where the system has no room for one more open file.
std::vector<std::byte> readFile(const std::filesystem::path& path, std::uint64_t limit = std::uint64_t(1) << 34);

}  // namespace pelt::io
