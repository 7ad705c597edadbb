#include "inside_bind.h"

#include <pelt/core/error.h>

#include "bind_joints.h"
#include "bind_mirror.h"
#include "bone_choice.h"
#include "label_cleanup.h"
#include "skin_bones.h"

namespace pelt::fit {
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
    const std::vector<BoneView> views = viewBones(surface, bind.bones);
    const std::vector<Piece> pieces = piecesOf(surface, views);
    const std::vector<std::int32_t> parents = rig::jointParents(skeleton);
    std::vector<std::uint32_t> joints = chooseBones(surface, views, pieces, parents, progress);
    cleanLabels(surface, joints);
    settlePieces(surface, pieces, parents.size(), joints);
    if (const BindMirror mirror = findMirror(skeleton, surface); mirror.found()) {
        std::vector<bool> carries(parents.size(), false);
        for (const geometry::BoneSegment& bone : bind.bones) carries[bone.joint] = true;
        makeSymmetric(mirror, parents, carries, joints);
    }
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
        const std::uint32_t welded = surface.weld.welded[v];
        bind.joints.push_back(joints[welded]);
        bind.rigid.push_back(pieces[surface.parts.part[welded]].isRigid());
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

}  // namespace pelt::fit
