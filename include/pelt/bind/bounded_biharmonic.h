#pragma once

#include <pelt/bind/rigid_bind.h>
#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>
#include <pelt/core/skin_weights.h>
#include <pelt/core/tet_mesh.h>
#include <pelt/rig/skeleton.h>

#include <span>

namespace pelt::bind {

/// Dense weights of handles: that of handle h at vertex v is values[v * handles + h]. Not negative, and the sum at each
/// vertex is 1.
struct HandleWeights {
    std::size_t handles = 0;
    std::vector<double> values;
    bool converged = true;  ///< false: only close to the smoothest weights; bounds and sums hold anyway

    std::size_t vertexCount() const { return handles == 0 ? 0 : values.size() / handles; }
    std::span<const double> of(std::size_t vertex) const { return {values.data() + vertex * handles, handles}; }
};

/// Bounded biharmonic weights [Jacobson11] on a volume: the smoothest that are not negative and have sum 1, found for
/// all handles together. `handles` has the vertices of each, where its weight is 1 and all others are 0; several
/// handles share a vertex equally. A piece of the volume without any handle follows the nearest one. The result has the
/// same bytes on any number of threads. Throws Error: bad input for no handle, a handle without vertices or with a
/// missing one, tets with missing vertices, positions that are not finite; cancelled if `progress` requests it.
HandleWeights boundedBiharmonic(const TetMesh& volume, std::span<const std::vector<std::uint32_t>> handles,
                                const Progress& progress = {});

/// The same on a surface. Vertices of equal position are one within a body (MeshPart::body).
HandleWeights boundedBiharmonic(const Mesh& surface, std::span<const std::vector<std::uint32_t>> handles,
                                const Progress& progress = {});

/// A handle in rest space: any combination of points, bone segments and vertices of the mesh.
struct BiharmonicHandle {
    struct Segment {
        Vec3d start, end;
    };
    std::vector<Vec3d> points;          ///< each holds the mesh's vertex nearest to it
    std::vector<Segment> segments;      ///< hold the points along them inside the shape
    std::vector<std::uint32_t> region;  ///< vertices of the mesh
};

enum class BiharmonicDomain { automatic, volume, surface };

struct BiharmonicOptions {
    /// automatic: the volume, unless the mesh is flat.
    BiharmonicDomain domain = BiharmonicDomain::automatic;
    const TetMesh* tets = nullptr;    ///< the volume to use; null: a lattice of tets around the mesh
    std::size_t target_tets = 20000;  ///< of that lattice
    BindOptions bind = {};            ///< for bindBiharmonic: which joints may carry skin
};

struct BiharmonicWeights {
    HandleWeights weights;                               ///< per vertex of the mesh
    BiharmonicDomain domain = BiharmonicDomain::volume;  ///< the domain they were solved on
    std::size_t domain_vertices = 0, domain_tets = 0;
};

/// Weights of handles for the vertices of a mesh. On a volume they are interpolated from its vertices. Points and
/// regions have weight exactly 1 at their vertices, segments at the nearest vertices of the volume. On a surface, a
/// segment holds the vertices nearest to it. Throws as boundedBiharmonic does, and Error (bad input) for a handle that
/// holds nothing.
BiharmonicWeights biharmonicWeights(const Mesh& mesh, std::span<const BiharmonicHandle> handles,
                                    const BiharmonicOptions& options = {}, const Progress& progress = {});

struct BiharmonicBind {
    SkinWeights weights;
    BiharmonicDomain domain = BiharmonicDomain::volume;
    std::size_t domain_vertices = 0, domain_tets = 0;
    std::size_t bones = 0;  ///< joints that carry skin
    bool converged = true;  ///< as HandleWeights
};

/// Weights for a skeleton: the handles are the bones of the joints, as in bindNearestBone. Pieces of the mesh that
/// bindNearestBone binds as a whole are not part of the volume, and are bound to one joint here too. `influences`:
/// maximal number of joints per vertex (the heaviest are kept and rescaled to sum 1); 0: all.
BiharmonicBind bindBiharmonic(const Mesh& mesh, const Skeleton& skeleton, std::size_t influences = 0,
                              const BiharmonicOptions& options = {}, const Progress& progress = {});

}  // namespace pelt::bind
