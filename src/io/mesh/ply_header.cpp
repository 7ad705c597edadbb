// Reads the header of a PLY file.
#include "ply_header.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "text_cursor.h"

namespace pelt::io {
namespace {

constexpr std::array<std::pair<std::string_view, PlyType>, 16> kTypes{{
    {"char", PlyType::int8},
    {"int8", PlyType::int8},
    {"uchar", PlyType::uint8},
    {"uint8", PlyType::uint8},
    {"short", PlyType::int16},
    {"int16", PlyType::int16},
    {"ushort", PlyType::uint16},
    {"uint16", PlyType::uint16},
    {"int", PlyType::int32},
    {"int32", PlyType::int32},
    {"uint", PlyType::uint32},
    {"uint32", PlyType::uint32},
    {"float", PlyType::float32},
    {"float32", PlyType::float32},
    {"double", PlyType::float64},
    {"float64", PlyType::float64},
}};

class HeaderReader {
public:
    HeaderReader(std::span<const std::byte> bytes, const std::string& name) : text_(bytes, name), size_(bytes.size()) {}

    PlyHeader read() {
        if (text_.nextOnLine() != "ply") text_.fail("is not a PLY file: it does not begin with 'ply'");
        bool has_format = false;
        for (;;) {
            if (!text_.nextLine()) text_.fail("the header has no 'end_header'; the file may be truncated");
            const std::string_view keyword = text_.nextOnLine();
            if (keyword == "end_header") break;
            if (keyword == "format") {
                readFormat();
                has_format = true;
            } else if (keyword == "element") {
                readElement();
            } else if (keyword == "property") {
                readProperty();
            } else if (!keyword.empty() && keyword != "comment" && keyword != "obj_info") {
                text_.fail(fmt::format("{} is not a keyword of a PLY header", inQuotes(keyword)));
            }
        }
        if (!has_format) text_.fail("the header has no 'format' line");
        text_.nextLine();
        header_.data_offset = size_ - text_.bytesLeft();
        return std::move(header_);
    }

private:
    void readFormat() {
        const std::string_view format = text_.nextOnLine();
        if (format == "ascii")
            header_.format = PlyFormat::ascii;
        else if (format == "binary_little_endian")
            header_.format = PlyFormat::little_endian;
        else if (format == "binary_big_endian")
            header_.format = PlyFormat::big_endian;
        else
            text_.fail(fmt::format("format {} is not known", inQuotes(format)));
    }

    void readElement() {
        PlyElement element;
        element.name = text_.nextOnLine();
        const std::string_view digits = text_.nextOnLine();
        std::int64_t count = 0;
        if (!parseNumber(digits, count) || count < 0)
            text_.fail(fmt::format("element {} has no count", inQuotes(element.name)));
        element.count = static_cast<std::uint64_t>(count);
        header_.elements.push_back(std::move(element));
    }

    void readProperty() {
        if (header_.elements.empty()) text_.fail("a property before the first element");
        PlyProperty property;
        std::string_view type = text_.nextOnLine();
        if (type == "list") {
            property.is_list = true;
            property.count_type = typeOf(text_.nextOnLine());
            type = text_.nextOnLine();
        }
        property.type = typeOf(type);
        property.name = text_.nextOnLine();
        if (property.name.empty()) text_.fail("a property without a name");
        header_.elements.back().properties.push_back(std::move(property));
    }

    PlyType typeOf(std::string_view word) {
        for (const auto& [name, type] : kTypes)
            if (name == word) return type;
        text_.fail(fmt::format("property type {} is not known", inQuotes(word)));
    }

    TextCursor text_;
    std::size_t size_;
    PlyHeader header_;
};

}  // namespace

std::size_t plySize(PlyType type) {
    constexpr std::array<std::size_t, 8> kSizes{1, 1, 2, 2, 4, 4, 4, 8};
    return kSizes[static_cast<std::size_t>(type)];
}

std::uint64_t PlyElement::leastBytes(PlyFormat format) const {
    std::uint64_t least = 0;
    for (const PlyProperty& property : properties)
        least += format == PlyFormat::ascii ? 2 : plySize(property.is_list ? property.count_type : property.type);
    return least;
}

PlyHeader readPlyHeader(std::span<const std::byte> bytes, const std::string& name) {
    return HeaderReader(bytes, name).read();
}

}  // namespace pelt::io
