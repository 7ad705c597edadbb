// Opens and reads whole files, with one line about what went wrong.
#include <fcntl.h>
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/memory.h>
#include <pelt/io/atomic_file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "open_file.h"

namespace pelt::io {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostOfStream = std::uint64_t(1) << 30;  ///< of a pipe or a device, whose size is unknown
constexpr std::uint64_t kWorthAsking = std::uint64_t(1) << 26;   ///< smaller files fit into any memory

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() { ::close(number_); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return number_; }

private:
    int number_;
};

[[noreturn]] void failSize(const fs::path& path, const std::string& size, std::uint64_t limit) {
    throw Error::badInput({path.string()}, fmt::format("it has {} bytes, but at most {} are read", size, limit));
}

/// The number of bytes read; fewer than requested at the end of the file.
std::size_t readInto(const Descriptor& file, std::span<std::byte> out, const fs::path& path) {
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t got = ::read(file.number(), out.data() + done, out.size() - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) failReading(path.string(), errno);
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

std::vector<std::byte> readStream(const Descriptor& file, const fs::path& path, std::uint64_t limit) {
    constexpr std::size_t kPiece = std::size_t(1) << 16;
    std::vector<std::byte> bytes;
    for (std::size_t got = kPiece; got == kPiece;) {
        const std::size_t before = bytes.size();
        if (before + kPiece > limit) failSize(path, fmt::format("more than {}", before), limit);
        bytes.resize(before + kPiece);
        got = readInto(file, std::span(bytes).subspan(before), path);
        bytes.resize(before + got);
    }
    return bytes;
}

}  // namespace

int openForReading(const fs::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (file < 0) failReading(path.string(), errno);
    return file;
}

void failReading(const std::string& name, int code) {
    const std::string fault = fmt::format("cannot be read: {}", std::strerror(code));
    const bool no_room = code == EMFILE || code == ENFILE || code == ENOMEM;
    throw no_room ? Error::system({name}, fault) : Error::badInput({name}, fault);
}

std::vector<std::byte> readFile(const fs::path& path, std::uint64_t limit) {
    const Descriptor file(openForReading(path));
    struct stat status = {};
    if (::fstat(file.number(), &status) != 0) failReading(path.string(), errno);
    if (S_ISDIR(status.st_mode)) throw Error::badInput({path.string()}, "is a folder, not a file");
    if (!S_ISREG(status.st_mode)) return readStream(file, path, std::min(limit, kMostOfStream));
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size > limit) failSize(path, std::to_string(size), limit);
    if (size > kWorthAsking && size > availableMemory())
        throw Error::badInput({path.string()}, fmt::format("it has {} bytes, more than the free memory", size));
    std::vector<std::byte> bytes(size);
    if (readInto(file, bytes, path) != size) throw Error::badInput({path.string()}, "could not be read completely");
    return bytes;
}

}  // namespace pelt::io
