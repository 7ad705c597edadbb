// The vertices of a pose: the skin by a deformer, the props by the joints that carry them.
#include "pose_skin.h"

#include <pelt/core/parallel.h>

namespace pelt::verbs {

Skinner::Skinner(const Character& character, const PoseStart& start, const std::string& method,
                 const methods::MethodOptions& options, const Progress& progress)
    : start_(start),
      morphed_(!character.mesh.morphs.empty()),
      deformer_(methods::findMethod(method).prepare(character, options, progress)) {}

void Skinner::pose(std::span<const Affine3d> bones, std::span<Vec3f> out) {
    bones_.clear();
    for (const Affine3d& bone : bones) bones_.emplace_back(bone);
    deformer_->setPose(bones_);
    const deform::RestShape rest{morphed_ ? std::span<const Vec3f>(start_.rest) : std::span<const Vec3f>(), {}};
    parallelFor(out.size(), kVertexGrain, [&](std::size_t first, std::size_t last) {
        deformer_->evaluate(rest, first, last - first, {out, {}});
    });
}

void placePropsOn(const Character& character, const PoseStart& start, std::span<const std::int32_t> carriers,
                  std::span<const Affine3d> motions, std::span<Vec3f> out) noexcept {
    const Props& props = character.props;
    for (std::size_t p = 0; p < props.mesh.parts.size(); ++p) {
        const Affine3d& world = start.worlds[props.nodes[p]];
        const Affine3d moved = carriers[p] < 0 ? world : motions[std::size_t(carriers[p])] * world;
        const MeshPart& part = props.mesh.parts[p];
        for (std::size_t v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v)
            out[v] = Vec3f(moved * Vec3d(props.mesh.positions[v]));
    }
}

}  // namespace pelt::verbs
