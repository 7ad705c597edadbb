// The binary form of FBX: a header, then records of (end offset, value count, value bytes, name, values, nested
// records); offsets are 32-bit before version 7500 and 64-bit from that version.
#include <fmt/format.h>
#include <pelt/core/error.h>

#include <cstring>

#include "tree.h"

namespace pelt::io::fbx {
namespace {

constexpr std::string_view kBinaryMagic("Kaydara FBX Binary  \0\x1a\0", 23);
constexpr std::size_t kHeaderSize = 27;
constexpr std::uint64_t kMostUnpacked = std::uint64_t(768) << 20;  ///< and 64 bytes for each byte of the file

class BinaryReader {
public:
    explicit BinaryReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    Tree read() {
        Tree tree;
        at_ = kBinaryMagic.size();
        tree.version = take<std::uint32_t>();
        wide_ = tree.version >= 7500;
        while (at_ < bytes_.size()) {
            Element element;
            if (!readElement(element, bytes_.size(), 0)) break;
            tree.root.children.push_back(std::move(element));
        }
        return tree;
    }

private:
    [[noreturn]] void fail(const char* what) const {
        throw Error::badInput(fmt::format("the FBX data is damaged at byte {}: {}; export the file again", at_, what));
    }

    template <class T>
    T take() {
        if (bytes_.size() - at_ < sizeof(T)) fail("it ends too early");
        T value;
        std::memcpy(&value, bytes_.data() + at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }
    std::uint64_t takeOffset() { return wide_ ? take<std::uint64_t>() : take<std::uint32_t>(); }

    std::string_view takeText(std::uint64_t size, const char* fault = "a text is longer than the file") {
        if (bytes_.size() - at_ < size) fail(fault);
        const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + at_, size);
        at_ += size;
        return text;
    }

    /// Returns false at the empty record that ends a list.
    bool readElement(Element& element, std::uint64_t limit, int depth) {
        if (depth > kDeepestElement) fail("elements are nested too deeply");
        const std::uint64_t end = takeOffset(), count = takeOffset();
        takeOffset();  // the size of the values in bytes
        element.name = takeText(take<std::uint8_t>());
        if (end == 0) return false;
        if (end > limit || end < at_) fail("an element ends outside of its parent");
        if (count > end - at_) fail("an element claims more values than it has bytes");
        readValues(element, count);
        while (at_ < end) {
            Element child;
            if (!readElement(child, end, depth + 1)) break;
            element.children.push_back(std::move(child));
        }
        if (at_ > end) fail("an element is longer than it says");
        at_ = end;
        return true;
    }

    void readValues(Element& element, std::uint64_t count) {
        const std::size_t first = at_;
        element.values.reserve(std::min<std::uint64_t>(count, kLongestShortList));
        bool plain = true;
        for (std::uint64_t i = 0; i < count; ++i) {
            const Value value = readValue();
            plain = plain && (value.type == 'L' || value.type == 'D' || value.type == 'S');
            if (i < kLongestShortList) element.values.push_back(value);
        }
        if (count <= kLongestShortList) return;
        if (!plain) fail("a list has values of several kinds");
        element.list = std::string_view(reinterpret_cast<const char*>(bytes_.data()) + first, at_ - first);
        element.values.front().encoding = 2;
    }

    Value readValue() {
        Value value;
        value.type = static_cast<char>(take<std::uint8_t>());
        switch (value.type) {
            case 'C':
            case 'B':
                return number(value, take<std::uint8_t>());
            case 'Y':
                return number(value, take<std::int16_t>());
            case 'I':
                return number(value, take<std::int32_t>());
            case 'L':
                return number(value, take<std::int64_t>());
            case 'F':
                return realNumber(value, take<float>());
            case 'D':
                return realNumber(value, take<double>());
            case 'S':
            case 'R':
                value.text = takeText(take<std::uint32_t>());
                return value;
            case 'f':
            case 'd':
            case 'l':
            case 'i':
            case 'b':
            case 'c':
                return readArray(value);
            default:
                fail("a value has an unknown type");
        }
    }

    static Value number(Value value, std::int64_t integer) {
        value.type = 'L', value.integer = integer, value.real = static_cast<double>(integer);
        return value;
    }
    static Value realNumber(Value value, double real) {
        value.type = 'D', value.real = real;
        value.integer = real > -9e18 && real < 9e18 ? static_cast<std::int64_t>(real) : 0;
        return value;
    }

    Value readArray(Value value) {
        value.count = take<std::uint32_t>();
        value.encoding = take<std::uint32_t>();
        if (value.encoding > 1) fail("an array is encoded in an unknown way");
        value.text = takeText(take<std::uint32_t>(), "an array is longer than the file");
        if (value.encoding == 1) claimed_ += std::uint64_t(8) * value.count;
        if (claimed_ > kMostUnpacked + 64 * std::uint64_t(bytes_.size())) fail("its arrays unpack to too much memory");
        return value;
    }

    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
    std::uint64_t claimed_ = 0;  ///< bytes that compressed arrays may need
    bool wide_ = false;
};

}  // namespace

bool isBinary(std::span<const std::byte> bytes) {
    return bytes.size() >= kHeaderSize && std::memcmp(bytes.data(), kBinaryMagic.data(), kBinaryMagic.size()) == 0;
}

Tree parseBinary(std::span<const std::byte> bytes) { return BinaryReader(bytes).read(); }

}  // namespace pelt::io::fbx
