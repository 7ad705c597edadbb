#pragma once

#include <cmath>
#include <cstring>

#include "ddm_records.h"

/// The records of docs/payload.md, little-endian as in glTF, and the intermediate form of a row.
namespace pelt::io::gltf {

/// A vertex without its center, which is in front of it if there is one.
struct FloatHead {
    std::uint32_t count;
};
struct Q16Head {
    std::uint16_t count;
    std::int8_t second_exponent, first_exponent;
};
static_assert(sizeof(FloatHead) == 4 && sizeof(Q16Head) == 4);

/// The numbers of a record, one after the other.
class RecordCursor {
public:
    explicit RecordCursor(const std::byte* at) : at_(at) {}

    template <class T>
    T get() {
        T value;
        std::memcpy(&value, at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    template <class T, std::size_t N>
    void get(T (&values)[N]) {
        for (T& value : values) value = get<T>();
    }

private:
    const std::byte* at_;
};

/// A record that is put together number by number.
class RecordMaker {
public:
    template <class T>
    void put(const T& value) {
        std::memcpy(bytes_ + size_, &value, sizeof value);
        size_ += sizeof value;
    }
    void appendTo(std::vector<std::byte>& records) const { records.insert(records.end(), bytes_, bytes_ + size_); }

private:
    std::byte bytes_[48];
    std::size_t size_ = 0;
};

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
