#pragma once

#include <pelt/runtime/ddm.h>

#include "blocks.h"
#include "rig_bytes.h"

namespace pelt::runtime {

enum class DdmKind : std::uint8_t {
    followed,  ///< one joint per vertex: nothing to blend
    blended,
    flat,  ///< v1 without an inverse: v0 is used instead
};

/// Sixteen vertices of a window.
struct DdmLanes {
    std::uint32_t row = 0;    ///< first of its rows: u, p, then six numbers of P (v1: of its inverse) in
                              ///< v0, v1 and eddm, then those of its entries; followed blocks have u and p
    std::uint32_t entry = 0;  ///< index of its first entry; the next block's first entry is the end
    std::uint32_t base = 0;   ///< index into `bases`
    DdmKind kind = DdmKind::blended;
    std::uint8_t consecutive = 0;           ///< 1: its vertices are consecutive, lane l is vertices[0] + l
    std::uint16_t lowest = 0, highest = 0;  ///< of its vertices
    std::uint16_t unused = 0;
    std::uint16_t vertices[kLanes] = {};  ///< relative to the window's first vertex; unused lanes repeat one
};
static_assert(sizeof(DdmLanes) == 52);

struct DdmPair {
    std::uint32_t base, joint;  ///< indices into `bases` and `joints`
};

struct DdmHeader;

/// Rows as kernels read them.
///
/// Sixteen vertices form a block; a block lists the joints that any of them has, and each listed joint has numbers for
/// all sixteen, 0 for vertices that it does not influence. A joint's transform is therefore broadcast instead of
/// gathered, and the loop is the same for any number of influences. With the patches that Direct Delta Mush smooths
/// over, neighbors share few joints, so the vertices of a window are sorted by their joints first: blocks contain the
/// indices of their vertices.
///
/// All sums start from one of the vertex's own joints, its base b, which a block's vertices share: with Σ ω = 1,
/// Σ χ' = 0 and P the sum of the blocks' upper left parts,
///     S = A_b P + Σ_{j≠b} (A_j − A_b) W_j + (c_j − c_b) χ'_j^T
///     q = c_b + Σ_{j≠b} (A_j − A_b) χ'_j + ω_j (c_j − c_b)
/// This reads one joint less, and joints that move alike cause no rounding errors.
struct DdmData {
    DdmForm form = DdmForm::v0;
    std::size_t vertex_count = 0;
    std::size_t joint_count = 0;             ///< one more than the highest joint in use
    Vec3f origin;                            ///< the middle of the rest shape: centers are relative to it
    std::span<const std::uint32_t> windows;  ///< first block of each window, and one past the last
    std::span<const DdmLanes> blocks;        ///< and one more, which marks the end of the last
    std::span<const std::uint32_t> entries;  ///< per entry of a block, ascending by joint: index into `pairs`
    std::span<const LaneRow> rows;
    std::span<const LaneRow> normals;       ///< three per block, or none if the mesh has none
    std::span<const std::uint32_t> joints;  ///< all joints in use, ascending
    std::span<const std::uint32_t> bases;   ///< indices into `joints`: those that are the base of a block
    std::span<const DdmPair> pairs;

    using Header = DdmHeader;
    void locate(const DdmHeader& header, RigArrays& arrays) noexcept;
    bool isSound() const noexcept;
};

/// Rows of one entry: W χ' ω; χ ω ψ (χ about the origin); ω ψ.
constexpr std::size_t entryRows(DdmForm form) {
    switch (form) {
        case DdmForm::v2:
        case DdmForm::v3:
            return 5;
        case DdmForm::v4:
            return 2;
        default:
            return 10;
    }
}
constexpr bool hasCovariance(DdmForm form) { return entryRows(form) == 10; }
/// Whether P^-1 is stored instead of P.
constexpr bool hasInverse(DdmForm form) { return form == DdmForm::v1 || form == DdmForm::v1_printed; }

struct DdmHeader {
    RigHeader rig;
    std::uint64_t vertex_count = 0, joint_count = 0;
    float origin[3] = {};
    DdmForm form = DdmForm::v0;
    ArrayAt<std::uint32_t> windows;
    ArrayAt<DdmLanes> blocks;
    ArrayAt<std::uint32_t> entries;
    ArrayAt<LaneRow> rows, normals;
    ArrayAt<std::uint32_t> joints, bases;
    ArrayAt<DdmPair> pairs;
};

}  // namespace pelt::runtime
