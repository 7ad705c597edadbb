#pragma once

#include <pelt/core/vec.h>

#include "text_table.h"

namespace pelt::runtime {

struct MorphRecord {
    std::uint64_t first = 0;         ///< in `vertices` and `position_offsets`; the next target's is the end
    std::uint64_t first_normal = 0;  ///< of `normal_offsets`
    float default_weight = 0;
    std::uint32_t has_normals = 0;  ///< 1: as many normal offsets as vertices
};

struct MorphsHeader;

struct MorphsData {
    std::size_t vertex_count = 0;
    std::span<const Vec3f> positions, normals;  ///< of the rest shape; no normals if the mesh has none
    std::span<const MorphRecord> targets;       ///< and one past the last
    std::span<const std::uint32_t> vertices;    ///< ascending in a target
    std::span<const Vec3f> position_offsets, normal_offsets;
    TextTable names;

    using Header = MorphsHeader;
    void locate(const MorphsHeader& header, RigArrays& arrays) noexcept;
    bool isSound() const noexcept;
};

struct MorphsHeader {
    RigHeader rig;
    ArrayAt<Vec3f> positions, normals;
    ArrayAt<MorphRecord> targets;
    ArrayAt<std::uint32_t> vertices;
    ArrayAt<Vec3f> position_offsets, normal_offsets;
    TextTableAt names;
};

}  // namespace pelt::runtime
