#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>
#include <pelt/core/skin_weights.h>
#include <pelt/rig/mirror_joints.h>

#include <array>

namespace pelt::verbs {

/// Where a vertex gets its values from.
struct MirrorSource {
    enum Kind {
        kept,          ///< on the side that is copied
        middle,        ///< on the plane: from itself
        copied,        ///< from the vertex at the mirrored position
        interpolated,  ///< from a point of a triangle
        unmatched,     ///< nothing is near the mirrored position
    };
    Kind kind = kept;
    std::array<std::uint32_t, 3> vertices{};
    std::array<double, 3> shares{1, 0, 0};
};

/// For every vertex; `from_positive`: the side with the larger coordinates is copied. Of several vertices at the
/// mirrored position, one whose mirrored row is that of the vertex already is preferred.
std::vector<MirrorSource> findMirrorSources(const Mesh& mesh, const rig::MirrorPlane& plane, bool from_positive,
                                            const SkinWeights& weights, const std::vector<std::uint32_t>& twins,
                                            const Progress& progress);

/// Whether row `a` of the weights is row `b` with the joints of the other side.
bool isMirroredRow(const SkinWeights& weights, std::size_t a, std::size_t b, const std::vector<std::uint32_t>& twins);

/// The rows of all vertices after mirroring. `middles` has, per joint, the nearest one above (or itself) that belongs
/// to both sides, for vertices on the plane of a rigid bind.
SkinWeights mirroredRows(const SkinWeights& weights, const std::vector<MirrorSource>& sources,
                         const std::vector<std::uint32_t>& twins, const std::vector<std::uint32_t>& middles);

}  // namespace pelt::verbs
