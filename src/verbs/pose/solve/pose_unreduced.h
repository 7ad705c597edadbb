#pragma once

#include <pelt/geometry/tets.h>
#include <pelt/geometry/weld.h>

#include "pose_job.h"

namespace pelt::verbs {

/// As-rigid-as-possible deformation of the welded mesh, or of the lattice of tets around it, starting from a pose; what
/// handles hold stays in the position of that pose.
class Unreduced {
public:
    explicit Unreduced(const PoseJob& job, const Progress& progress = {});
    void apply(std::span<Vec3f> posed, std::vector<double>& energies, const Progress& progress) const;

private:
    /// Vertices of the mesh that move as one: those of a handle, or one alone.
    using HeldTogether = std::vector<std::vector<std::uint32_t>>;

    HeldTogether findHeld() const;
    void applyToSurface(std::span<Vec3f> posed, std::vector<double>& energies, const Progress& progress) const;
    void applyToVolume(std::span<Vec3f> posed, std::vector<double>& energies, const Progress& progress) const;
    std::vector<Vec3d> latticeAt(std::span<const Vec3f> posed) const;

    const PoseJob& job_;
    geometry::Weld weld_;
    std::vector<Triangle> triangles_;
    geometry::TetEmbedding volume_;  ///< of the energy of tets
    std::vector<Vec3d> rest_;
    HeldTogether held_;
};

}  // namespace pelt::verbs
