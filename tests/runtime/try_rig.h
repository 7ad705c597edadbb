#pragma once

#include <pelt/runtime/ddm.h>
#include <pelt/runtime/dqs.h>
#include <pelt/runtime/lbs.h>
#include <pelt/runtime/morphs.h>
#include <pelt/runtime/skeleton.h>

#include <vector>

#include "guarded_bytes.h"

namespace pelt::runtime {

inline constexpr RigKind kKinds[] = {RigKind::lbs, RigKind::dqs, RigKind::ddm, RigKind::morphs, RigKind::skeleton};

struct Vertices {
    std::vector<Vec3f> positions, normals;
    friend bool operator==(const Vertices&, const Vertices&) = default;
};

/// Calls every function of a skin rig, with memory of exactly the required size.
template <class SkinRig, class SkinPose>
Vertices playSkin(const SkinRig& rig, std::span<const Affine3f> bones) {
    const std::size_t n = rig.vertexCount();
    GuardedBytes memory(SkinPose::bytes(rig));
    GuardedBytes positions(n * sizeof(Vec3f)), normals(n * sizeof(Vec3f));
    const auto vectors = [n](GuardedBytes& g) { return std::span(reinterpret_cast<Vec3f*>(g.bytes().data()), n); };
    SkinPose pose(rig, memory.bytes());
    std::vector<Affine3f> enough(bones.begin(), bones.end());
    enough.resize(rig.jointCount());
    pose.set(enough);
    const Output out{vectors(positions), rig.hasNormals() ? vectors(normals) : std::span<Vec3f>()};
    evaluate(rig, pose, {}, 0, n, out);
    Vertices whole{{out.positions.begin(), out.positions.end()}, {out.normals.begin(), out.normals.end()}};
    if (n > 3) evaluate(rig, pose, {out.positions, {}}, 1, n - 3, out);
    return whole;
}

inline Vertices playMorphs(const MorphRig& rig) {
    Vertices v{std::vector<Vec3f>(rig.vertexCount()), std::vector<Vec3f>(rig.hasNormals() ? rig.vertexCount() : 0)};
    std::vector<float> weights;
    for (std::size_t t = 0; t < rig.targetCount(); ++t)
        weights.push_back(rig.defaultWeight(t) + float(rig.targetName(t).size()));
    morph(rig, weights, 0, rig.vertexCount(), {v.positions, v.normals});
    return v;
}

inline std::vector<Affine3f> playSkeleton(const SkeletonRig& rig) {
    std::vector<LocalTransform> locals;
    std::size_t letters = 0;
    for (std::size_t n = 0; n < rig.nodeCount(); ++n) {
        locals.push_back(rig.nodeRest(n));
        letters += rig.nodeName(n).size();
    }
    std::vector<Affine3f> worlds(rig.nodeCount()), bones(rig.jointCount());
    applyDrivers(rig, locals);
    skinMatrices(rig, locals, worlds, bones);
    return letters > 0 ? bones : worlds;
}

/// Views the bytes as a rig of that kind and calls its functions; otherwise returns the reason for refusal.
inline RigError tryRig(RigKind kind, std::span<const std::byte> bytes, std::span<const Affine3f> bones) {
    constexpr std::size_t kMost = 1 << 20;  // a test has no memory for what a damaged file asks of an engine
    const auto skin = [&]<class SkinRig, class SkinPose>(const Checked<SkinRig>& rig, SkinPose*) {
        if (rig && rig->jointCount() < kMost && rig->vertexCount() < kMost) playSkin<SkinRig, SkinPose>(*rig, bones);
        return rig.error();
    };
    switch (kind) {
        case RigKind::lbs:
            return skin(LbsRig::view(bytes), static_cast<LbsPose*>(nullptr));
        case RigKind::dqs:
            return skin(DqsRig::view(bytes), static_cast<DqsPose*>(nullptr));
        case RigKind::ddm:
            return skin(DdmRig::view(bytes), static_cast<DdmPose*>(nullptr));
        case RigKind::morphs: {
            const auto rig = MorphRig::view(bytes);
            if (rig) playMorphs(*rig);
            return rig.error();
        }
        case RigKind::skeleton:
            break;
    }
    const auto rig = SkeletonRig::view(bytes);
    if (rig) playSkeleton(*rig);
    return rig.error();
}

}  // namespace pelt::runtime
