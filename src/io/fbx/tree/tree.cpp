// The tree of elements that binary and text FBX files have in common, and its arrays.
#include "tree.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/bytes/inflate.h"

namespace pelt::io::fbx {
namespace {

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

template <class T>
T converted(double from) {
    if constexpr (std::is_integral_v<T>) {
        if (std::isnan(from)) return 0;
        constexpr double kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
        return static_cast<T>(std::min(std::max(from, kLow), kHigh));
    } else {
        return static_cast<T>(from);
    }
}

template <class From, class T>
void convert(std::span<const std::byte> bytes, std::vector<T>& numbers) {
    numbers.resize(bytes.size() / sizeof(From));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        From item;
        std::memcpy(&item, bytes.data() + i * sizeof(From), sizeof(From));
        if constexpr (std::is_same_v<From, T>)
            numbers[i] = item;
        else
            numbers[i] = converted<T>(static_cast<double>(item));
    }
}

/// The plain bytes of an array; `room` holds them if they were packed.
std::span<const std::byte> unpack(const Value& value, std::string_view element, std::vector<std::byte>& room) {
    const std::uint64_t size = value.count * std::uint64_t(itemSize(value.type));
    const std::span<const std::byte> packed = std::as_bytes(std::span(value.text));
    if (value.encoding == 0) {
        if (packed.size() < size) failArray(element);
        return packed.first(size);
    }
    if (value.encoding != 1 || size / kMostDeflateGain > packed.size()) failArray(element);
    room.resize(size);
    if (!inflateInto(packed, room)) failArray(element);
    return room;
}

template <class T>
std::vector<T> fromArray(const Value& value, std::string_view element) {
    std::vector<std::byte> room;
    const std::span<const std::byte> bytes = unpack(value, element, room);
    std::vector<T> numbers;
    switch (value.type) {
        case 'd':
            convert<double>(bytes, numbers);
            break;
        case 'l':
            convert<std::int64_t>(bytes, numbers);
            break;
        case 'f':
            convert<float>(bytes, numbers);
            break;
        case 'i':
            convert<std::int32_t>(bytes, numbers);
            break;
        default:
            convert<std::uint8_t>(bytes, numbers);
    }
    return numbers;
}

/// The numbers of "0.5,1,-2": MSVC wrote "1.#QNAN" and the like for what is not a number.
template <class T>
std::vector<T> fromText(std::string_view list) {
    std::vector<T> numbers;
    const char *at = list.data(), *end = at + list.size();
    while (at < end) {
        const char* last = static_cast<const char*>(std::memchr(at, ',', static_cast<std::size_t>(end - at)));
        if (!last) last = end;
        while (at < last && static_cast<unsigned char>(*at) <= ' ') ++at;
        double number = 0;
        const auto read = std::from_chars(at, last, number);
        if (read.ptr < last && *read.ptr == '#') number = std::numeric_limits<double>::quiet_NaN();
        if (at < last) numbers.push_back(converted<T>(number));
        at = last + 1;
    }
    return numbers;
}

/// Values with a letter for their type before each, as binary files of version 6 list them.
template <class T>
std::vector<T> fromValues(std::string_view list) {
    std::vector<T> numbers;
    const auto take = [&](auto item) {
        std::memcpy(&item, list.data(), sizeof item);
        list.remove_prefix(sizeof item);
        numbers.push_back(converted<T>(static_cast<double>(item)));
    };
    while (!list.empty()) {
        const char type = list.front();
        list.remove_prefix(1);
        switch (type) {
            case 'D':
                take(double());
                break;
            case 'L':
                take(std::int64_t());
                break;
            case 'F':
                take(float());
                break;
            case 'I':
                take(std::int32_t());
                break;
            case 'Y':
                take(std::int16_t());
                break;
            case 'C':
            case 'B':
                take(std::uint8_t());
                break;
            default: {  // a text: it counts, but is no number
                std::uint32_t size = 0;
                std::memcpy(&size, list.data(), sizeof size);
                list.remove_prefix(sizeof size + size);
                numbers.push_back(T(0));
            }
        }
    }
    return numbers;
}

}  // namespace

const Element* Element::find(std::string_view child) const {
    for (const Element& element : children)
        if (element.name == child) return &element;
    return nullptr;
}

std::int64_t Element::integer(std::size_t index, std::int64_t fallback) const {
    return index < values.size() ? values[index].integer : fallback;
}

double Element::real(std::size_t index, double fallback) const {
    return index < values.size() ? values[index].real : fallback;
}

std::string_view Element::text(std::size_t index) const {
    return index < values.size() ? values[index].text : std::string_view();
}

template <class T>
std::vector<T> Element::array() const {
    if (const Element* inner = find("a")) return inner->array<T>();
    if (!list.empty()) {
        const bool binary = !values.empty() && values.front().encoding == 2;
        return binary ? fromValues<T>(list) : fromText<T>(list);
    }
    if (values.size() == 1 && itemSize(values.front().type) > 0) return fromArray<T>(values.front(), name);
    std::vector<T> listed;
    for (const Value& v : values) listed.push_back(converted<T>(v.real));
    return listed;
}

template <class T>
std::vector<T> Element::arrayOf(std::string_view child) const {
    const Element* element = find(child);
    return element ? element->array<T>() : std::vector<T>();
}

template std::vector<float> Element::array() const;
template std::vector<double> Element::array() const;
template std::vector<std::int32_t> Element::array() const;
template std::vector<float> Element::arrayOf(std::string_view) const;
template std::vector<double> Element::arrayOf(std::string_view) const;
template std::vector<std::int32_t> Element::arrayOf(std::string_view) const;

Tree parse(std::span<const std::byte> bytes) {
    Tree tree =
        isBinary(bytes) ? parseBinary(bytes) : parseText({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    const Element* header = tree.root.find("FBXHeaderExtension");
    const Element* version = header ? header->find("FBXVersion") : nullptr;
    if (tree.version == 0 && version) tree.version = static_cast<std::uint32_t>(version->integer(0));
    if (tree.version != 0 && tree.version < 6000)
        throw Error::badInput(
            fmt::format("it is FBX of version {}.{}, older than 6; open it in a current program and "
                        "export it again",
                        tree.version / 1000, tree.version / 100 % 10));
    if (tree.version < 7000) upgrade(tree);
    return tree;
}

}  // namespace pelt::io::fbx
