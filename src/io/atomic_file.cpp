#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>

namespace pelt::io {
namespace {

namespace fs = std::filesystem;

fs::path temporaryBeside(const fs::path& target) {
    static std::atomic<unsigned> serial{0};
    fs::path name = target.filename();
    name += fmt::format(".{}-{}.tmp", ::getpid(), serial++);
    return target.parent_path() / name;
}

[[noreturn]] void failWriting(const fs::path& target, int code) {
    throw Error::system({target.string()}, fmt::format("cannot write: {}", std::strerror(code)));
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& target) : target_(target) {
    std::error_code fault;
    if (fs::is_symlink(target, fault)) {
        // The link stays, and what it points to is replaced.
        const fs::path real = fs::weakly_canonical(target, fault);
        if (!fault) target_ = real;
    }
    const fs::file_status status = fs::status(target_, fault);
    if (fs::is_directory(status)) failWriting(target, EISDIR);
    if (!fs::exists(status) || fs::is_regular_file(status)) temporary_ = temporaryBeside(target_);
    // A device or a pipe cannot be replaced by a rename; it is written as it is.
    file_ = std::fopen(temporary_.empty() ? target_.c_str() : temporary_.c_str(), "wb");
    if (!file_) failWriting(target, errno);
}

AtomicFile::~AtomicFile() {
    if (!file_) return;
    std::fclose(file_);
    std::error_code ignored;
    if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) failWriting(target_, errno);
}

void AtomicFile::rewrite(std::uint64_t offset, std::span<const std::byte> bytes) {
    if (::fseeko(file_, static_cast<off_t>(offset), SEEK_SET) != 0) failWriting(target_, errno);
    write(bytes);
    if (::fseeko(file_, 0, SEEK_END) != 0) failWriting(target_, errno);
}

void AtomicFile::commit() {
    const bool flushed = std::fflush(file_) == 0;
    int code = errno;
    const bool closed = std::fclose(file_) == 0;
    if (flushed && !closed) code = errno;
    file_ = nullptr;
    if (flushed && closed) {
        if (temporary_.empty() || std::rename(temporary_.c_str(), target_.c_str()) == 0) return;
        code = errno;
    }
    std::error_code ignored;
    if (!temporary_.empty()) fs::remove(temporary_, ignored);
    failWriting(target_, code);
}

AtomicFolder::AtomicFolder(const fs::path& target) {
    // "name/" and "name" are the same folder; the temporary one must stand beside it.
    target_ = target.has_filename() ? target : target.parent_path();
    temporary_ = temporaryBeside(target_);
    std::error_code fault;
    if (fs::exists(target_, fault) && !fs::is_directory(target_, fault)) failWriting(target_, ENOTDIR);
    fs::create_directory(temporary_, fault);
    if (fault) failWriting(target_, fault.value());
}

AtomicFolder::~AtomicFolder() {
    std::error_code ignored;
    if (!committed_) fs::remove_all(temporary_, ignored);
}

void AtomicFolder::commit() {
    std::error_code fault;
    const fs::path old = temporaryBeside(target_);
    const bool had_old = fs::exists(target_);
    if (had_old) fs::rename(target_, old, fault);
    if (!fault) fs::rename(temporary_, target_, fault);
    if (fault) {
        std::error_code ignored;
        if (had_old && !fs::exists(target_)) fs::rename(old, target_, ignored);
        failWriting(target_, fault.value());
    }
    committed_ = true;
    if (had_old) fs::remove_all(old, fault);
}

std::vector<std::byte> readFile(const fs::path& path, std::uint64_t limit) {
    std::error_code fault;
    if (fs::is_directory(path, fault)) throw Error::badInput({path.string()}, "is a folder, not a file");
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (!file) throw Error::badInput({path.string()}, fmt::format("cannot be read: {}", std::strerror(errno)));
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> closer(file, std::fclose);
    const std::uint64_t size = fs::file_size(path, fault);
    if (fault) throw Error::badInput({path.string()}, fmt::format("cannot be read: {}", fault.message()));
    if (size > limit)
        throw Error::badInput({path.string()}, fmt::format("{} bytes are more than the {} that are read", size, limit));
    std::vector<std::byte> bytes(size);
    if (std::fread(bytes.data(), 1, size, file) != size)
        throw Error::badInput({path.string()}, "could not be read to its end");
    return bytes;
}

}  // namespace pelt::io
