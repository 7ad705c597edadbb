#include <fcntl.h>
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

namespace pelt::io {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void failWriting(const fs::path& target, int code) {
    throw Error::system({target.string()}, fmt::format("cannot write: {}", std::strerror(code)));
}

/// All current temporary files and folders, so that a program that must exit immediately can remove them.
struct Temporaries {
    std::mutex mutex;
    std::vector<fs::path> paths;
    bool closed = false;
};

Temporaries& temporaries() {
    static auto* all = new Temporaries;  // never destroyed: another thread may use it while the program exits
    return *all;
}

/// An unpredictable name beside the target. A long name is shortened to make room for the suffix.
fs::path randomNameBeside(const fs::path& target) {
    constexpr std::size_t kMostOfName = 200;
    std::uint64_t number = 0;
    if (::getentropy(&number, sizeof number) != 0) failWriting(target, errno);
    const std::string name = target.filename().string().substr(0, kMostOfName);
    return target.parent_path() / fmt::format("{}.{:016x}.tmp", name, number);
}

/// Calls `make` with random names until one is new; `make` returns false with errno set on failure.
template <class Make>
fs::path makeTemporary(const fs::path& target, Make make) {
    constexpr int kTries = 100;
    Temporaries& all = temporaries();
    const std::lock_guard lock(all.mutex);
    if (all.closed) throw Error(ErrorCode::cancelled, "cancelled");
    for (int i = 0; i < kTries; ++i) {
        all.paths.push_back(randomNameBeside(target));
        if (make(all.paths.back().c_str())) return all.paths.back();
        all.paths.pop_back();
        if (errno != EEXIST) break;
    }
    failWriting(target, errno);
}

void forgetTemporary(const fs::path& path) {
    Temporaries& all = temporaries();
    const std::lock_guard lock(all.mutex);
    std::erase(all.paths, path);
}

/// Removes a folder and its files, but no subfolders. False if the folder still exists.
bool removeFlatFolder(const fs::path& folder) {
    std::error_code fault;
    for (fs::directory_iterator it(folder, fault), end; !fault && it != end; it.increment(fault))
        ::unlink(it->path().c_str());
    return ::rmdir(folder.c_str()) == 0 || errno == ENOENT;
}

bool removeTemporary(const fs::path& path) {
    return ::unlink(path.c_str()) == 0 || errno == ENOENT || removeFlatFolder(path);
}

/// The actual target: if the path is a symbolic link, the file it points to.
fs::path behindLink(const fs::path& target) {
    std::error_code fault;
    if (!fs::is_symlink(target, fault)) return target;
    const fs::path real = fs::weakly_canonical(target, fault);
    return fault ? target : real;
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

void removeTemporaryFiles() {
    constexpr int kTries = 100;  // a frame that appears during the check could be missed
    Temporaries& all = temporaries();
    const std::lock_guard lock(all.mutex);
    all.closed = true;
    for (const fs::path& path : all.paths)
        for (int i = 0; i < kTries && !removeTemporary(path); ++i) continue;
}

AtomicFile::AtomicFile(const fs::path& target) : target_(behindLink(target)) {
    struct stat status = {};
    const bool exists = ::stat(target_.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) failWriting(target, EISDIR);
    int descriptor = -1;
    if (!exists || S_ISREG(status.st_mode)) {
        temporary_ = makeTemporary(target_, [&](const char* path) {
            descriptor = createLike(path, exists ? &status : nullptr);
            return descriptor >= 0;
        });
    } else {
        // A device or a pipe cannot be replaced by a rename; it is written directly.
        descriptor = ::open(target_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
        if (descriptor < 0) failWriting(target, errno);
    }
    file_ = ::fdopen(descriptor, "wb");
    if (file_) return;
    const int code = errno;
    ::close(descriptor);
    if (!temporary_.empty()) ::unlink(temporary_.c_str()), forgetTemporary(temporary_);
    failWriting(target, code);
}

AtomicFile::~AtomicFile() {
    if (file_) std::fclose(file_);
    if (temporary_.empty()) return;
    ::unlink(temporary_.c_str());
    forgetTemporary(temporary_);
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
    int code = close();
    if (code == 0 && !temporary_.empty() && std::rename(temporary_.c_str(), target_.c_str()) != 0) code = errno;
    if (code != 0) failWriting(target_, code);
}

bool AtomicFile::commitAs(const fs::path& name) {
    if (const int code = close(); code != 0) failWriting(name, code);
    if (renameToFree(temporary_, name)) return true;
    if (errno != EEXIST) failWriting(name, errno);
    return false;
}

AtomicFolder::AtomicFolder(const fs::path& target) {
    // "name/" and "name" are the same folder; the temporary folder must be beside it.
    target_ = behindLink(target.has_filename() ? target : target.parent_path());
    struct stat status = {};
    const bool exists = ::stat(target_.c_str(), &status) == 0;
    if (exists && !S_ISDIR(status.st_mode)) failWriting(target_, ENOTDIR);
    temporary_ = makeTemporary(target_, [](const char* path) { return ::mkdir(path, 0777) == 0; });
    if (exists) ::chmod(temporary_.c_str(), status.st_mode & 0777U);
}

AtomicFolder::~AtomicFolder() {
    if (!committed_) removeFlatFolder(temporary_);
    forgetTemporary(temporary_);
}

void AtomicFolder::commit() {
    struct stat status = {};
    const bool had_old = ::lstat(target_.c_str(), &status) == 0;
    fs::path old = temporary_;  // path of the old folder after the exchange
    if (had_old && !exchange(temporary_, target_)) {
        if (!isUnsupported(errno)) failWriting(target_, errno);
        // Fallback: for a moment neither folder exists.
        old = randomNameBeside(target_);
        if (std::rename(target_.c_str(), old.c_str()) != 0) failWriting(target_, errno);
    }
    if (!had_old || old != temporary_) {
        if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
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
