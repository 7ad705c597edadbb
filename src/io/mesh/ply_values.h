#pragma once

#include <optional>

#include "ply_header.h"
#include "text_cursor.h"

namespace pelt::io {

/// Reads the values after a PLY header one by one, in any of its formats. Every type fits in a double.
class PlyValues {
public:
    PlyValues(std::span<const std::byte> data, const PlyHeader& header, const std::string& name);

    /// Throws Error (bad input) if the elements cannot fit in the rest of the file.
    void checkFits(const PlyElement& element) const;
    /// Sets the element that is being read, for messages.
    void setPlace(const PlyElement& element, std::uint64_t index);

    double read(PlyType type);
    /// The length of a list whose items must still fit in the file.
    std::size_t readListLength(const PlyProperty& property);
    void skip(const PlyProperty& property);
    /// Skips all values of one element.
    void skipElement(const PlyElement& element);

    [[noreturn]] void fail(const std::string& what) const;

private:
    std::uint64_t bytesLeft() const;
    double readBinary(PlyType type);

    std::span<const std::byte> data_;
    std::string name_;
    PlyFormat format_;
    std::size_t at_ = 0;
    std::optional<TextCursor> text_;  ///< of the ascii format
    const PlyElement* element_ = nullptr;
    std::uint64_t index_ = 0;
};

}  // namespace pelt::io
