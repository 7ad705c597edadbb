// The tree of elements that binary and text FBX files have in common.
#include "fbx_tree.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <zlib.h>

#include <cstring>

namespace pelt::importer {
namespace {

/// The maximal compression ratio of Deflate: a larger claim is wrong.
constexpr std::uint64_t kMostDeflateGain = 1032;

[[noreturn]] void failArray(std::string_view element) {
    throw Error::badInput(fmt::format("the array {} of the FBX data is damaged; export the file again", element));
}

std::size_t itemSize(char type) {
    switch (type) {
        case 'd':
        case 'l':
            return 8;
        case 'f':
        case 'i':
            return 4;
        case 'b':
        case 'c':
            return 1;
        default:
            return 0;
    }
}

std::vector<std::byte> unpack(const FbxValue& value, std::string_view element) {
    const std::uint64_t size = value.count * std::uint64_t(itemSize(value.type));
    if (value.encoding == 0) {
        if (value.packed.size() < size) failArray(element);
        return {value.packed.begin(), value.packed.begin() + static_cast<std::ptrdiff_t>(size)};
    }
    if (value.encoding != 1 || size > (value.packed.size() + 1) * kMostDeflateGain) failArray(element);
    std::vector<std::byte> bytes(size);
    uLongf written = static_cast<uLongf>(size);
    const int status =
        ::uncompress(reinterpret_cast<Bytef*>(bytes.data()), &written,
                     reinterpret_cast<const Bytef*>(value.packed.data()), static_cast<uLong>(value.packed.size()));
    if (status != Z_OK || written != size) failArray(element);
    return bytes;
}

template <class T>
std::vector<double> convert(const std::vector<std::byte>& bytes) {
    std::vector<double> numbers(bytes.size() / sizeof(T));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        T item;
        std::memcpy(&item, bytes.data() + i * sizeof(T), sizeof(T));
        numbers[i] = static_cast<double>(item);
    }
    return numbers;
}

}  // namespace

const FbxElement* FbxElement::find(std::string_view child) const {
    for (const FbxElement& element : children)
        if (element.name == child) return &element;
    return nullptr;
}

std::int64_t FbxElement::integer(std::size_t index, std::int64_t fallback) const {
    return index < values.size() ? values[index].integer : fallback;
}

double FbxElement::real(std::size_t index, double fallback) const {
    return index < values.size() ? values[index].real : fallback;
}

std::string_view FbxElement::text(std::size_t index) const {
    return index < values.size() ? values[index].text : std::string_view();
}

std::vector<double> FbxElement::array() const {
    if (const FbxElement* list = find("a")) return list->numbers;
    if (values.empty()) return {};
    const FbxValue& value = values.front();
    switch (value.type) {
        case 'd':
            return convert<double>(unpack(value, name));
        case 'l':
            return convert<std::int64_t>(unpack(value, name));
        case 'f':
            return convert<float>(unpack(value, name));
        case 'i':
            return convert<std::int32_t>(unpack(value, name));
        case 'b':
        case 'c':
            return convert<std::uint8_t>(unpack(value, name));
        default:
            break;
    }
    std::vector<double> listed;
    for (const FbxValue& v : values) listed.push_back(v.real);
    return listed;
}

FbxTree parseFbx(std::span<const std::byte> bytes) {
    if (isBinaryFbx(bytes)) return parseBinaryFbx(bytes);
    return parseTextFbx({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace pelt::importer
