// The binary form of FBX: a header, then records of (end offset, value count, value bytes, name, values, nested
// records); offsets are 32-bit before version 7500 and 64-bit from that version.
#include <fmt/format.h>
#include <pelt/core/error.h>

#include <cstring>

#include "fbx_tree.h"

namespace pelt::importer {
namespace {

constexpr std::string_view kMagic("Kaydara FBX Binary  \0\x1a\0", 23);
constexpr std::size_t kHeaderSize = 27;

class BinaryReader {
public:
    explicit BinaryReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    FbxTree read() {
        FbxTree tree;
        at_ = kMagic.size();
        tree.version = take<std::uint32_t>();
        wide_ = tree.version >= 7500;
        while (at_ < bytes_.size()) {
            FbxElement element;
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

    std::string_view takeText(std::uint64_t size) {
        if (bytes_.size() - at_ < size) fail("a text is longer than the file");
        const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + at_, size);
        at_ += size;
        return text;
    }

    /// Returns false at the empty record that ends a list.
    bool readElement(FbxElement& element, std::uint64_t limit, int depth) {
        if (depth > kDeepestFbxElement) fail("elements are nested too deeply");
        const std::uint64_t end = takeOffset(), count = takeOffset();
        takeOffset();  // the size of the values in bytes
        element.name = takeText(take<std::uint8_t>());
        if (end == 0) return false;
        if (end > limit || end < at_) fail("an element ends outside of its parent");
        if (count > end - at_) fail("an element claims more values than it has bytes");
        element.values.reserve(count);
        for (std::uint64_t i = 0; i < count; ++i) element.values.push_back(readValue());
        while (at_ < end) {
            FbxElement child;
            if (!readElement(child, end, depth + 1)) break;
            element.children.push_back(std::move(child));
        }
        if (at_ > end) fail("an element is longer than it says");
        at_ = end;
        return true;
    }

    FbxValue readValue() {
        FbxValue value;
        value.type = static_cast<char>(take<std::uint8_t>());
        switch (value.type) {
            case 'C':
                return number(value, take<std::uint8_t>());
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
                value.text = takeText(take<std::uint32_t>());
                return value;
            case 'R':
                takeText(take<std::uint32_t>());
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

    static FbxValue number(FbxValue value, std::int64_t integer) {
        value.type = 'L', value.integer = integer, value.real = static_cast<double>(integer);
        return value;
    }
    static FbxValue realNumber(FbxValue value, double real) {
        value.type = 'D', value.real = real;
        value.integer = real > -9e18 && real < 9e18 ? static_cast<std::int64_t>(real) : 0;
        return value;
    }

    FbxValue readArray(FbxValue value) {
        value.count = take<std::uint32_t>();
        value.encoding = take<std::uint32_t>();
        const std::uint32_t size = take<std::uint32_t>();
        if (bytes_.size() - at_ < size) fail("an array is longer than the file");
        value.packed = bytes_.subspan(at_, size);
        at_ += size;
        return value;
    }

    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
    bool wide_ = false;
};

}  // namespace

bool isBinaryFbx(std::span<const std::byte> bytes) {
    return bytes.size() >= kHeaderSize && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

FbxTree parseBinaryFbx(std::span<const std::byte> bytes) { return BinaryReader(bytes).read(); }

}  // namespace pelt::importer
