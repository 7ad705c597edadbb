#pragma once

#include <pelt/core/skin_weights.h>
#include <pelt/core/vec.h>
#include <pelt/rig/ddm_settings.h>

/// The precomputed data of Direct Delta Mush as plain arrays: computed by `mush`, stored in files, packed for
/// deformers.
namespace pelt {

enum class DdmVariant { v0, v1, v2, v3, v4, v5 };
template <>
inline constexpr std::string_view kEnumWords<DdmVariant>[] = {"v0", "v1", "v2", "v3", "v4", "v5"};

enum class DdmEncoding { float32, q16 };  ///< how files store the numbers
template <>
inline constexpr std::string_view kEnumWords<DdmEncoding>[] = {"float", "q16"};

/// A symmetric 4x4 block Ω_ij of [LeLewis19] Eq. 11, taken about the vertex's center p_i:
/// Ω' = T(-p_i) Ω T(-p_i)^T = [ (xx xy xz; xy yy yz; xz yz zz)  (x y z) ; (x y z)^T  w ].
/// x, y, z are χ' and w is ω of the variants.
template <class T>
struct DdmBlock {
    T xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0, x = 0, y = 0, z = 0, w = 0;

    friend bool operator==(const DdmBlock&, const DdmBlock&) = default;
};

/// The numbers that rows have, by what reads them; each has those of the next.
enum class DdmContent {
    full,      ///< v0, v1: all
    centered,  ///< v2, v3: p, χ', ω, ψ
    weighted,  ///< v4: p, ω, ψ
    plain,     ///< v5: ω
};

/// The numbers that a variant reads.
constexpr DdmContent contentOf(DdmVariant variant) {
    switch (variant) {
        case DdmVariant::v2:
        case DdmVariant::v3:
            return DdmContent::centered;
        case DdmVariant::v4:
            return DdmContent::weighted;
        case DdmVariant::v5:
            return DdmContent::plain;
        default:
            return DdmContent::full;
    }
}
constexpr bool holds(DdmContent has, DdmContent needed) { return has <= needed; }

/// Each vertex has a row of `joints`, `blocks` and `psi` with at least one entry, ordered by decreasing w, then by
/// joint. Over a row, w and psi each sum to 1 and (x, y, z) sums to 0. A vertex with one entry moves with that joint.
/// Numbers that rows do not have are 0, psi is w.
template <class T>
struct DdmRows : CompressedRows {
    std::vector<std::uint32_t> joints;  ///< indices into Skeleton::joints
    std::vector<DdmBlock<T>> blocks;
    std::vector<T> psi;            ///< ψ_ij = Ψ_ij[4,4], the joint's weight in the rotation
    std::vector<Vec3<T>> centers;  ///< p_i, one per vertex
    DdmContent content = DdmContent::full;

    std::size_t vertexCount() const { return centers.size(); }
    std::size_t influenceCount(std::size_t vertex) const { return rowSize(vertex); }

    friend bool operator==(const DdmRows&, const DdmRows&) = default;
};

/// The same rows with no more than these numbers.
DdmRows<float> reducedTo(DdmContent content, DdmRows<float> rows);

/// A skin that plain weights cannot hold: a mushed one or, if `fitted`, linear blend skinning with weights of any sign.
struct DdmPayload {
    DdmVariant variant = DdmVariant::v0;
    DdmEncoding encoding = DdmEncoding::float32;
    DdmRows<float> rows;   ///< with the numbers that the variant reads, or all
    DdmSettings settings;  ///< the settings it was made with
    SkinWeights bind;      ///< the skin it was made from, one row per vertex
    /// RMS error caused by pruning and quantization over the range of motion, relative to the bounding-box diagonal;
    /// negative if it was not measured.
    double expected_error = -1;

    /// Not mushed, but the affine skin of [MohrGleicher03]: variant v5 in floats, whose ω may be negative and above 1;
    /// W and χ are 0, ψ is ω. It has no settings and no bind.
    bool fitted = false;

    bool empty() const { return rows.vertexCount() == 0; }

    friend bool operator==(const DdmPayload&, const DdmPayload&) = default;
};

}  // namespace pelt
