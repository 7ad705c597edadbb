#pragma once

#include <optional>

#include "ply_header.h"
#include "text_cursor.h"

namespace pelt::io {

/// Reads the values behind a PLY header one after the other, whatever the format. Every type fits a double.
class PlyValues {
public:
    PlyValues(std::span<const std::byte> data, const PlyHeader& header, const std::string& name);

    /// Throws Error (bad input) if the elements cannot fit in what is left of the file.
    void checkFits(const PlyElement& element) const;
    /// Says which element is being read, for messages.
    void setPlace(const PlyElement& element, std::uint64_t index);

    double read(PlyType type);
    /// The length of a list whose items must still fit in the file.
    std::size_t readListLength(const PlyProperty& property);
    void skip(const PlyProperty& property);
    /// Everything of one element, unread.
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
