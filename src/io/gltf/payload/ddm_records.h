#pragma once

#include <pelt/core/ddm_payload.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>

/// Direct Delta Mush rows as the fixed-size records of docs/payload.md.
namespace pelt::io::gltf {

inline constexpr std::size_t kVertexBytes = 16;
constexpr std::size_t entryBytes(DdmEncoding encoding) { return encoding == DdmEncoding::float32 ? 48 : 24; }

struct DdmRecords {
    std::vector<std::byte> vertices, entries;

    friend bool operator==(const DdmRecords&, const DdmRecords&) = default;
};

/// Rows `first` .. `first + count`; `skin_index` turns a joint slot into an index of the skin. The rows have passed
/// rowsFault.
DdmRecords encodeRecords(const DdmRows<float>& rows, std::size_t first, std::size_t count, DdmEncoding encoding,
                         const std::function<std::size_t(std::uint32_t slot)>& skin_index);

/// The number of entries that the vertex records claim.
std::uint64_t countEntries(std::span<const std::byte> vertices, DdmEncoding encoding);

/// Appends the rows of some vertices. `vertices` holds their records and nothing else, `entries` starts with theirs, at
/// least countEntries() of them; `slots` turns an index of the skin into a joint slot. Returns a description of what is
/// wrong with them, for a message; empty if they are valid. `rows` then satisfies the invariants of DdmRows.
std::string appendRecords(std::span<const std::byte> vertices, std::span<const std::byte> entries, DdmEncoding encoding,
                          std::span<const std::uint32_t> slots, DdmRows<float>& rows);

/// Why rows cannot be written: inconsistent sizes, joints beyond `joint_count`, empty rows, numbers that are not
/// finite, sums that are not 1. Empty if they can.
std::string rowsFault(const DdmRows<float>& rows, std::size_t joint_count);

}  // namespace pelt::io::gltf
