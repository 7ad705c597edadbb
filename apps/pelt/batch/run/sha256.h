#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace pelt::batch {

/// SHA-256 (FIPS 180-4).
class Sha256 {
public:
    void add(std::span<const std::byte> bytes);
    void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
    /// A text and where it ends: "ab", "c" and "a", "bc" differ.
    void addField(std::string_view text);
    /// 64 hexadecimal digits; nothing may be added afterwards.
    std::string finish();

private:
    void addBlock(const std::byte* block);

    std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::byte, 64> open_{};  ///< bytes that do not fill a block yet
    std::uint64_t count_ = 0;
};

std::string sha256(std::string_view text);

/// Of a file's bytes. Empty if it cannot be read.
std::string sha256File(const std::filesystem::path& path);

}  // namespace pelt::batch
