#pragma once

#include <pelt/core/mesh.h>

#include <string>
#include <vector>

#include "text_cursor.h"

namespace pelt::io {

/// The records of an OBJ file as they stand, with indices resolved to 0, 1, … but not yet checked against the counts.
struct ObjData {
    static constexpr std::uint32_t kNone = 0xffffffff;

    struct Corner {
        std::uint32_t vertex = kNone, uv = kNone, normal = kNone;
    };
    struct Face {
        std::size_t first_corner;
        std::uint64_t line;
    };
    /// Faces up to the next change of object, group or material.
    struct Run {
        std::string object, group, material;
        std::size_t first_face;
    };

    std::vector<Vec3f> positions, normals;
    std::vector<Vec2f> uvs;
    std::vector<Corner> corners;
    std::vector<Face> faces;
    std::vector<Run> runs;

    std::span<const Corner> faceCorners(std::size_t face) const {
        const std::size_t first = faces[face].first_corner;
        const std::size_t end = face + 1 < faces.size() ? faces[face + 1].first_corner : corners.size();
        return std::span(corners).subspan(first, end - first);
    }
};

/// Reads the records. Throws Error (bad input) with the line. `positions_only` skips everything but `v`.
ObjData readObjRecords(std::span<const std::byte> bytes, const std::string& name, bool positions_only);

/// The parts of the mesh: runs of faces whose vertices are disjoint ranges in ascending order, by object, group and
/// material if these have such ranges, otherwise by object and group, otherwise by object; empty if none has or if
/// there is a single piece without a name. `first_triangle` has the first triangle of each face and, at its end, the
/// count of all.
std::vector<MeshPart> objParts(const ObjData& data, std::span<const std::size_t> first_triangle);

}  // namespace pelt::io
