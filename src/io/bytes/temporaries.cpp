// Temporary files and folders: their names, and who removes them when the process could not.
#include "io/bytes/temporaries.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
#include <sys/file.h>
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

constexpr std::size_t kMostOfName = 200, kDigits = 16;
constexpr std::string_view kSuffix = ".tmp";

/// All current temporary files and folders, so that a program that must exit immediately can remove them.
struct Temporaries {
    std::mutex mutex;
    std::vector<fs::path> paths;
    bool closed = false;

    bool contains(const fs::path& path) const { return std::find(paths.begin(), paths.end(), path) != paths.end(); }
};

Temporaries& temporaries() {
    static auto* all = new Temporaries;  // never destroyed: another thread may use it while the program exits
    return *all;
}

std::string prefixOf(const fs::path& target) { return target.filename().string().substr(0, kMostOfName) + "."; }

/// By descriptors: between two calls somebody may put a link in the place of the folder.
bool removeFilesOf(int folder) {
    const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* listing = again >= 0 ? ::fdopendir(again) : nullptr;
    if (!listing) {
        if (again >= 0) ::close(again);
        return false;
    }
    while (const dirent* entry = ::readdir(listing)) ::unlinkat(folder, entry->d_name, 0);
    ::closedir(listing);
    return true;
}

bool removeOpened(int descriptor, const fs::path& path) {
    struct stat status = {};
    if (::fstat(descriptor, &status) == 0 && !S_ISDIR(status.st_mode)) return ::unlink(path.c_str()) == 0;
    removeFilesOf(descriptor);
    return ::rmdir(path.c_str()) == 0;
}

/// 0, or the errno.
int lockNow(int descriptor) {
#ifdef __EMSCRIPTEN__
    return descriptor >= 0 ? 0 : EBADF;  // a page has no other processes
#else
    return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
#endif
}

/// Only whose process has gone, which its lock says; on a file system without locks nobody can tell. Files of other
/// users are theirs.
void removeIfLeft(const fs::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0) return;
    struct stat status = {};
    const bool own = ::fstat(descriptor, &status) == 0 && status.st_uid == ::geteuid() &&
                     (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
    if (own && lockNow(descriptor) == 0) removeOpened(descriptor, path);
    ::close(descriptor);
}

/// False if another process is about to remove what this one has just made.
bool lockNew(int descriptor) {
    if (lockNow(descriptor) == EWOULDBLOCK) return false;
    struct stat status = {};
    return ::fstat(descriptor, &status) != 0 || status.st_nlink > 0;
}

}  // namespace

void failWriting(const fs::path& target, int code) {
    throw Error::system({target.string()}, fmt::format("cannot write: {}", std::strerror(code)));
}

fs::path temporaryNameBeside(const fs::path& target) {
    std::uint64_t number = 0;
    if (::getentropy(&number, sizeof number) != 0) failWriting(target, errno);
    return target.parent_path() / fmt::format("{}{:016x}{}", prefixOf(target), number, kSuffix);
}

void removeLeftTemporaries(const fs::path& target) {
    const std::string prefix = prefixOf(target);
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    std::error_code fault;
    for (fs::directory_iterator it(folder, fault), end; !fault && it != end; it.increment(fault)) {
        const std::string name = it->path().filename().string();
        const bool temporary = name.size() == prefix.size() + kDigits + kSuffix.size() && name.starts_with(prefix) &&
                               name.ends_with(kSuffix) &&
                               name.find_first_not_of("0123456789abcdef", prefix.size()) == prefix.size() + kDigits;
        if (temporary) removeIfLeft(it->path());
    }
}

bool removeFlatFolder(const fs::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOENT;
    removeFilesOf(descriptor);
    ::close(descriptor);
    return ::rmdir(folder.c_str()) == 0 || errno == ENOENT;
}

Temporary::Temporary(const fs::path& target, const std::function<int(const char*)>& make) {
    constexpr int kTries = 100;
    Temporaries& all = temporaries();
    const std::lock_guard lock(all.mutex);
    if (all.closed) throw Error(ErrorCode::cancelled, "cancelled");
    if (!all.contains(target.parent_path())) removeLeftTemporaries(target);  // in one of ours nobody left anything
    for (int i = 0; i < kTries; ++i) {
        path_ = temporaryNameBeside(target);
        all.paths.push_back(path_);
        descriptor_ = make(path_.c_str());
        const int code = errno;
        if (descriptor_ >= 0 && lockNew(descriptor_)) return;
        all.paths.pop_back();
        if (descriptor_ < 0 && code != EEXIST) failWriting(target, code);
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    failWriting(target, EEXIST);
}

Temporary::~Temporary() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    Temporaries& all = temporaries();
    const std::lock_guard lock(all.mutex);
    std::erase(all.paths, path_);
}

bool Temporary::remove() { return descriptor_ >= 0 && removeOpened(descriptor_, path_); }

void removeTemporaryFiles() {
    constexpr int kTries = 100;  // a frame that appears during the check could be missed
    Temporaries& all = temporaries();
    const std::lock_guard lock(all.mutex);
    all.closed = true;
    for (const fs::path& path : all.paths)
        for (int i = 0; i < kTries && ::unlink(path.c_str()) != 0 && errno != ENOENT && !removeFlatFolder(path); ++i)
            continue;
}

}  // namespace pelt::io
