#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pelt::io {

enum class PlyType : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, float32, float64 };
enum class PlyFormat : std::uint8_t { ascii, little_endian, big_endian };

std::size_t plySize(PlyType type);

struct PlyProperty {
    std::string name;
    PlyType type = PlyType::float32;
    bool is_list = false;
    PlyType count_type = PlyType::uint8;  ///< of a list
};

struct PlyElement {
    std::string name;
    std::uint64_t count = 0;
    std::vector<PlyProperty> properties;

    /// The minimum number of bytes of one such element in the file; 0 without properties.
    std::uint64_t leastBytes(PlyFormat format) const;
};

struct PlyHeader {
    PlyFormat format = PlyFormat::ascii;
    std::vector<PlyElement> elements;
    std::size_t data_offset = 0;  ///< where the elements begin
};

/// Throws Error (bad input) with the line. Counts are not yet checked against the file's size.
PlyHeader readPlyHeader(std::span<const std::byte> bytes, const std::string& name);

}  // namespace pelt::io
