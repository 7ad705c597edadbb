// .npy, .pc2 and .mdd: a header, then the frames. The readers describe the layouts.

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/io/atomic_file.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "io/bytes/byte_order.h"
#include "sequence_writers.h"

namespace pelt::io {
namespace {

/// A header and frames of float32 in one byte order.
class CacheWriter final : public CheckedWriter {
public:
    CacheWriter(const std::filesystem::path& path, const SequenceInfo& info, std::span<const std::byte> header,
                std::endian order)
        : CheckedWriter(path, info), file_(path), order_(order) {
        file_.write(header);
    }

private:
    void writeFrame(std::size_t, std::span<const Vec3f> positions) override {
        static_assert(sizeof(Vec3f) == 3 * sizeof(float));
        if (order_ == std::endian::native) return file_.write(std::as_bytes(positions));
        bytes_.clear();
        for (const Vec3f& p : positions)
            for (int k = 0; k < 3; ++k) {
                const auto value = storeAs(p[k], order_);
                bytes_.insert(bytes_.end(), value.begin(), value.end());
            }
        file_.write(bytes_);
    }
    void commit() override { file_.commit(); }

    AtomicFile file_;
    std::endian order_;
    std::vector<std::byte> bytes_;
};

/// The same for a stream: there is no file, and nothing can be rewritten.
class StreamWriter final : public CheckedWriter {
public:
    StreamWriter(const SequenceInfo& info, std::span<const std::byte> header,
                 std::function<void(std::span<const std::byte>)> sink)
        : CheckedWriter("standard output", info), sink_(std::move(sink)) {
        sink_(header);
    }

private:
    void writeFrame(std::size_t, std::span<const Vec3f> positions) override {
        static_assert(std::endian::native == std::endian::little, "frames go out as they are in memory");
        sink_(std::as_bytes(positions));
    }
    void commit() override {}

    std::function<void(std::span<const std::byte>)> sink_;
};

class Header {
public:
    explicit Header(std::endian order) : order_(order) {}

    void text(std::string_view text) {
        const auto bytes = std::as_bytes(std::span(text));
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    template <class T>
    void value(T value) {
        const auto bytes = storeAs(value, order_);
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    std::span<const std::byte> bytes() const { return bytes_; }

private:
    std::endian order_;
    std::vector<std::byte> bytes_;
};

/// Point caches use signed 32-bit counts.
std::int32_t cacheCount(std::size_t count, const std::filesystem::path& path) {
    if (count > std::numeric_limits<std::int32_t>::max())
        throw Error::badUsage({path.string()}, fmt::format("{} are too many for this format; write .npy", count));
    return static_cast<std::int32_t>(count);
}

Header npyHeader(const SequenceInfo& info) {
    constexpr std::size_t kAlignment = 64, kBeforeDict = 10;
    std::string dict =
        fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}, 3), }}", info.frames, info.vertices);
    dict.resize((kBeforeDict + dict.size() + 1 + kAlignment - 1) / kAlignment * kAlignment - kBeforeDict, ' ');
    dict.back() = '\n';
    Header header(std::endian::little);
    header.text(std::string_view("\x93NUMPY\x01\x00", 8));
    header.value(static_cast<std::uint16_t>(dict.size()));
    header.text(dict);
    return header;
}

}  // namespace

std::unique_ptr<SequenceWriter> createNpy(const std::filesystem::path& path, const SequenceInfo& info) {
    return std::make_unique<CacheWriter>(path, info, npyHeader(info).bytes(), std::endian::little);
}

std::unique_ptr<SequenceWriter> streamNpy(const SequenceInfo& info,
                                          std::function<void(std::span<const std::byte>)> sink) {
    return std::make_unique<StreamWriter>(info, npyHeader(info).bytes(), std::move(sink));
}

std::unique_ptr<SequenceWriter> createPc2(const std::filesystem::path& path, const SequenceInfo& info) {
    Header header(std::endian::little);
    header.text(std::string_view("POINTCACHE2\0", 12));
    header.value(std::int32_t(1));
    header.value(cacheCount(info.vertices, path));
    // Start frame and frames per sample. The format has no times: every sample is a frame of the scene it is used in.
    header.value(0.0f);
    header.value(1.0f);
    header.value(cacheCount(info.frames, path));
    return std::make_unique<CacheWriter>(path, info, header.bytes(), std::endian::little);
}

std::unique_ptr<SequenceWriter> createMdd(const std::filesystem::path& path, const SequenceInfo& info) {
    Header header(std::endian::big);
    header.value(cacheCount(info.frames, path));
    header.value(cacheCount(info.vertices, path));
    for (std::size_t k = 0; k < info.frames; ++k)
        header.value(static_cast<float>(static_cast<double>(k) * info.frame_seconds));
    return std::make_unique<CacheWriter>(path, info, header.bytes(), std::endian::big);
}

}  // namespace pelt::io
