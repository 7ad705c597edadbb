#pragma once

#include <cmath>

#include "gltf/ddm_records.h"

/// The records of docs/payload.md, little-endian as in glTF, and the intermediate form of a row.
namespace pelt::io::gltf {

struct FloatVertex {
    float p[3];
    std::uint32_t count;
};
struct FloatEntry {
    std::uint32_t joint;
    DdmBlock<float> block;
    float psi;
};
struct Q16Vertex {
    float p[3];
    std::uint16_t count;
    std::int8_t second_exponent, first_exponent;
};
struct Q16Entry {
    std::uint16_t joint, psi;
    std::int16_t second[6], first[3];
    std::uint16_t omega;
};
static_assert(sizeof(FloatVertex) == kVertexBytes && sizeof(Q16Vertex) == kVertexBytes);
static_assert(sizeof(FloatEntry) == entryBytes(DdmEncoding::float32) &&
              sizeof(Q16Entry) == entryBytes(DdmEncoding::q16));

/// A block of a row in double precision, where recentering and rounding happen.
using Block = DdmBlock<double>;
inline constexpr double Block::*kSecond[] = {&Block::xx, &Block::xy, &Block::xz, &Block::yy, &Block::yz, &Block::zz};
inline constexpr double Block::*kFirst[] = {&Block::x, &Block::y, &Block::z};

inline Block widened(const DdmBlock<float>& b) { return {b.xx, b.xy, b.xz, b.yy, b.yz, b.zz, b.x, b.y, b.z, b.w}; }

inline DdmBlock<float> narrowed(const Block& b) {
    const auto f = [](double x) { return static_cast<float>(x); };
    return {f(b.xx), f(b.xy), f(b.xz), f(b.yy), f(b.yz), f(b.zz), f(b.x), f(b.y), f(b.z), f(b.w)};
}

struct Entry {
    std::uint32_t joint;
    Block block;
    double psi;
};
using Row = std::vector<Entry>;

inline void readRow(const DdmRows<float>& rows, std::size_t vertex, Row& row) {
    row.clear();
    for (std::size_t e = rows.offsets[vertex]; e < rows.offsets[vertex + 1]; ++e)
        row.push_back({rows.joints[e], widened(rows.blocks[e]), rows.psi[e]});
}

}  // namespace pelt::io::gltf
