#pragma once

#include <pelt/core/mesh_sequence.h>
#include <pelt/core/progress.h>
#include <pelt/geometry/weld.h>

#include <functional>
#include <span>
#include <vector>

namespace pelt::fit::ssdr {

/// Vertices processed between two checks for cancellation.
constexpr std::size_t kVerticesAtOnce = 16384;

/// All frames of a sequence, vertex by vertex, in the space of the solver: the rest pose in the unit sphere about the
/// origin, every frame translated so that the mean of its vertices is the origin too.
struct Trajectories {
    std::size_t vertices = 0, frames = 0;
    std::vector<float> values;    ///< vertex i owns the 3 frames numbers from i * dimensions()
    std::vector<double> squared;  ///< their squared length
    std::vector<Vec3d> rest;
    std::vector<double> mass;  ///< number of vertices of the sequence that each one represents; empty: one each
    std::vector<Vec3d> frame_center;
    Vec3d rest_center;
    double radius = 1;

    std::size_t dimensions() const { return 3 * frames; }
    const float* of(std::size_t vertex) const { return values.data() + vertex * dimensions(); }
    double massOf(std::size_t vertex) const { return mass.empty() ? 1.0 : mass[vertex]; }
    /// E_RMS of a sum of squared distances in this space, [LeDeng12] §4.
    double eRms(double squared_error) const;
};

/// Reads every frame once. Throws Error (bad input) for a sequence without frames or vertices, of another size than
/// `rest`, or with a number that is not finite.
Trajectories readTrajectories(MeshSequence& frames, std::span<const Vec3f> rest, const Progress& progress);

/// Merges vertices that have the same position at rest and in every frame, such as copies at seams of texture
/// coordinates, if `alike` (called with two vertices) allows it. Returns the mapping.
geometry::Weld weldTrajectories(Trajectories& data, const std::function<bool(std::uint32_t, std::uint32_t)>& alike);

/// The `count` vertices nearest to vertex `center` at rest, itself first; fewer if there are fewer.
std::vector<std::uint32_t> nearestAtRest(const Trajectories& data, std::uint32_t center, std::size_t count);

}  // namespace pelt::fit::ssdr
