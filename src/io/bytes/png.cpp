#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>
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

}  // namespace

std::vector<std::byte> toPng(const Image& image, const std::string& name) {
    const std::uint64_t row = std::uint64_t(3) * static_cast<std::uint64_t>(std::max(image.width, 0));
    const std::uint64_t size = row * static_cast<std::uint64_t>(std::max(image.height, 0));
    if (size == 0 || size != image.rgb.size())
        throw Error::badUsage({name}, fmt::format("a picture of {} x {} pixels with {} bytes", image.width,
                                                  image.height, image.rgb.size()));
    // The encoder counts in int.
    constexpr std::uint64_t kLargest = std::uint64_t(1) << 30;
    if (size > kLargest)
        throw Error::badUsage({name},
                              fmt::format("{} x {} pixels are too many for one picture", image.width, image.height));
    std::vector<std::byte> png;
    stbi_write_png_compression_level = 8;
    if (!stbi_write_png_to_func(collect, &png, image.width, image.height, 3, image.rgb.data(), static_cast<int>(row)))
        throw Error::system({name}, "not enough memory to encode the picture");
    return png;
}

void savePng(const Image& image, const std::filesystem::path& path) {
    const std::vector<std::byte> png = toPng(image, path.string());
    AtomicFile file(path);
    file.write(png);
    file.commit();
}

}  // namespace pelt::io
