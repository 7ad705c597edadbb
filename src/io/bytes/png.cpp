// Writes pictures as PNG.
#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
#include <pelt/io/picture.h>
#include <pelt/io/png.h>

#include <algorithm>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace pelt::io {
namespace {

void collect(void* context, void* data, int size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    static_cast<std::vector<std::byte>*>(context)->assign(bytes, bytes + size);
}

std::vector<std::byte> encoded(int width, int height, int channels, std::span<const std::uint8_t> pixels,
                               const std::string& name) {
    const std::uint64_t row = static_cast<std::uint64_t>(channels) * static_cast<std::uint64_t>(std::max(width, 0));
    const std::uint64_t size = row * static_cast<std::uint64_t>(std::max(height, 0));
    if (size == 0 || size != pixels.size())
        throw Error::badUsage({name},
                              fmt::format("a picture of {} x {} pixels with {} bytes", width, height, pixels.size()));
    // The encoder counts in int.
    constexpr std::uint64_t kLargest = std::uint64_t(1) << 30;
    if (size > kLargest)
        throw Error::badUsage({name}, fmt::format("{} x {} pixels are too many for one picture", width, height));
    std::vector<std::byte> png;
    stbi_write_png_compression_level = 8;
    if (!stbi_write_png_to_func(collect, &png, width, height, channels, pixels.data(), static_cast<int>(row)))
        throw Error::system({name}, "not enough memory to encode the picture");
    return png;
}

}  // namespace

std::vector<std::byte> toPng(const Image& image, const std::string& name) {
    return encoded(image.width, image.height, 3, image.rgb, name);
}

std::vector<std::byte> toPng(std::size_t width, std::size_t height, std::span<const std::uint8_t> rgba,
                             const std::string& name) {
    return encoded(static_cast<int>(width), static_cast<int>(height), 4, rgba, name);
}

void savePng(const Image& image, const std::filesystem::path& path) {
    const std::vector<std::byte> png = toPng(image, path.string());
    AtomicFile file(path);
    file.write(png);
    file.commit();
}

}  // namespace pelt::io
