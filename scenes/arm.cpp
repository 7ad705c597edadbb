// The muscular arm: its shape, its skin and the bulging examples.
#include "arm.h"

#include <algorithm>

#include "biped/biped_field.h"
#include "implicit/implicit_mesh.h"
#include "rigging.h"

namespace pelt::scenes {
namespace {

constexpr JointPlace kArmJoints[] = {
    {"shoulder", -1, {0, 0, 0}}, {"elbow", kShoulder, {kElbowX, 0, 0}}, {"wrist", kElbow, {kWristX, 0, 0}}};

/// Stations along x: center in z and y, half width in z, depth down (triceps, back of the hand) and up (biceps, palm).
std::vector<Station> limb() {
    return {{-0.020, 0, 0.004, 0.066, 0.060, 0.064},    {0.035, 0, 0.006, 0.069, 0.060, 0.066},
            {0.095, 0, 0.002, 0.056, 0.055, 0.054},     {0.160, 0, 0.002, 0.050, 0.054, 0.057},
            {0.220, 0, 0.000, 0.046, 0.046, 0.053},     {0.270, 0, 0.000, 0.044, 0.038, 0.041},
            {0.305, 0, 0.000, 0.046, 0.036, 0.037},     {0.350, 0.004, 0.000, 0.052, 0.039, 0.042},
            {0.400, 0.004, 0.000, 0.048, 0.037, 0.039}, {0.470, 0.001, 0, 0.036, 0.029, 0.030},
            {0.535, 0, 0, 0.0290, 0.0205, 0.0215},      {0.570, 0, 0, 0.0330, 0.0190, 0.0195}};
}

/// The mitten without its thumb.
std::vector<Station> hand() {
    return {{0.560, 0, 0, 0.030, 0.018, 0.018},
            {0.600, 0.001, 0, 0.041, 0.0180, 0.0195},
            {0.645, 0, 0, 0.0450, 0.0165, 0.0165},
            {0.695, -0.002, 0.002, 0.0425, 0.0135, 0.0135}};
}

struct ArmSolid {
    Loft::Frame frame{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
    Loft limb_loft{frame, limb(), 0.0, 0.062, 0.02};
    Loft hand_loft{frame, hand(), 0.1, 0.015, 0.050};
    RoundCone thumb_base{{0.578, 0.004, 0.020}, {0.614, 0.006, 0.063}, 0.0190, 0.0150};
    RoundCone thumb_tip{{0.614, 0.006, 0.063}, {0.654, 0.008, 0.088}, 0.0150, 0.0125};
    RoundCone olecranon{{0.285, -0.020, 0}, {0.306, -0.024, 0}, 0.014, 0.017};

    double value(const Vec3d& p) const {
        double d = smoothMin(limb_loft.distance(p), hand_loft.distance(p), 0.03);
        d = smoothMin(d, olecranon.distance(p), 0.03);
        const double thumb = smoothMin(thumb_base.distance(p), thumb_tip.distance(p), 0.01);
        return smoothMin(d, thumb, 0.024);
    }
};

Mesh armMesh(std::size_t resolution, const Progress& progress) {
    const ArmSolid solid;
    ImplicitSurface surface;
    surface.value = [&](const Vec3d& p) { return solid.value(p); };
    surface.edge_length = [](const Vec3d& p, double scale) {
        return scale * (1 - 0.35 * smoothStep(0.46, 0.58, p.x));  // the hand has the finer shapes
    };
    surface.low = {-0.12, -0.10, -0.10};
    surface.high = {0.79, 0.11, 0.13};
    surface.cell = 0.011;
    surface.slope = 2;
    return toMesh(meshImplicitSurface(surface, std::clamp<std::size_t>(resolution, 1000, 1'000'000), progress));
}

/// The elbow bends twice; the wrist twists both ways, also while the elbow is bent.
Clip flex() {
    const JointMotion motions[] = {{kElbow,
                                    [](double t) {
                                        const double angle = 130 * swell(0, 3, t) + 95 * swell(3.5, 6, t);
                                        return axisAngle(Vec3d{0, 0, 1}, angle * kDegree);
                                    }},
                                   {kWrist, [](double t) {
                                        const double angle = -80 * swell(0.8, 2.2, t) + 75 * swell(3, 5, t);
                                        return axisAngle(Vec3d{1, 0, 0}, angle * kDegree);
                                    }}};
    return makeClip("flex", 6, motions);
}

Clip armLimits() {
    const JointLimit all[] = {{kShoulder, {0, 0, 1}, -80, 80}, {kShoulder, {0, 1, 0}, -80, 80},
                              {kShoulder, {1, 0, 0}, -90, 90}, {kElbow, {0, 0, 1}, 0, 145},
                              {kElbow, {1, 0, 0}, -80, 80},    {kWrist, {0, 0, 1}, -70, 80},
                              {kWrist, {0, 1, 0}, -25, 30},    {kWrist, {1, 0, 0}, -90, 90}};
    return rangeOfMotion(all);
}

}  // namespace

Character makeArm(std::size_t resolution, const Progress& progress) {
    return makeCharacter("arm", armMesh(resolution, progress), makeSkeleton(kArmJoints), {flex(), armLimits()});
}

}  // namespace pelt::scenes
