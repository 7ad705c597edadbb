// The one place that says what a good skin of a body is.
#include "good_skin.h"

#include <pelt/bind/rigid_bind.h>
#include <pelt/core/parallel.h>
#include <pelt/deform/ddm.h>
#include <pelt/methods/ddm.h>

namespace pelt::verbs {

GoodSkin goodSkin(const Character& character, const Progress& progress) {
    Character bound = character;
    bound.ddm = nullptr;
    bound.weights = bind::bindNearestBone(character.mesh, character.skeleton, {}, progress);
    const DdmRows<float> rows = methods::ddmRows(bound, {{"influences", {8}}}, progress);
    GoodSkin good;
    good.weights = deform::plainWeights(rows);
    auto payload = std::make_shared<DdmPayload>();
    payload->rows = rows;
    bound.ddm = payload;
    std::shared_ptr<methods::Deformer> deformer = methods::findMethod("ddm").prepare(bound, {}, progress);
    good.shape = [deformer](const measure::SkinPose& at, const deform::RestShape& rest, std::span<Vec3f> out) {
        deformer->setPose(at.bones);
        parallelFor(out.size(), kVertexGrain, [&](std::size_t first, std::size_t last) {
            deformer->evaluate(rest, first, last - first, {out, {}});
        });
    };
    return good;
}

}  // namespace pelt::verbs
