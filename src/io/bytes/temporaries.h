#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace pelt::io {

/// A temporary file or folder beside its target, NAME.0123456789abcdef.tmp. It is locked as long as the object lives,
/// by which other processes see that it is in use; the system lets go of the lock when this process ends, however it
/// ends. What earlier processes left beside the target is removed first.
class Temporary {
public:
    Temporary() = default;
    /// `make` makes and opens a new file or folder of that name: a descriptor, or -1 with errno set. Throws Error
    /// (system) if there is none, Error (cancelled) after removeTemporaryFiles().
    Temporary(const std::filesystem::path& target, const std::function<int(const char*)>& make);
    ~Temporary();
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

    const std::filesystem::path& path() const { return path_; }
    /// The file or folder, open; -1 if there is none. It stays open.
    int descriptor() const { return descriptor_; }
    /// Removes it, a folder with the files in it but no subfolders. False if it is still there.
    bool remove();

private:
    std::filesystem::path path_;
    int descriptor_ = -1;
};

/// An unpredictable temporary name beside the target. A long name is shortened to make room for the suffix.
std::filesystem::path temporaryNameBeside(const std::filesystem::path& target);

/// Removes a folder and its files, but no subfolders. False if the folder still exists.
bool removeFlatFolder(const std::filesystem::path& folder);

/// What went wrong with an output: "TARGET: cannot write: No space left on device".
[[noreturn]] void failWriting(const std::filesystem::path& target, int code);

}  // namespace pelt::io
