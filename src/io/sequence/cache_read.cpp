// Point caches. PC2: "POINTCACHE2\0", then little-endian int32 version = 1, int32 points, float32 start frame, float32
// frames per sample, int32 samples, and the samples. MDD: big-endian int32 frames, int32 points, a float32 time in
// seconds per frame, and the frames. Both hold float32 x y z.

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <array>
#include <cmath>

#include "io/bytes/byte_order.h"
#include "sequence_readers.h"

namespace pelt::io {
namespace {

constexpr std::string_view kPc2Magic("POINTCACHE2\0", 12);
constexpr std::uint64_t kPc2HeaderBytes = 32, kMddHeaderBytes = 8;

[[noreturn]] void fail(const ByteSource& source, const std::string& what) {
    throw Error::badInput({source.name()}, what);
}

template <std::size_t N>
std::array<std::byte, N> readHeader(ByteSource& source, std::string_view format) {
    std::array<std::byte, N> header{};
    if (source.size() < N)
        fail(source, fmt::format("it has {} bytes, fewer than the {} header ({})", source.size(), format, N));
    source.read(0, header);
    return header;
}

std::uint64_t readCount(const std::byte* bytes, std::endian order, const ByteSource& source, std::string_view what) {
    const auto count = loadAs<std::int32_t>(bytes, order);
    if (count < 0) fail(source, fmt::format("the header says {} {}", count, what));
    return static_cast<std::uint64_t>(count);
}

/// The step of evenly spaced times; 1/30 if they are not evenly spaced or too few.
double evenStep(const std::vector<float>& times) {
    constexpr double kUnknown = 1.0 / 30.0, kUneven = 0.01;
    if (times.size() < 2) return kUnknown;
    const double step = (double(times.back()) - double(times.front())) / double(times.size() - 1);
    if (!(step > 0) || !std::isfinite(step)) return kUnknown;
    for (std::size_t k = 0; k < times.size(); ++k)
        if (!(std::abs(double(times[k]) - double(times[0]) - double(k) * step) <= kUneven * step)) return kUnknown;
    return step;
}

std::vector<float> readTimes(ByteSource& source, std::uint64_t count) {
    std::vector<std::byte> bytes(4 * count);
    source.read(kMddHeaderBytes, bytes);
    std::vector<float> times(count);
    for (std::size_t k = 0; k < count; ++k) times[k] = loadAs<float>(bytes.data() + 4 * k, std::endian::big);
    return times;
}

}  // namespace

std::unique_ptr<MeshSequence> openPc2(std::unique_ptr<ByteSource> source, std::optional<Mesh> mesh) {
    const auto header = readHeader<kPc2HeaderBytes>(*source, ".pc2");
    if (std::memcmp(header.data(), kPc2Magic.data(), kPc2Magic.size()) != 0)
        fail(*source, "is not a .pc2 file: it does not begin with POINTCACHE2");
    const auto version = loadAs<std::int32_t>(header.data() + 12, std::endian::little);
    if (version != 1) fail(*source, fmt::format("is .pc2 version {}; only version 1 is supported", version));
    FrameLayout layout;
    layout.offset = kPc2HeaderBytes;
    layout.vertices = readCount(header.data() + 16, std::endian::little, *source, "vertices");
    layout.frames = readCount(header.data() + 28, std::endian::little, *source, "frames");
    // The file counts frames of a scene without storing its rate: 30 per second, as for all formats without times.
    const auto frames_per_sample = loadAs<float>(header.data() + 24, std::endian::little);
    if (frames_per_sample > 0 && std::isfinite(frames_per_sample)) layout.frame_seconds = frames_per_sample / 30.0;
    checkLayout(layout, *source, ".pc2");
    return makeFrameReader(std::move(source), layout, std::move(mesh));
}

std::unique_ptr<MeshSequence> openMdd(std::unique_ptr<ByteSource> source, std::optional<Mesh> mesh) {
    const auto header = readHeader<kMddHeaderBytes>(*source, ".mdd");
    FrameLayout layout;
    layout.order = std::endian::big;
    layout.frames = readCount(header.data(), std::endian::big, *source, "frames");
    layout.vertices = readCount(header.data() + 4, std::endian::big, *source, "vertices");
    layout.offset = kMddHeaderBytes + 4 * layout.frames;
    checkLayout(layout, *source, ".mdd");
    const std::uint64_t size = layout.offset + 12 * layout.frames * layout.vertices;
    if (source->size() != size)  // there is no magic number: only the size shows that this is an MDD file
        fail(*source,
             fmt::format(
                 "it has {} bytes, more than the {} of {} frames of {} vertices: it is damaged or not a .mdd file",
                 source->size(), size, layout.frames, layout.vertices));
    layout.frame_seconds = evenStep(readTimes(*source, layout.frames));
    return makeFrameReader(std::move(source), layout, std::move(mesh));
}

}  // namespace pelt::io
