// The transform of an FBX node from its pivots, rotation order and way to inherit scale.
#include "nodes.h"

#include <algorithm>
#include <numbers>
#include <set>

namespace pelt::io::fbx {
namespace {

Inherit inheritOf(double number) { return number == 1 ? Inherit::RSrs : number == 2 ? Inherit::Rrs : Inherit::RrSs; }

FbxNode readNode(const FbxDocument& document, const FbxObject& object, std::int32_t parent) {
    const auto vector = [&](const char* name) { return document.vector(object, name); };
    FbxNode node;
    node.object = &object;
    node.parent = parent;
    node.rest = {vector("Lcl Translation"), vector("Lcl Rotation"), document.vector(object, "Lcl Scaling", {1, 1, 1})};
    // Without RotationActive, a rotation order and pre- and post-rotations may exist but are ignored.
    if (document.number(object, "RotationActive") != 0) {
        node.rotation_order = static_cast<int>(std::clamp(document.number(object, "RotationOrder"), 0.0, 6.0));
        node.pre_rotation = eulerRotation(vector("PreRotation"), 0);
        node.post_rotation_inverse = conjugate(eulerRotation(vector("PostRotation"), 0));
    }
    node.rotation_offset = vector("RotationOffset");
    node.rotation_pivot = vector("RotationPivot");
    node.scaling_offset = vector("ScalingOffset");
    node.scaling_pivot = vector("ScalingPivot");
    node.inherit = inheritOf(document.number(object, "InheritType"));
    node.geometric = pelt::toAffine({vector("GeometricTranslation"), eulerRotation(vector("GeometricRotation"), 0),
                                     document.vector(object, "GeometricScaling", {1, 1, 1})});
    return node;
}

}  // namespace

bool FbxNode::hasPivots() const {
    return !(rotation_pivot == Vec3d()) || !(scaling_pivot == Vec3d()) || !(scaling_offset == Vec3d());
}

Trs FbxNode::local(const FbxPose& pose) const {
    Trs trs;
    trs.rotation = normalized(pre_rotation * eulerRotation(pose.rotation, rotation_order) * post_rotation_inverse);
    trs.scale = pose.scale;
    const Vec3d scaled_pivot{pose.scale.x * scaling_pivot.x, pose.scale.y * scaling_pivot.y,
                             pose.scale.z * scaling_pivot.z};
    const Vec3d inner = scaling_offset + scaling_pivot - scaled_pivot - rotation_pivot;
    trs.translation = pose.translation + rotation_offset + rotation_pivot + toMatrix(trs.rotation) * inner;
    return trs;
}

Quatd eulerRotation(const Vec3d& degrees, int order) {
    constexpr double kRadians = std::numbers::pi / 180;
    // The first axis is applied first, so it is the rightmost factor; 6 (spheric) is treated as XYZ.
    constexpr int kAxes[7][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}, {1, 0, 2}, {2, 0, 1}, {2, 1, 0}, {0, 1, 2}};
    const Vec3d unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    Quatd rotation;
    for (const int axis : kAxes[order]) rotation = axisAngle(unit[axis], degrees[axis] * kRadians) * rotation;
    return rotation;
}

std::vector<FbxNode> readNodes(const FbxDocument& document) {
    struct Open {
        const FbxObject* object;
        std::int32_t parent;
    };
    std::vector<FbxNode> nodes;
    std::set<std::int64_t> seen;  // a model is added once, so that cycles and second parents do no harm
    std::vector<Open> open;
    const auto push = [&open](const std::vector<const FbxObject*>& children, std::int32_t parent) {
        for (auto child = children.rbegin(); child != children.rend(); ++child) open.push_back({*child, parent});
    };
    push(document.sources(0, "Model"), -1);
    while (!open.empty()) {
        const Open next = open.back();
        open.pop_back();
        if (!seen.insert(next.object->id).second) continue;
        nodes.push_back(readNode(document, *next.object, next.parent));
        push(document.sources(next.object->id, "Model"), static_cast<std::int32_t>(nodes.size()) - 1);
    }
    return nodes;
}

}  // namespace pelt::io::fbx
