#pragma once

#include <pelt/core/mesh.h>

#include <span>
#include <string>

namespace pelt::io {

/// `v` lines; each float in the fewest digits that read back as the same float.
void appendObjPositions(std::span<const Vec3f> positions, std::string& text);

/// `vt` lines, `vn` lines if requested, groups and faces: the part that is equal in all frames of a sequence.
void appendObjTopology(const Mesh& mesh, bool with_normals, std::string& text);

}  // namespace pelt::io
