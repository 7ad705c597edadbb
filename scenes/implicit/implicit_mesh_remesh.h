#pragma once

#include "implicit_mesh.h"
#include "implicit_mesh_topology.h"

namespace pelt::scenes {

/// Edits a mesh near an implicit surface until its edges have the target lengths; see implicit_mesh.cpp.
class Remesher {
public:
    Remesher(const ImplicitSurface& surface, EditMesh mesh);

    const EditMesh& mesh() const { return mesh_; }

    /// Splits, collapses, flips, relaxes and projects once; creates no edges shorter than `shortest`.
    void round(double scale, double shortest = 0);
    /// The smallest target edge length.
    double smallestSize(double scale);
    /// Flips edges to increase the smallest angles, and relaxes; the number of vertices does not change.
    void improve();
    /// Moves, flips and collapses around the worst triangles. Returns the smallest angle in degrees.
    double improveWorst();

private:
    void measureSizes(double scale, double shortest);
    void splitLong();
    void collapseShort();
    void flipForValence();
    void flipForAngle();
    void relax();
    Vec3d relaxed(std::uint32_t v, std::vector<std::uint32_t>& ring) const;
    /// The nearby point of the surface (for boundary vertices, of its intersection with the mirror plane); `p` itself
    /// if that is farther than `limit`.
    Vec3d projected(const Vec3d& p, bool on_plane, double limit) const;
    /// The same with steps along a normal that is close to the gradient: needs fewer evaluations of the field.
    Vec3d projectedAlong(const Vec3d& p, const Vec3d& normal, double limit) const;
    double wanted(std::uint32_t h) const { return 0.5 * (size_[mesh_.from[h]] + size_[mesh_.to(h)]); }
    double relativeLength(std::uint32_t h) const;
    bool isLongest(std::uint32_t h) const;
    bool collapseIsFair(std::uint32_t h) const;
    bool flipIsAllowed(std::uint32_t h) const;
    double worstAngleAround(std::uint32_t v, const Vec3d& at) const;
    bool moveForAngle(std::uint32_t v);

    const ImplicitSurface& surface_;
    EditMesh mesh_;
    std::vector<double> size_;
    mutable std::vector<std::uint32_t> ring_;
};

}  // namespace pelt::scenes
