// The branch: a Y of five joints.
#include "branch.h"

#include <algorithm>
#include <numbers>

#include "biped/biped_field.h"
#include "implicit/implicit_mesh.h"
#include "rigging.h"

namespace pelt::scenes {
namespace {

enum : std::uint32_t { kTrunk, kLeft, kLeftTip, kRight, kRightTip };

constexpr JointPlace kBranchJoints[] = {{"trunk", -1, {0, 0, 0}},
                                        {"left", kTrunk, {0.035, 0.47, 0}},
                                        {"left_tip", kLeft, {0.17, 0.66, 0}},
                                        {"right", kTrunk, {-0.035, 0.47, 0}},
                                        {"right_tip", kRight, {-0.17, 0.66, 0}}};

Mesh branchMesh(std::size_t resolution, const Progress& progress) {
    const RoundCone trunk({0, 0.075, 0}, {0, 0.46, 0}, 0.085, 0.064);
    const RoundCone right({0, 0.46, 0}, {0.275, 0.82, 0}, 0.058, 0.045);
    ImplicitSurface surface;
    surface.value = [&](const Vec3d& p) {
        const Vec3d mirrored{-p.x, p.y, p.z};
        return smoothMin(smoothMin(right.distance(p), right.distance(mirrored), 0.05), trunk.distance(p), 0.06);
    };
    surface.edge_length = [](const Vec3d&, double scale) { return scale; };
    surface.low = {-0.36, -0.04, -0.13};
    surface.high = {0.36, 0.91, 0.13};
    surface.cell = 0.02;
    surface.symmetric = true;
    return toMesh(meshImplicitSurface(surface, std::clamp<std::size_t>(resolution, 500, 1'000'000), progress));
}

/// Sways as in a wind: the tips follow the arms, the arms follow the trunk.
Clip sway() {
    const auto wave = [](double degrees, double delay) {
        return [degrees, delay](double t) {
            const double turn = std::numbers::pi * t;  // once in two seconds
            const double angle = degrees * (std::sin(turn - delay) + std::sin(delay)) * kDegree;
            const double lean = 0.4 * degrees * (1 - std::cos(turn)) * kDegree;
            return axisAngle(Vec3d{0, 0, 1}, angle) * axisAngle(Vec3d{1, 0, 0}, lean);
        };
    };
    const JointMotion motions[] = {{kTrunk, wave(8, 0)},
                                   {kLeft, wave(22, 0.5)},
                                   {kLeftTip, wave(32, 1.0)},
                                   {kRight, wave(22, 0.5)},
                                   {kRightTip, wave(32, 1.0)}};
    return makeClip("sway", 4, motions);
}

Clip branchLimits() {
    std::vector<JointLimit> all;
    for (std::uint32_t j = 0; j < std::size(kBranchJoints); ++j) {
        const bool tip = j == kLeftTip || j == kRightTip;
        const Vec3d along = j == kTrunk ? Vec3d{0, 1, 0}
                            : j == kLeft || j == kLeftTip
                                ? normalized(kBranchJoints[kLeftTip].position - kBranchJoints[kLeft].position)
                                : normalized(kBranchJoints[kRightTip].position - kBranchJoints[kRight].position);
        const double bend = j == kTrunk ? 45 : tip ? 110 : 60;
        all.push_back({j, {0, 0, 1}, -bend, bend});
        all.push_back({j, {1, 0, 0}, -bend, bend});
        all.push_back({j, along, -120, 120});
    }
    return rangeOfMotion(all);
}

}  // namespace

Character makeBranch(std::size_t resolution, const Progress& progress) {
    return makeCharacter("branch", branchMesh(resolution, progress), makeSkeleton(kBranchJoints),
                         {sway(), branchLimits()});
}

}  // namespace pelt::scenes
