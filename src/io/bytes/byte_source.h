#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace pelt::io {

/// Bytes that are read in pieces: a file on disk, or memory.
class ByteSource {
public:
    explicit ByteSource(std::string name) : name_(std::move(name)) {}
    virtual ~ByteSource() = default;

    const std::string& name() const { return name_; }  ///< for messages
    virtual std::uint64_t size() const = 0;
    /// Fills `out` with the bytes from `offset`. Throws Error (bad input) if there are too few.
    virtual void read(std::uint64_t offset, std::span<std::byte> out) = 0;

private:
    std::string name_;
};

/// Throws Error (bad input) if the file cannot be opened or is not a regular file.
std::unique_ptr<ByteSource> openFile(const std::filesystem::path& path);

/// `bytes` must outlive the source.
std::unique_ptr<ByteSource> openMemory(std::span<const std::byte> bytes, const std::string& name);

}  // namespace pelt::io
