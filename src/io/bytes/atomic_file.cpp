// Writes a file completely or not at all, by way of a temporary name.
#include <fcntl.h>
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/bytes/temporaries.h"

namespace pelt::io {
namespace {

namespace fs = std::filesystem;

/// The actual target: if the path is a symbolic link, the file it points to, also one that does not exist yet.
fs::path behindLink(const fs::path& target) {
    constexpr int kMostLinks = 40;  // as the kernel
    std::error_code fault;
    fs::path real = target;
    for (int i = 0; i < kMostLinks && fs::is_symlink(real, fault); ++i)
        real = real.parent_path() / fs::read_symlink(real, fault);
    if (fs::is_symlink(real, fault)) failWriting(target, ELOOP);
    return real;
}

/// Opens a new file that is readable only by those who could read the file it replaces.
int createLike(const char* path, const struct stat* replaced) {
    constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const int file = ::open(path, kNew, replaced ? replaced->st_mode & 0777U : 0666U);
    if (file < 0 || !replaced) return file;
    // The owner first: changing it may need privileges that the program does not have, and may clear bits of the mode.
    [[maybe_unused]] const int kept_owner = ::fchown(file, replaced->st_uid, replaced->st_gid);
    ::fchmod(file, replaced->st_mode & 0777U);
    return file;
}

int createFolder(const char* path) {
    return ::mkdir(path, 0777) == 0 ? ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
}

bool isUnsupported(int code) { return code == EINVAL || code == ENOSYS || code == ENOTSUP; }

/// Renames unless the name exists already (EEXIST), atomically if the file system supports that.
bool renameToFree(const fs::path& from, const fs::path& to) {
#if defined(__linux__) && defined(RENAME_NOREPLACE)
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
    if (!isUnsupported(errno)) return false;
#endif
    struct stat status = {};
    if (::lstat(to.c_str(), &status) == 0) return errno = EEXIST, false;
    return std::rename(from.c_str(), to.c_str()) == 0;
}

/// Exchanges both names atomically. False with errno set if the file system does not support that.
bool exchange(const fs::path& a, const fs::path& b) {
#if defined(__linux__) && defined(RENAME_EXCHANGE)
    return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
#else
    return errno = ENOSYS, false;
#endif
}

}  // namespace

bool mayReplace(const fs::path& target) {
    return ::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) == 0 || errno == ENOENT;
}

AtomicFile::AtomicFile(const fs::path& target) : target_(behindLink(target)) {
    struct stat status = {};
    const bool exists = ::stat(target_.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) failWriting(target, EISDIR);
    if (exists && !mayReplace(target_)) failWriting(target, errno);
    int descriptor = -1;
    if (!exists || S_ISREG(status.st_mode)) {
        temporary_ = std::make_unique<Temporary>(
            target_, [&](const char* path) { return createLike(path, exists ? &status : nullptr); });
        descriptor = ::fcntl(temporary_->descriptor(), F_DUPFD_CLOEXEC, 0);
    } else {
        // A device or a pipe cannot be replaced by a rename; it is written directly.
        descriptor = ::open(target_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
    }
    if (descriptor >= 0) file_ = ::fdopen(descriptor, "wb");
    if (file_) return;
    const int code = errno;
    if (descriptor >= 0) ::close(descriptor);
    if (temporary_) temporary_->remove();
    failWriting(target, code);
}

AtomicFile::~AtomicFile() {
    if (file_) std::fclose(file_);
    if (temporary_ && !renamed_) temporary_->remove();
}

void AtomicFile::write(std::span<const std::byte> bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) failWriting(target_, errno);
}

void AtomicFile::rewrite(std::uint64_t offset, std::span<const std::byte> bytes) {
    if (::fseeko(file_, static_cast<off_t>(offset), SEEK_SET) != 0) failWriting(target_, errno);
    write(bytes);
    if (::fseeko(file_, 0, SEEK_END) != 0) failWriting(target_, errno);
}

/// 0, or the errno of a failed write.
int AtomicFile::close() {
    if (!file_) return 0;
    const int flushed = std::fflush(file_) == 0 ? 0 : errno;
    const int closed = std::fclose(file_) == 0 ? 0 : errno;
    file_ = nullptr;
    return flushed != 0 ? flushed : closed;
}

void AtomicFile::commit() {
    if (const int code = close(); code != 0) failWriting(target_, code);
    if (!temporary_) return;
    if (std::rename(temporary_->path().c_str(), target_.c_str()) != 0) failWriting(target_, errno);
    renamed_ = true;
}

bool AtomicFile::commitAs(const fs::path& name) {
    if (const int code = close(); code != 0) failWriting(name, code);
    renamed_ = renameToFree(temporary_->path(), name);
    if (!renamed_ && errno != EEXIST) failWriting(name, errno);
    return renamed_;
}

AtomicFolder::AtomicFolder(const fs::path& target) {
    // "name/" and "name" are the same folder; the temporary folder must be beside it.
    target_ = behindLink(target.has_filename() ? target : target.parent_path());
    struct stat status = {};
    const bool exists = ::stat(target_.c_str(), &status) == 0;
    if (exists && !S_ISDIR(status.st_mode)) failWriting(target_, ENOTDIR);
    if (exists && !mayReplace(target_)) failWriting(target_, errno);
    temporary_ = std::make_unique<Temporary>(target_, createFolder);
    if (exists) ::fchmod(temporary_->descriptor(), status.st_mode & 0777U);
}

AtomicFolder::~AtomicFolder() {
    if (!committed_) temporary_->remove();
}

const fs::path& AtomicFolder::path() const { return temporary_->path(); }

void AtomicFolder::commit() {
    struct stat status = {};
    const bool had_old = ::lstat(target_.c_str(), &status) == 0;
    fs::path old = path();  // path of the old folder after the exchange
    if (had_old && !exchange(path(), target_)) {
        if (!isUnsupported(errno)) failWriting(target_, errno);
        // Fallback: for a moment neither folder exists.
        old = temporaryNameBeside(target_);
        if (std::rename(target_.c_str(), old.c_str()) != 0) failWriting(target_, errno);
    }
    if (!had_old || old != path()) {
        if (std::rename(path().c_str(), target_.c_str()) != 0) {
            const int code = errno;
            if (had_old) std::rename(old.c_str(), target_.c_str());
            failWriting(target_, code);
        }
    }
    committed_ = true;
    if (had_old && !removeFlatFolder(old))
        throw Error::system(
            {target_.string()},
            fmt::format("was written, but the folder that it replaced contains more than frames; that folder is now {}",
                        old.string()));
}

}  // namespace pelt::io
