#pragma once

#include <pelt/deform/cor.h>
#include <pelt/deform/ddm.h>
#include <pelt/deform/dqs.h>
#include <pelt/deform/lbs.h>
#include <pelt/rig/clip.h>
#include <pelt/rig/pack.h>
#include <pelt/scenes/scenes.h>

#include "rig/virtual_joint.h"
#include "try_rig.h"

namespace pelt::runtime {

/// A small character in a pose, and a rig of every kind of it.
struct RigCase {
    Character character;
    std::vector<Affine3f> bones;
    std::vector<AlignedBytes> rigs;  ///< by RigKind, from lbs on

    explicit RigCase(std::size_t resolution = 300) : character(scenes::find("bar3")->make(resolution)) {
        character.weights = scenes::smoothWeights(character);
        rig::DrivenJointChoice choice;
        character.driven = rig::addDrivenJoints(character.skeleton, choice);
        addSomeVirtualJoint(character.skeleton, {1, 0, 2}, character.driven);
        addSomeVirtualJoint(character.skeleton, {2, 1}, character.driven);
        addMorphTargets();
        const Clip& clip = character.clips.front();
        for (const Affine3d& b : rig::drivenSkinMatrices(character.skeleton, character.driven, &clip, 1.0))
            bones.emplace_back(b);
        const Mesh& mesh = character.mesh;
        keep(deform::prepareLbs(mesh, character.weights).bytes());
        keep(deform::prepareDqs(mesh, character.weights, rig::jointRestPositions(character.skeleton)).bytes());
        keep(deform::packDdm(mesh, deform::corRows(mesh, character.weights), DdmForm::v4).bytes());
        rigs.push_back(rig::packMorphs(mesh));
        rigs.push_back(rig::packSkeleton(character.skeleton, character.driven));
    }

    std::span<const std::byte> of(RigKind kind) const { return rigs[std::size_t(kind) - 1]; }

private:
    void keep(std::span<const std::byte> bytes) {
        rigs.emplace_back(bytes.size());
        std::memcpy(rigs.back().data(), bytes.data(), bytes.size());
    }
    void addMorphTargets() {
        Mesh& mesh = character.mesh;
        for (const std::uint32_t step : {3u, 7u}) {
            MorphTarget target{step == 3 ? "wide" : "tall", 0, 0.25f, {}, {}, {}};
            for (std::uint32_t v = 0; v < mesh.vertexCount(); v += step) {
                target.vertices.push_back(v);
                target.position_offsets.push_back({0.1f, 0.01f * float(v % 5), -0.02f});
                if (step == 3) target.normal_offsets.push_back({0.2f, 0.1f, 0});
            }
            mesh.morphs.push_back(std::move(target));
        }
    }
};

}  // namespace pelt::runtime
