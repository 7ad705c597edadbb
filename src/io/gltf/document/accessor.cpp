// Reads the numbers of glTF accessors in any of their storage forms.
#include "accessor.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace pelt::io::gltf {
namespace {

/// Number of elements that an accessor without a buffer view may have in addition to the file's bytes: zeros take no
/// space in a file.
constexpr std::uint64_t kFreeZeros = 1U << 16;

std::size_t componentBytes(std::uint64_t component_type) {
    switch (component_type) {
        case kByte:
        case kUnsignedByte:
            return 1;
        case kShort:
        case kUnsignedShort:
            return 2;
        case kUnsignedInt:
        case kFloat:
            return 4;
        default:
            return 0;
    }
}

template <class T>
T readAs(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

/// glTF 2.0, 3.11: c / max for unsigned, max(c / max, -1) for signed.
template <class T>
float fraction(const std::byte* from) {
    return std::max(static_cast<float>(readAs<T>(from)) / static_cast<float>(std::numeric_limits<T>::max()), -1.0F);
}

template <class T>
void convert(std::span<const std::byte> packed, bool normalized, std::vector<float>& out) {
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = normalized ? fraction<T>(packed.data() + i * sizeof(T))
                            : static_cast<float>(readAs<T>(packed.data() + i * sizeof(T)));
}

/// Fails unless `count` elements of `bytes` bytes, `stride` apart, fit in a view of `there` bytes.
void checkFits(const JsonRef& who, std::uint64_t offset, std::uint64_t stride, std::uint64_t bytes, std::uint64_t count,
               std::uint64_t there) {
    if (count == 0) return;
    const bool fits = offset <= there && bytes <= there - offset && (count - 1) <= (there - offset - bytes) / stride;
    if (!fits)
        who.fail(
            fmt::format("{} elements of {} bytes at byte {} exceed the buffer view of {} bytes; re-export the file",
                        count, bytes, offset, there));
}

}  // namespace

void Budget::take(const JsonRef& who, std::uint64_t bytes) {
    if (bytes > left_)
        who.fail("decompresses to far more data than its size can justify; split the file into smaller ones");
    left_ -= bytes;
}

AccessorReader::AccessorReader(const Document& document)
    : document_(document),
      file_bytes_([&] {
          std::uint64_t sum = 0;
          for (const Buffer& buffer : document.buffers) sum += buffer ? buffer->size() : 0;
          return sum;
      }()),
      budget_(file_bytes_) {}

AccessorInfo AccessorReader::info(std::size_t accessor) const {
    const JsonRef json = document_.item("accessors", accessor);
    AccessorInfo about;
    about.type = json.at("type").asString();
    about.width = componentCount(about.type);
    if (about.width == 0) json.fail(fmt::format("unknown type '{}'; re-export the file", about.type));
    const std::uint64_t component_type = json.at("componentType").asUnsigned();
    about.component_bytes = componentBytes(component_type);
    if (about.component_bytes == 0)
        json.fail(fmt::format("unknown componentType {}; re-export the file", component_type));
    about.component_type = static_cast<int>(component_type);
    about.count = json.at("count").asUnsigned();
    if (about.count > 0xFFFFFFFFU)  // an absent value is not allowed, but its meaning is clear
        json.fail(fmt::format("count {} is out of range; re-export the file", about.count));
    about.normalized = json.boolOr("normalized", false);
    if (about.width > 4 && about.component_bytes < 4 && about.type != "MAT4")
        json.fail(fmt::format("{} of small integers is padded, which is not supported for skins; re-export the file",
                              about.type));
    return about;
}

std::span<const std::byte> AccessorReader::view(std::size_t index) {
    const JsonRef json = document_.item("bufferViews", index);
    const std::size_t buffer = json.at("buffer").asUnsigned();
    if (const Buffer& bytes = document_.buffers[buffer])
        return std::span(*bytes).subspan(json.unsignedOr("byteOffset", 0), json.at("byteLength").asUnsigned());
    if (const auto known = unpacked_.find(index); known != unpacked_.end()) return known->second;
    const auto compressed = findMeshopt(json);
    if (!compressed) json.fail(fmt::format("buffers[{}] has no data; re-export the file", buffer));
    return unpacked_[index] = unpackMeshopt(*this, *compressed);
}

std::vector<std::byte> AccessorReader::packed(std::size_t accessor) {
    const AccessorInfo about = info(accessor);
    const JsonRef json = document_.item("accessors", accessor);
    const std::size_t element = about.component_bytes * about.width;
    const auto view_index = json.indexOf("bufferView", "bufferViews", document_.count("bufferViews"));
    std::vector<std::byte> out;
    if (view_index) {
        const std::span<const std::byte> bytes = view(*view_index);
        const std::uint64_t offset = json.unsignedOr("byteOffset", 0);
        std::uint64_t stride = document_.item("bufferViews", *view_index).unsignedOr("byteStride", element);
        if (stride == 0) stride = element;
        if (stride < element)
            json.fail(
                fmt::format("byteStride {} is less than an element's {} bytes; re-export the file", stride, element));
        checkFits(json, offset, stride, element, about.count, bytes.size());
        budget_.take(json, about.count * element);
        out.resize(about.count * element);
        for (std::size_t i = 0; i < about.count; ++i)
            std::memcpy(out.data() + i * element, bytes.data() + offset + i * stride, element);
    } else {
        if (about.count > kFreeZeros + file_bytes_)
            json.fail(fmt::format("{} elements without data are too many for a file of this size; re-export the file",
                                  about.count));
        budget_.take(json, about.count * element);
        out.resize(about.count * element);
    }
    if (const auto sparse = json.find("sparse")) putSparse(*sparse, about, out);
    return out;
}

void AccessorReader::putSparse(const JsonRef& sparse, const AccessorInfo& about, std::span<std::byte> out) {
    const std::uint64_t count = sparse.at("count").asUnsigned();
    if (count == 0 || count > about.count)
        sparse.fail(
            fmt::format("count {} is out of range (the accessor has {}); re-export the file", count, about.count));
    const auto part = [&](const char* key, std::size_t element) {
        const JsonRef json = sparse.at(key);
        const auto bytes = view(json.at("bufferView").asIndex("bufferViews", document_.count("bufferViews")));
        const std::uint64_t offset = json.unsignedOr("byteOffset", 0);
        checkFits(json, offset, element, element, count, bytes.size());
        return bytes.subspan(offset, count * element);
    };
    AccessorInfo index_info;
    index_info.component_type = static_cast<int>(sparse.at("indices").at("componentType").asUnsigned());
    index_info.component_bytes = componentBytes(static_cast<std::uint64_t>(index_info.component_type));
    if (index_info.component_bytes == 0 || index_info.component_type == kFloat)
        sparse.fail(
            fmt::format("unknown componentType {} of the indices; re-export the file", index_info.component_type));
    index_info.count = count;
    const std::size_t element = about.component_bytes * about.width;
    const auto where = toIntegers(part("indices", index_info.component_bytes), index_info);
    const auto values = part("values", element);
    for (std::size_t i = 0; i < count; ++i) {
        if (where[i] >= about.count)
            sparse.fail(fmt::format("index {} is {}, the accessor has {} elements; re-export the file", i, where[i],
                                    about.count));
        std::memcpy(out.data() + where[i] * element, values.data() + i * element, element);
    }
}

std::vector<float> AccessorReader::floats(std::size_t accessor, const char* type) {
    const AccessorInfo about = info(accessor);
    const JsonRef json = document_.item("accessors", accessor);
    if (about.type != type) json.fail(fmt::format("is {} where {} is needed; re-export the file", about.type, type));
    const std::vector<std::byte> bytes = packed(accessor);
    budget_.take(json, about.count * about.width * sizeof(float));
    return toFloats(bytes, about);
}

std::vector<std::uint32_t> AccessorReader::integers(std::size_t accessor, const char* type) {
    const AccessorInfo about = info(accessor);
    const JsonRef json = document_.item("accessors", accessor);
    if (about.type != type || about.component_type == kFloat)
        json.fail(fmt::format("must be {} of whole numbers; re-export the file", type));
    const std::vector<std::byte> bytes = packed(accessor);
    budget_.take(json, about.count * about.width * sizeof(std::uint32_t));
    return toIntegers(bytes, about);
}

void failUnlessUnpacked(const JsonRef& who, const UnpackAnswer& answer, const char* compression) {
    if (answer.fault == UnpackFault::none) return;
    if (answer.fault == UnpackFault::no_room)
        throw Error::system({who.file(), who.place()},
                            fmt::format("decompressing the {} data needs more memory than is free; close other "
                                        "programs, or raise the limit (ulimit -v, the container's)",
                                        compression));
    if (answer.fault == UnpackFault::memory)
        who.fail(fmt::format("decompressing the {} data needs more memory than allowed; split the file", compression));
    if (answer.fault == UnpackFault::too_slow)
        who.fail(
            fmt::format("decompressing the {} data took too long and was stopped; re-export the file", compression));
    if (answer.fault == UnpackFault::crashed)
        who.fail(fmt::format("the {} data crashed the decompressor; re-export the file", compression));
    who.fail(fmt::format("the {} data is damaged; re-export the file", compression));
}

std::vector<float> toFloats(std::span<const std::byte> packed, const AccessorInfo& about) {
    std::vector<float> out(about.count * about.width);
    switch (about.component_type) {
        case kByte:
            convert<std::int8_t>(packed, about.normalized, out);
            break;
        case kUnsignedByte:
            convert<std::uint8_t>(packed, about.normalized, out);
            break;
        case kShort:
            convert<std::int16_t>(packed, about.normalized, out);
            break;
        case kUnsignedShort:
            convert<std::uint16_t>(packed, about.normalized, out);
            break;
        case kUnsignedInt:
            convert<std::uint32_t>(packed, about.normalized, out);
            break;
        default:
            std::memcpy(out.data(), packed.data(), out.size() * sizeof(float));
    }
    return out;
}

std::vector<std::uint32_t> toIntegers(std::span<const std::byte> packed, const AccessorInfo& about) {
    std::vector<std::uint32_t> out(about.count * about.width);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::byte* from = packed.data() + i * about.component_bytes;
        if (about.component_bytes == 1) out[i] = readAs<std::uint8_t>(from);
        if (about.component_bytes == 2) out[i] = readAs<std::uint16_t>(from);
        if (about.component_bytes == 4) out[i] = readAs<std::uint32_t>(from);
    }
    return out;
}

}  // namespace pelt::io::gltf
