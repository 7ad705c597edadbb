#pragma once

#include <pelt/core/ddm_settings.h>
#include <pelt/core/skin_weights.h>
#include <pelt/core/vec.h>

/// What Direct Delta Mush stores of a rig, as plain arrays: a fitter makes it, files carry it, deformers pack it.
namespace pelt {

enum class DdmVariant { v0, v1, v2, v3, v4, v5 };
template <>
inline constexpr std::string_view kEnumWords<DdmVariant>[] = {"v0", "v1", "v2", "v3", "v4", "v5"};

enum class DdmEncoding { float32, q16 };  ///< how files keep the numbers
template <>
inline constexpr std::string_view kEnumWords<DdmEncoding>[] = {"float", "q16"};

/// A symmetric 4x4 block Ω_ij of [LeLewis19] Eq. 11, taken about the vertex's centre p_i:
/// Ω' = T(-p_i) Ω T(-p_i)^T = [ (xx xy xz; xy yy yz; xz yz zz)  (x y z) ; (x y z)^T  w ].
/// x, y, z are χ' and w is ω of the variants.
template <class T>
struct DdmBlock {
    T xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0, x = 0, y = 0, z = 0, w = 0;

    friend bool operator==(const DdmBlock&, const DdmBlock&) = default;
};

/// A row of `joints`, `blocks` and `psi` for each vertex, of at least one entry, the largest w first, ties by lower
/// joint. Over a row, w and psi each sum to 1 and (x, y, z) sums to 0. Where a vertex has one entry, it moves with that
/// joint.
template <class T>
struct DdmRows : CompressedRows {
    std::vector<std::uint32_t> joints;  ///< indices into Skeleton::joints
    std::vector<DdmBlock<T>> blocks;
    std::vector<T> psi;            ///< ψ_ij = Ψ_ij[4,4], the joint's part in the rotation
    std::vector<Vec3<T>> centers;  ///< p_i, one per vertex

    std::size_t vertexCount() const { return centers.size(); }
    std::size_t influenceCount(std::size_t vertex) const { return rowSize(vertex); }

    friend bool operator==(const DdmRows&, const DdmRows&) = default;
};

/// A mushed skin.
struct DdmPayload {
    DdmVariant variant = DdmVariant::v0;
    DdmEncoding encoding = DdmEncoding::float32;
    DdmRows<float> rows;
    DdmSettings settings;  ///< what it was made with
    SkinWeights bind;      ///< the skin it was made from, one row a vertex
    /// RMS over the range of motion of what pruning (and quantisation) changed, in units of the bounding box diagonal;
    /// negative where it was not measured.
    double expected_error = -1;

    bool empty() const { return rows.vertexCount() == 0; }

    friend bool operator==(const DdmPayload&, const DdmPayload&) = default;
};

}  // namespace pelt
