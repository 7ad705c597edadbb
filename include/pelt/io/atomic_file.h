#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace pelt::io {

class Temporary;

/// A file that is written completely or not at all: written under a temporary name beside the target, renamed by
/// commit(), otherwise removed by the destructor. The temporary file is new and has a random name, so that no link is
/// followed and no other program writes to it; it gets the permissions of the file that it replaces. A device or a pipe
/// is written directly; if the target is a symbolic link, the file it points to is replaced. What a process that was
/// killed left beside the target is removed. Throws Error (system) if the disk is full, or if the folder or the file to
/// replace is not writable.
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
    /// Gives the file another name beside the target, which is not changed. Returns false if that name is in use; the
    /// file can then no longer be written.
    bool commitAs(const std::filesystem::path& name);

private:
    int close();

    std::filesystem::path target_;
    std::unique_ptr<Temporary> temporary_;  ///< none for a device or a pipe
    std::FILE* file_ = nullptr;
    bool renamed_ = false;
};

/// The same for a folder: `path()` is filled, then commit() puts it in the target's place. An existing target folder is
/// exchanged with the new one in a single step, if the file system supports that, and then removed with its files. A
/// subfolder is never removed: commit() throws Error (system) that says where it is now.
class AtomicFolder {
public:
    explicit AtomicFolder(const std::filesystem::path& target);
    ~AtomicFolder();
    AtomicFolder(const AtomicFolder&) = delete;
    AtomicFolder& operator=(const AtomicFolder&) = delete;

    const std::filesystem::path& path() const;
    void commit();

private:
    std::filesystem::path target_;
    std::unique_ptr<Temporary> temporary_;
    bool committed_ = false;
};

/// False if there is something of that name that this user may not write.
bool mayReplace(const std::filesystem::path& target);

/// Removes what writers that ended without a word (kill -9, a crash) left beside the target. Files of running processes
/// and of other users stay.
void removeLeftTemporaries(const std::filesystem::path& target);

/// Removes the temporary files and folders of all writers; writers created afterwards throw Error (cancelled). For a
/// program that must exit immediately; may be called from any thread.
void removeTemporaryFiles();

/// Reads a whole file. Throws Error: bad input if it cannot be read or is larger than `limit` bytes or the free memory;
/// system if too many files are open.
std::vector<std::byte> readFile(const std::filesystem::path& path, std::uint64_t limit = std::uint64_t(1) << 34);

}  // namespace pelt::io
