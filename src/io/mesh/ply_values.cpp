// Reads the values of a PLY file, binary or text.
#include "ply_values.h"

#include <fmt/format.h>
#include <pelt/core/error.h>

#include <cmath>

#include "io/bytes/byte_order.h"

namespace pelt::io {

PlyValues::PlyValues(std::span<const std::byte> data, const PlyHeader& header, const std::string& name)
    : data_(data), name_(name), format_(header.format) {
    if (format_ == PlyFormat::ascii) text_.emplace(data, name);
}

std::uint64_t PlyValues::bytesLeft() const { return text_ ? text_->bytesLeft() : data_.size() - at_; }

void PlyValues::checkFits(const PlyElement& element) const {
    const std::uint64_t least = element.leastBytes(format_);
    // The last number of an ascii file needs no line end after it.
    const std::uint64_t fits = least == 0 ? element.count : (bytesLeft() + (text_ ? 1 : 0)) / least;
    if (element.count > fits)
        throw Error::badInput({name_}, fmt::format("the header says {} of element {}, but at most {} fit in the file; "
                                                   "it is truncated or its header is wrong",
                                                   element.count, inQuotes(element.name), fits));
}

void PlyValues::setPlace(const PlyElement& element, std::uint64_t index) {
    element_ = &element;
    index_ = index;
}

void PlyValues::fail(const std::string& what) const {
    throw Error::badInput({name_, fmt::format("{} {}", element_->name, index_)}, what);
}

double PlyValues::read(PlyType type) {
    if (!text_) return readBinary(type);
    const std::string_view token = text_->next();
    if (token.empty()) fail("the file ends here");
    float narrow = 0;
    double value = 0;
    const bool is_number = type == PlyType::float32 ? parseNumber(token, narrow) : parseNumber(token, value);
    if (!is_number) fail(fmt::format("{} is not a number that the property can hold", inQuotes(token)));
    return type == PlyType::float32 ? narrow : value;
}

double PlyValues::readBinary(PlyType type) {
    const std::size_t size = plySize(type);
    if (data_.size() - at_ < size) fail("the file ends here");
    const std::byte* bytes = data_.data() + at_;
    at_ += size;
    const std::endian order = format_ == PlyFormat::big_endian ? std::endian::big : std::endian::little;
    switch (type) {
        case PlyType::int8:
            return loadAs<std::int8_t>(bytes, order);
        case PlyType::uint8:
            return loadAs<std::uint8_t>(bytes, order);
        case PlyType::int16:
            return loadAs<std::int16_t>(bytes, order);
        case PlyType::uint16:
            return loadAs<std::uint16_t>(bytes, order);
        case PlyType::int32:
            return loadAs<std::int32_t>(bytes, order);
        case PlyType::uint32:
            return loadAs<std::uint32_t>(bytes, order);
        case PlyType::float32:
            return loadAs<float>(bytes, order);
        case PlyType::float64:
            break;
    }
    return loadAs<double>(bytes, order);
}

std::size_t PlyValues::readListLength(const PlyProperty& property) {
    const double length = read(property.count_type);
    const double fits =
        static_cast<double>(bytesLeft() + 1) / (text_ ? 2.0 : static_cast<double>(plySize(property.type)));
    if (!(length >= 0) || length != std::floor(length))
        fail(fmt::format("the list '{}' has length {}", property.name, length));
    if (length > fits)
        fail(fmt::format("the list '{}' of {} items exceeds the end of the file", property.name, length));
    return static_cast<std::size_t>(length);
}

void PlyValues::skip(const PlyProperty& property) {
    if (!property.is_list) {
        read(property.type);
        return;
    }
    for (std::size_t left = readListLength(property); left > 0; --left) read(property.type);
}

void PlyValues::skipElement(const PlyElement& element) {
    for (const PlyProperty& property : element.properties) skip(property);
}

}  // namespace pelt::io
