#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>
#include <pelt/core/skin_weights.h>
#include <pelt/core/tet_mesh.h>
#include <pelt/fit/rigid_bind.h>
#include <pelt/rig/skeleton.h>

#include <span>

namespace pelt::fit {

/// Dense weights of handles: that of handle h at vertex v is values[v * handles + h]. None is negative, each vertex's
/// sum is 1.
struct HandleWeights {
    std::size_t handles = 0;
    std::vector<double> values;
    bool converged = true;  ///< false: close to the smoothest weights, bounds and sums held all the same

    std::size_t vertexCount() const { return handles == 0 ? 0 : values.size() / handles; }
    std::span<const double> of(std::size_t vertex) const { return {values.data() + vertex * handles, handles}; }
};

/// Bounded biharmonic weights [Jacobson11] on a volume: the smoothest that are not negative and have sum 1, found for
/// all handles together. `handles` has the vertices of each, whose own weight is 1 and all others 0 there; a vertex of
/// several handles is shared by them. A piece of the volume without any handle follows the nearest one. The same bytes
/// on any number of threads. Throws Error: bad input for no handle, a handle without vertices or with one that is not
/// there, tets beyond the vertices, positions that are not finite; cancelled where `progress` asks for it.
HandleWeights boundedBiharmonic(const TetMesh& volume, std::span<const std::vector<std::uint32_t>> handles,
                                const Progress& progress = {});

/// The same on a surface. Vertices of equal position are one within a body (MeshPart::body).
HandleWeights boundedBiharmonic(const Mesh& surface, std::span<const std::vector<std::uint32_t>> handles,
                                const Progress& progress = {});

/// Something to hold a shape by, in rest space: any of points, stretches of bone and vertices of the mesh.
struct BiharmonicHandle {
    struct Segment {
        Vec3d start, end;
    };
    std::vector<Vec3d> points;          ///< each holds the mesh's vertex nearest to it
    std::vector<Segment> segments;      ///< hold what lies along them inside the shape
    std::vector<std::uint32_t> region;  ///< vertices of the mesh
};

enum class BiharmonicDomain { automatic, volume, surface };

struct BiharmonicOptions {
    /// automatic: the volume, unless the mesh is flat.
    BiharmonicDomain domain = BiharmonicDomain::automatic;
    const TetMesh* tets = nullptr;    ///< the volume to use; null: a lattice of tets around the mesh
    std::size_t target_tets = 50000;  ///< of that lattice
    BindOptions bind = {};            ///< for bindBiharmonic: which joints may carry skin
};

struct BiharmonicWeights {
    HandleWeights weights;                               ///< per vertex of the mesh
    BiharmonicDomain domain = BiharmonicDomain::volume;  ///< what they were solved on
    std::size_t domain_vertices = 0, domain_tets = 0;
};

/// Weights of handles for the vertices of a mesh. On a volume they are interpolated from its points; points and regions
/// have weight 1 there exactly, segments at the points of the volume nearest to them. On a surface a
/// segment holds the vertices nearest to it. Throws as boundedBiharmonic does, and (bad input) for a handle that holds
/// nothing.
BiharmonicWeights biharmonicWeights(const Mesh& mesh, std::span<const BiharmonicHandle> handles,
                                    const BiharmonicOptions& options = {}, const Progress& progress = {});

struct BiharmonicBind {
    SkinWeights weights;
    BiharmonicDomain domain = BiharmonicDomain::volume;
    std::size_t domain_vertices = 0, domain_tets = 0;
    std::size_t bones = 0;  ///< joints that carry skin
    bool converged = true;  ///< as HandleWeights
};

/// Weights for a skeleton: the handles are the joints' bones, as bindNearestBone draws them. Pieces of the mesh that it
/// binds as a whole are no part of the volume and go to their one joint here too. `influences`: at most so many joints
/// a vertex, the heaviest, rescaled to sum 1; 0: all.
BiharmonicBind bindBiharmonic(const Mesh& mesh, const Skeleton& skeleton, std::size_t influences = 0,
                              const BiharmonicOptions& options = {}, const Progress& progress = {});

}  // namespace pelt::fit
