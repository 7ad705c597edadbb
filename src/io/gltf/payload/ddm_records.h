#pragma once

#include <pelt/rig/ddm_payload.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>

/// Direct Delta Mush rows as the fixed-size records of docs/payload.md.
namespace pelt::io::gltf {

/// The numbers that records have, in the order of docs/payload.md, and their sizes.
struct RecordLayout {
    DdmEncoding encoding = DdmEncoding::float32;
    bool center = true, second = true, first = true, psi = true;

    constexpr RecordLayout(DdmEncoding of, DdmContent content)
        : encoding(of),
          center(holds(content, DdmContent::weighted)),
          second(content == DdmContent::full),
          first(holds(content, DdmContent::centered)),
          psi(holds(content, DdmContent::weighted)) {}

    constexpr std::size_t vertexBytes() const { return center ? 16 : 4; }
    constexpr std::size_t entryBytes() const {
        const std::size_t number = encoding == DdmEncoding::float32 ? 4 : 2;  // the joint, ω and those that there are
        return number * std::size_t(2 + psi + 6 * second + 3 * first);
    }
};
static_assert(RecordLayout(DdmEncoding::float32, DdmContent::full).entryBytes() == 48);
static_assert(RecordLayout(DdmEncoding::q16, DdmContent::full).entryBytes() == 24);

struct DdmRecords {
    std::vector<std::byte> vertices, entries;

    friend bool operator==(const DdmRecords&, const DdmRecords&) = default;
};

/// Rows `first` .. `first + count`, with all numbers that they have; `skin_index` turns a joint slot into an index of
/// the skin. The rows have passed rowsFault.
DdmRecords encodeRecords(const DdmRows<float>& rows, std::size_t first, std::size_t count, DdmEncoding encoding,
                         const std::function<std::size_t(std::uint32_t slot)>& skin_index);

/// The number of entries that the vertex records claim.
std::uint64_t countEntries(std::span<const std::byte> vertices, const RecordLayout& layout);

/// Appends the rows of some vertices. `vertices` holds their records and nothing else, `entries` starts with theirs, at
/// least countEntries() of them, with the numbers of `rows.content`; `slots` turns an index of the skin into a joint
/// slot. Returns a description of what is wrong with them, for a message; empty if they are valid. `rows` then
/// satisfies the invariants of DdmRows.
std::string appendRecords(std::span<const std::byte> vertices, std::span<const std::byte> entries, DdmEncoding encoding,
                          std::span<const std::uint32_t> slots, DdmRows<float>& rows);

/// Why rows cannot be written: inconsistent sizes, joints beyond `joint_count`, empty rows, numbers that are not
/// finite, sums that are not 1. Empty if they can.
std::string rowsFault(const DdmRows<float>& rows, std::size_t joint_count);

}  // namespace pelt::io::gltf
