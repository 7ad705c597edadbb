#pragma once

#include <gtest/gtest.h>
#include <pelt/bind/bounded_biharmonic.h>
#include <pelt/geometry/tets.h>
#include <pelt/pose/arap.h>

#include <optional>

#include "pose_case.h"

/// Volumes that are held and posed, reduced and with all of their points free.
namespace pelt::pose {

/// What a volume is held by: balls of points that go somewhere, and single points that are free.
struct Hold {
    Vec3d center;
    double radius = 0;  ///< 0: the nearest point, free
    Affine3d map;
};

/// Energies over that which all points of the volume reach.
struct EnergyRatio {
    double reduced = 0;   ///< with the rig's clusters
    double pose = 0;      ///< of where its points are, with a rotation for every tet
    double distance = 0;  ///< the root of the mean squared distance of its points, over the diagonal
};

/// A scene's volume, held, with bounded biharmonic weights and the least energy of all its points.
struct HeldVolume {
    std::vector<Hold> holds;
    TetMesh volume;
    SkinWeights weights;
    std::vector<Constraint> given;
    ArapResult full;

    HeldVolume(const Mesh& mesh, std::size_t tets, std::vector<Hold> by);
    EnergyRatio ratio(std::size_t extra, std::optional<std::size_t> clusters, ExtraKind kind = ExtraKind::modes) const;
};

inline HeldVolume::HeldVolume(const Mesh& mesh, std::size_t tets, std::vector<Hold> by)
    : holds(std::move(by)), volume(geometry::embedInTets(mesh, {tets}).lattice) {
    const std::vector<Vec3d>& rest = volume.positions;
    std::vector<std::vector<std::uint32_t>> handles(holds.size());
    std::vector<FixedVertex> fixed;
    std::vector<std::uint32_t> names;
    for (std::uint32_t h = 0; h < holds.size(); ++h) {
        names.push_back(h);
        std::uint32_t nearest = 0;
        for (std::uint32_t v = 0; v < rest.size(); ++v) {
            const double distance = length(rest[v] - holds[h].center);
            if (distance < length(rest[nearest] - holds[h].center)) nearest = v;
            if (distance >= holds[h].radius) continue;
            handles[h].push_back(v);
            fixed.push_back({v, holds[h].map * rest[v]});
        }
        if (handles[h].empty())
            handles[h].push_back(nearest);
        else
            given.push_back(whole(h));
    }
    const bind::HandleWeights dense = bind::boundedBiharmonic(volume, handles);
    std::vector<Vec3d> start(rest.size());
    for (std::size_t v = 0; v < rest.size(); ++v) {
        const auto row = dense.of(v);
        appendVertex(weights, names, std::vector<float>(row.begin(), row.end()));
        for (std::size_t h = 0; h < holds.size(); ++h) start[v] += (holds[h].map * rest[v]) * row[h];
    }
    full = arap({rest, {}, volume.tets}, Energy::tets, fixed, start, 400);
}

inline EnergyRatio HeldVolume::ratio(std::size_t extra, std::optional<std::size_t> clusters, ExtraKind kind) const {
    const std::vector<Vec3d>& rest = volume.positions;
    const std::vector<Vec3f> points(rest.begin(), rest.end());
    const PoseRig rig =
        prepare({points, {}, &weights, holds.size(), {}, &volume, &weights}, {Energy::tets, clusters, extra, 0, kind});
    EXPECT_EQ(rig.extraCount(), extra);
    Solver<double> solver(constrain(rig, given));
    for (std::size_t i = 0; i < given.size(); ++i) solver.setTransform(i, holds[given[i].handle].map);
    solver.reset();
    const double reduced = solver.solve({300, 0}).energy;
    const ArapShape shape{rest, {}, volume.tets};
    const std::vector<Vec3d> posed = verticesOf(rig, solver, rest.size());
    double squared = 0;
    for (std::size_t v = 0; v < rest.size(); ++v)
        squared += dot(posed[v] - full.positions[v], posed[v] - full.positions[v]);
    return {reduced / full.energies.back(), arapEnergy(shape, Energy::tets, posed) / full.energies.back(),
            std::sqrt(squared / double(rest.size())) / geometry::boundingDiagonal(points)};
}

}  // namespace pelt::pose
