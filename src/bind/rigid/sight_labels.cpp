// The nearest visible bone for each vertex, then whole pieces and symmetry.
#include "sight_labels.h"

#include "bone_choice.h"
#include "label_cleanup.h"

namespace pelt::bind {

SightLabels labelBySight(const BindSurface& surface, const Skeleton& skeleton,
                         std::span<const geometry::BoneSegment> bones, const Progress& progress) {
    SightLabels labels;
    labels.views = viewBones(surface, bones);
    labels.pieces = piecesOf(surface, labels.views);
    const std::vector<std::int32_t> parents = rig::jointParents(skeleton);
    labels.joints = chooseBones(surface, labels.views, labels.pieces, parents, progress);
    cleanLabels(surface, labels.joints);
    settlePieces(surface, labels.pieces, parents.size(), labels.joints);
    labels.mirror = findMirror(skeleton, surface);
    if (labels.mirror.found()) {
        std::vector<bool> carries(parents.size(), false);
        for (const geometry::BoneSegment& bone : bones) carries[bone.joint] = true;
        makeSymmetric(labels.mirror, parents, carries, labels.joints);
    }
    return labels;
}

}  // namespace pelt::bind
