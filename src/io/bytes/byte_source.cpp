// Bytes that are read in pieces, from a file or from memory.
#include "io/bytes/byte_source.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/bytes/open_file.h"

namespace pelt::io {
namespace {

class File final : public ByteSource {
public:
    explicit File(const std::filesystem::path& path) : ByteSource(path.string()) {
        descriptor_ = openForReading(path);
        struct ::stat status = {};
        const bool is_file = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
        size_ = static_cast<std::uint64_t>(status.st_size);
        if (is_file) return;
        ::close(descriptor_);
        throw Error::badInput({name()}, "is not a regular file");
    }
    ~File() override { ::close(descriptor_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    std::uint64_t size() const override { return size_; }

    void read(std::uint64_t offset, std::span<std::byte> out) override {
        while (!out.empty()) {
            const ::ssize_t got = ::pread(descriptor_, out.data(), out.size(), static_cast<::off_t>(offset));
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0)
                throw Error::badInput({name()}, fmt::format("could not be read at byte {}: {}", offset,
                                                            got < 0 ? std::strerror(errno) : "the file ends there"));
            offset += static_cast<std::uint64_t>(got);
            out = out.subspan(static_cast<std::size_t>(got));
        }
    }

private:
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

class Memory final : public ByteSource {
public:
    Memory(std::span<const std::byte> bytes, const std::string& name) : ByteSource(name), bytes_(bytes) {}

    std::uint64_t size() const override { return bytes_.size(); }

    void read(std::uint64_t offset, std::span<std::byte> out) override {
        if (offset > bytes_.size() || out.size() > bytes_.size() - offset)
            throw Error::badInput({name()}, fmt::format("could not be read at byte {}", offset));
        const auto from = bytes_.subspan(offset, out.size());
        std::copy(from.begin(), from.end(), out.begin());
    }

private:
    std::span<const std::byte> bytes_;
};

}  // namespace

std::unique_ptr<ByteSource> openFile(const std::filesystem::path& path) { return std::make_unique<File>(path); }

std::unique_ptr<ByteSource> openMemory(std::span<const std::byte> bytes, const std::string& name) {
    return std::make_unique<Memory>(bytes, name);
}

}  // namespace pelt::io
