// Reads pictures with stb_image: PNG and JPEG, whose claimed sizes are checked first; and Deflate, which it has for
// PNG.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/core/memory.h>
#include <pelt/io/atomic_file.h>
#include <pelt/io/picture.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "io/bytes/inflate.h"
#include "io/gltf/document/uri.h"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_NO_STDIO
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_FAILURE_STRINGS
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

namespace pelt::io {
namespace {

constexpr std::uint64_t kMostPictureBytes = std::uint64_t(1) << 29;
/// The most pixels that a byte of a file can hold: PNG compresses at most 1032 times, to 1 bit a pixel; a block of 64
/// pixels of a JPEG takes a bit.
constexpr std::uint64_t kMostPixelsPerByte = 1032 * 8;
constexpr std::uint64_t kBytesPerPixel = 12;  ///< while a picture is decoded: what is unpacked, its pixels and a copy

bool startsWith(std::span<const std::byte> bytes, std::initializer_list<int> magic) {
    return bytes.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), bytes.begin(), [](int m, std::byte b) { return std::byte(m) == b; });
}

std::string mediaType(std::span<const std::byte> bytes, const std::string& name) {
    if (startsWith(bytes, {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'})) return "image/png";
    if (startsWith(bytes, {0xFF, 0xD8, 0xFF})) return "image/jpeg";
    const bool webp = startsWith(bytes, {'R', 'I', 'F', 'F'});
    throw Error::badInput(
        {name}, fmt::format("is not a PNG or JPEG picture{}; save it as .png", webp            ? " (WebP is not read)"
                                                                               : bytes.empty() ? " (it is empty)"
                                                                                               : ""));
}

/// stb_image fills what is missing of a JPEG with gray.
bool isCutOff(std::span<const std::byte> bytes, const std::string& type) {
    if (type != "image/jpeg") return false;
    constexpr std::array kEnd = {std::byte(0xFF), std::byte(0xD9)};
    return std::search(bytes.begin(), bytes.end(), kEnd.begin(), kEnd.end()) == bytes.end();
}

void checkSize(std::uint64_t width, std::uint64_t height, std::uint64_t bytes, const std::string& name) {
    const std::uint64_t pixels = width * height;
    if (pixels > kMostPicturePixels)
        throw Error::badInput({name}, fmt::format("has {} x {} pixels, but at most {} are read; make it smaller", width,
                                                  height, kMostPicturePixels));
    if (pixels / kMostPixelsPerByte > bytes)
        throw Error::badInput(
            {name}, fmt::format("claims {} x {} pixels, but has only {} bytes; it is truncated", width, height, bytes));
    if (pixels * kBytesPerPixel > availableMemory())
        throw Error::badInput(
            {name}, fmt::format("its {} x {} pixels need more than the free memory; make it smaller", width, height));
}

}  // namespace

Picture parsePicture(std::span<const std::byte> bytes, const std::string& name) {
    Picture picture;
    picture.media_type = mediaType(bytes, name);
    if (bytes.size() > kMostPictureBytes)
        throw Error::badInput({name},
                              fmt::format("has {} bytes, but at most {} are read", bytes.size(), kMostPictureBytes));
    const auto* data = reinterpret_cast<const stbi_uc*>(bytes.data());
    const auto size = static_cast<int>(bytes.size());
    int width = 0, height = 0, channels = 0;
    if (!stbi_info_from_memory(data, size, &width, &height, &channels) || width <= 0 || height <= 0)
        throw Error::badInput({name}, "is damaged: its size cannot be read; save it again");
    checkSize(std::uint64_t(width), std::uint64_t(height), bytes.size(), name);
    const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
        stbi_load_from_memory(data, size, &width, &height, &channels, 4), stbi_image_free);
    if (!pixels || isCutOff(bytes, picture.media_type))
        throw Error::badInput({name}, "is damaged or truncated; save it again as .png");
    picture.width = std::size_t(width);
    picture.height = std::size_t(height);
    picture.rgba.assign(pixels.get(), pixels.get() + picture.width * picture.height * 4);
    for (std::size_t a = 3; a < picture.rgba.size() && !picture.has_alpha; a += 4)
        picture.has_alpha = picture.rgba[a] < 255;
    picture.file.assign(bytes.begin(), bytes.end());
    return picture;
}

bool inflateInto(std::span<const std::byte> packed, std::span<std::byte> out) {
    constexpr std::size_t kMost = std::numeric_limits<int>::max();
    if (packed.size() > kMost || out.size() > kMost) return false;
    return stbi_zlib_decode_buffer(reinterpret_cast<char*>(out.data()), static_cast<int>(out.size()),
                                   reinterpret_cast<const char*>(packed.data()),
                                   static_cast<int>(packed.size())) == static_cast<int>(out.size());
}

Picture loadPicture(const std::filesystem::path& path) {
    return parsePicture(readFile(path, kMostPictureBytes), path.string());
}

DataFile readDataUri(const std::string& uri, const std::string& name) {
    auto bytes = gltf::decodeDataUri(uri);
    if (!bytes)
        throw Error::badInput({name}, "is a damaged data URI; it must be data:image/png;base64, and base64 text");
    constexpr std::string_view kName = ";name=";
    const std::string_view head = std::string_view(uri).substr(0, uri.find(','));
    const std::size_t named = head.find(kName), from = named + kName.size();
    if (named == std::string_view::npos) return {name, std::move(*bytes)};
    return {gltf::percentDecoded(head.substr(from, head.find(';', from) - from)), std::move(*bytes)};
}

}  // namespace pelt::io
