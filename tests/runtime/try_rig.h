#pragma once

#include <pelt/runtime/morphs.h>
#include <pelt/runtime/skeleton.h>
#include <pelt/runtime/skin.h>

#include <vector>

#include "guarded_bytes.h"

namespace pelt::runtime {

inline constexpr RigKind kKinds[] = {RigKind::lbs, RigKind::dqs, RigKind::ddm, RigKind::morphs, RigKind::skeleton};

struct Vertices {
    std::vector<Vec3f> positions, normals;
    friend bool operator==(const Vertices&, const Vertices&) = default;
};

/// Calls every function of a skin rig, with memory of exactly the required size.
template <class KindRig, class KindPose>
Vertices playSkin(const KindRig& rig, std::span<const Affine3f> bones) {
    const std::size_t n = rig.vertexCount();
    GuardedBytes memory(KindPose::bytes(rig));
    GuardedBytes positions(n * sizeof(Vec3f)), normals(n * sizeof(Vec3f));
    const auto vectors = [n](GuardedBytes& g) { return std::span(reinterpret_cast<Vec3f*>(g.bytes().data()), n); };
    KindPose pose(rig, memory.bytes());
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

inline constexpr std::size_t kMost = 1 << 20;  // a test has no memory for what a damaged file asks of an engine

/// Views the skin of a file, whatever it is, and calls its functions; otherwise returns the reason for refusal.
inline RigError trySkin(std::span<const std::byte> file, std::span<const Affine3f> bones) {
    const auto skin = SkinRig::view(file);
    if (skin && skin->jointCount() < kMost && skin->vertexCount() < kMost) playSkin<SkinRig, SkinPose>(*skin, bones);
    return skin.error();
}

/// Views the bytes as a rig of that kind and calls its functions; otherwise returns the reason for refusal.
inline RigError tryRig(RigKind kind, std::span<const std::byte> bytes, std::span<const Affine3f> bones) {
    const auto skin = [&]<class KindRig, class KindPose>(const Checked<KindRig>& rig, KindPose*) {
        if (rig && rig->jointCount() < kMost && rig->vertexCount() < kMost) playSkin<KindRig, KindPose>(*rig, bones);
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
