#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace pelt::io {

/// A picture that was read: row by row from the top, red, green, blue and opacity of each pixel, 8 bits each.
struct Picture {
    std::size_t width = 0, height = 0;
    std::vector<std::uint8_t> rgba;
    bool has_alpha = false;       ///< whether a pixel is not opaque
    std::vector<std::byte> file;  ///< the bytes that it was read from
    std::string media_type;       ///< of these: "image/png" or "image/jpeg"
};

inline constexpr std::size_t kMostPicturePixels = std::size_t(1) << 26;  ///< 8192 x 8192

/// Reads a .png or .jpg, told by its first bytes. The size that it claims is checked before memory is reserved. Throws
/// Error (bad input) for another format, a damaged or truncated file, one that is larger than kMostPicturePixels or the
/// free memory.
Picture loadPicture(const std::filesystem::path& path);
/// The same from memory; `name` is used in messages.
Picture parsePicture(std::span<const std::byte> bytes, const std::string& name);

/// A file in a URI: "data:image/png;name=hero.png;base64,…", where the name may be missing.
struct DataFile {
    std::string name;
    std::vector<std::byte> bytes;
};
/// Throws Error (bad input) for a damaged URI; `name` is used where the file has none.
DataFile readDataUri(const std::string& uri, const std::string& name);

/// A .png with opacity of four bytes per pixel.
std::vector<std::byte> toPng(std::size_t width, std::size_t height, std::span<const std::uint8_t> rgba,
                             const std::string& name);

}  // namespace pelt::io
