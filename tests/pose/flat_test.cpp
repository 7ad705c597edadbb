// Flat figures that are posed in their plane.
#include <gtest/gtest.h>

#include "pose_case.h"

namespace pelt::pose {
namespace {

/// A sheet of area 0.4 in an oblique plane.
struct ObliqueSheet {
    Character sheet = flatSheet(8);
    Affine3d place = turnAbout({}, {1, 2, -0.5}, 50, {0.3, -2, 1});
    Vec3d normal = place.linear().col[2];

    ObliqueSheet() {
        for (Vec3f& p : sheet.mesh.positions) p = Vec3f(place * Vec3d(p));
    }
    /// A map of the plane, given as one of the plane z = 0.
    Affine3d inPlane(const Affine3d& map) const { return place * map * inverse(place); }
};

constexpr double kSheetArea = 0.4;

template <class T>
double energyWith(const PoseRig& rig, const Affine3d& both, const Vec3d* plane) {
    const Constraint given[] = {whole(0), whole(1)};
    Solver<T> solver(constrain(rig, given));
    solver.setPlane(plane);
    solver.setTransform(0, both);
    solver.setTransform(1, both);
    solver.reset();
    return solver.solve({40, 0}).energy;
}

template <class T>
void expectCosts(double rounding) {
    const ObliqueSheet s;
    const Affine3d mirrored(Mat3d{{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0.2, 0, 0});
    for (const Energy energy : kSurfaceEnergies) {
        const PoseRig rig = prepare(shapeOf(s.sheet), {energy, 0, 0, 0});
        const Affine3d turned = s.inPlane(turnAbout({0.2, 0.1, 0}, {0, 0, 1}, 130, {0.5, 0.1, 0}));
        EXPECT_NEAR(energyWith<T>(rig, turned, &s.normal), 0, rounding);
        EXPECT_NEAR(energyWith<T>(rig, s.inPlane(mirrored), nullptr), 0, rounding) << "it turns over in space";
        const double cost = energyWith<T>(rig, s.inPlane(mirrored), &s.normal);
        EXPECT_GT(cost, 1.4 * kSheetArea);
        // In a triangle, the sum of c e e^T is its area times the identity of the plane, so that no rotation is better
        // than another and both terms of the energy remain.
        if (energy == Energy::triangles) {
            EXPECT_NEAR(cost, 2 * kSheetArea, 1e-5);
        }
    }
}

TEST(FlatFigure, OnlyRigidMotionsOfItsPlaneCostNothing) {
    expectCosts<double>(1e-10);
    expectCosts<float>(1e-6);
}

TEST(FlatFigure, StaysInItsPlaneAndItsEnergyNeverRises) {
    const ObliqueSheet s;
    const PoseRig rig = prepare(shapeOf(s.sheet), {Energy::spokes_and_rims, 12, 5, 0});
    const Constraint given[] = {whole(0), at(1, s.place * Vec3d(1, 0.2, 0))};
    Solver<double> solver(constrain(rig, given));
    solver.setPlane(&s.normal);
    solver.setTarget(1, s.place * Vec3d(-0.6, 0.5, 0));  // beyond the other end
    solver.reset();
    std::vector<double> energies(60);
    solver.solve({60, 0, energies});
    for (std::size_t i = 1; i < energies.size(); ++i) EXPECT_LE(energies[i], energies[i - 1] * (1 + 1e-12)) << i;
    EXPECT_GT(energies.back(), 1e-3);
    for (const Vec3d& p : verticesOf(rig, solver, s.sheet.mesh.vertexCount()))
        EXPECT_NEAR(dot(s.normal, p - s.place.translation()), 0, 1e-6);
}

}  // namespace
}  // namespace pelt::pose
