// The full minimum of a volume beside the pose on few handles.
#include <gtest/gtest.h>
#include <pelt/core/error.h>
#include <pelt/scenes/scenes.h>
#include <pelt/verbs/pose.h>

#include <cmath>

namespace pelt::verbs {
namespace {

/// A bar without joints, whose ends are regions.
struct Bar {
    Character character;
    std::vector<PoseHandle> handles{2};

    Bar() {
        character.mesh = scenes::find("bar")->make(600).mesh;
        float low = 1e30f, high = -1e30f;
        for (const Vec3f& p : character.mesh.positions) low = std::min(low, p.y), high = std::max(high, p.y);
        for (std::uint32_t v = 0; v < character.mesh.vertexCount(); ++v) {
            const float up = (character.mesh.positions[v].y - low) / (high - low);
            if (up < 0.15f) handles[0].region.push_back(v);
            if (up > 0.85f) handles[1].region.push_back(v);
        }
        for (PoseHandle& handle : handles) {
            handle.kind = PoseHandle::Kind::region;
            handle.given = PoseHandle::Given::full;
        }
    }

    double energy(bool unreduced) const {
        Character posed = character;  // it gets joints
        PoseRequest request;
        request.rig.energy = pose::Energy::tets;
        request.rig.clusters = 0;
        request.rig.extra_weights = 15;
        request.unreduced = unreduced;
        request.iterations = 80;
        PoseWanted wanted;
        wanted.sequence = [](std::span<const Vec3f>) {};
        return poseCharacter(posed, handles, request, wanted).energies.back();
    }
};

TEST(Unreduced, AllPointsOfAVolumeBendTheBarALittleEasierThanFifteenExtraWeightsDo) {
    Bar bar;
    const double angle = 0.5;
    const Mat3d turn{{{std::cos(angle), std::sin(angle), 0}, {-std::sin(angle), std::cos(angle), 0}, {0, 0, 1}}};
    bar.handles[1].transform = {turn, {0, 0, 0}};
    const double reduced = bar.energy(false), full = bar.energy(true);
    EXPECT_LT(full, reduced);
    EXPECT_GT(full, 0.8 * reduced);
}

TEST(Unreduced, AVolumeWhoseHandlesMoveAsOneCostsNothing) {
    Bar bar;
    for (PoseHandle& handle : bar.handles) handle.transform = {{}, {1, 2, 3}};
    EXPECT_LT(bar.energy(true), 1e-10);
}

}  // namespace
}  // namespace pelt::verbs
