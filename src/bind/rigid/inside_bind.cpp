// Binds every vertex to the bone that lies nearest inside the mesh.
#include "inside_bind.h"

#include <pelt/core/error.h>

#include <algorithm>
#include <cmath>

#include "bind/skeleton/bind_joints.h"
#include "bind/skeleton/mesh_probe.h"
#include "bind/skeleton/skin_bones.h"
#include "sight_labels.h"

namespace pelt::bind {
namespace {

/// If nothing can be inferred from the mesh: every bone that the options allow, and the nearest one for each vertex.
void bindByDistance(const Mesh& mesh, const Skeleton& skeleton, const std::vector<SkinChoice>& choices,
                    InsideBind& bind) {
    bind.bones = geometry::boneSegments(rig::jointRestPositions(skeleton), rig::jointParents(skeleton));
    std::erase_if(bind.bones, [&](const auto& bone) { return choices[bone.joint] == SkinChoice::none; });
    bind.joints = geometry::nearestSegments(bind.bones, mesh.positions);
    for (std::uint32_t& j : bind.joints) j = bind.bones[j].joint;
    bind.rigid.assign(mesh.vertexCount(), false);
}

/// Binds to the bones that carry skin.
void bindBySight(const Mesh& mesh, const BindSurface& surface, const Skeleton& skeleton, const Progress& progress,
                 InsideBind& bind) {
    const SightLabels labels = labelBySight(surface, skeleton, bind.bones, progress);
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
        const std::uint32_t welded = surface.weld.welded[v];
        bind.joints.push_back(labels.joints[welded]);
        bind.rigid.push_back(labels.pieces[surface.parts.part[welded]].isRigid());
    }
}

}  // namespace

InsideBind bindInside(const Mesh& mesh, const Skeleton& skeleton, const BindOptions& options,
                      const Progress& progress) {
    if (skeleton.joints.empty()) throw Error::badInput("the skeleton has no joint to bind the mesh to");
    const DistinctJoints distinct = distinctJoints(skeleton);
    const std::vector<SkinChoice> choices = distinct.choices(skeleton, options);
    const BindSurface surface = bindSurface(mesh);
    progress.report("bind", 0);
    InsideBind bind;
    bind.bones = skinBones(distinct.skeleton, surface.tree, surface.diagonal, choices);
    if (bind.bones.empty())
        bindByDistance(mesh, distinct.skeleton, choices, bind);
    else
        bindBySight(mesh, surface, distinct.skeleton, progress, bind);
    for (std::uint32_t& j : bind.joints) j = distinct.slots[j];
    for (geometry::BoneSegment& bone : bind.bones) bone.joint = distinct.slots[bone.joint];
    return bind;
}

double shareInSight(const Mesh& mesh, const InsideBind& bind) {
    constexpr std::size_t kSeen = 2000;
    constexpr double kMostlyInside = 0.75;  // of the line
    constexpr double kEnd = 0.1;            // of the bone, which may begin and end on the skin
    const BindSurface surface = bindSurface(mesh);
    const std::size_t step = std::max<std::size_t>(1, mesh.vertexCount() / kSeen);
    std::size_t seen = 0, sure = 0;
    for (std::size_t v = 0; v < mesh.vertexCount(); v += step) {
        if (bind.rigid[v] || !isFinite(mesh.positions[v])) continue;
        const Vec3d point(mesh.positions[v]);
        double nearest = HUGE_VAL;
        Vec3d place;
        for (const geometry::BoneSegment& bone : bind.bones) {
            if (bone.joint != bind.joints[v]) continue;
            const Vec3d along = bone.end - bone.start;
            const double squared = dot(along, along);
            const double t = squared > 0 ? std::clamp(dot(point - bone.start, along) / squared, kEnd, 1 - kEnd) : 0.0;
            const Vec3d at = bone.start + along * t;
            if (length(point - at) < nearest) nearest = length(point - at), place = at;
        }
        ++seen;
        sure += std::isfinite(nearest) && shareInside(surface.tree, place, point) >= kMostlyInside;
    }
    return seen > 0 ? double(sure) / double(seen) : 0;
}

}  // namespace pelt::bind
