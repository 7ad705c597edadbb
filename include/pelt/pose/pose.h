#pragma once

#include <pelt/core/affine.h>
#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>
#include <pelt/core/skin_weights.h>
#include <pelt/core/tet_mesh.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

/// Posing from a few handles, Fast Automatic Skinning Transformations [Jacobson12]: some transforms of a skin are
/// given, the others follow by minimising an as-rigid-as-possible energy. In the order of cost: prepare (a shape and
/// its weights, once), constrain (which handles are given, milliseconds), Solver::solve (where they are, microseconds).
namespace pelt::pose {

enum class Energy {
    triangles,        ///< a rotation for each triangle
    tets,             ///< for each tet of a volume that holds the shape
    spokes,           ///< for the edges that meet in a vertex
    spokes_and_rims,  ///< those and the edges opposite to it
};

/// What is posed; everything must outlive `prepare` alone. The joints of `weights` are the handles.
struct Shape {
    std::span<const Vec3f> positions;  ///< rest space; a flat shape is fine
    std::span<const Triangle> triangles;
    const SkinWeights* weights = nullptr;        ///< one row a vertex
    std::size_t handles = 0;                     ///< more than any joint that the weights name
    std::span<const std::uint32_t> bodies = {};  ///< per vertex; those of different ones never weld. Empty: all one

    // For Energy::tets only: the volume, and weights of its vertices for the same handles.
    const TetMesh* volume = nullptr;
    const SkinWeights* volume_weights = nullptr;
};

/// What extra weights are made of.
enum class ExtraKind {
    modes,  ///< the smoothest functions on the shape
    bumps,  ///< B-splines in weight space about its farthest points [Jacobson12]; they gain less
};

struct RigOptions {
    Energy energy = Energy::spokes_and_rims;
    std::optional<std::size_t> clusters{};  ///< rotations; not set: by the number of handles; 0: one for each edge set
    std::size_t extra_weights = 0;          ///< functions that let the skin do what its handles cannot; fewer where the
                                            ///< weights leave no room for more
    float weld = 0;                         ///< vertices no farther apart are one
    ExtraKind extra_kind = ExtraKind::modes;
};

/// What posing a shape needs, whatever is given. Immutable and cheap to copy.
struct PoseRig {
    struct Data;
    std::shared_ptr<const Data> data;

    std::size_t handleCount() const;
    std::size_t extraCount() const;    ///< extra weights that were made
    std::size_t clusterCount() const;  ///< rotations
};

/// Throws Error: bad input where sizes differ, a vertex has no weight, a position is not finite, a triangle names a
/// missing vertex or the shape has no extent; bad usage for Energy::tets without a volume; cancelled by `progress`.
PoseRig prepare(const Shape& shape, const RigOptions& options = {}, const Progress& progress = {});

/// A rig as bytes that this program on this kind of machine can read again: for a cache, not to exchange.
std::vector<std::byte> toBytes(const PoseRig& rig);

/// nullopt where the bytes are not as long as they should be; that they are the same bytes is the caller's to check.
std::optional<PoseRig> rigFromBytes(std::span<const std::byte> bytes);

/// Weights of the points of a volume for the handles of the surface that it holds: the smoothest that agree with those
/// on the surface, never negative, with sum 1. `tet` and `barycentric` say where in `volume` each vertex lies.
SkinWeights extendWeights(const TetMesh& volume, std::span<const std::uint32_t> tet,
                          std::span<const std::array<double, 4>> barycentric, const SkinWeights& surface,
                          std::size_t handles);

enum class ConstraintKind {
    transform,  ///< the whole transform of a handle
    turn,       ///< the linear part of its transform; its place is free
    position,   ///< where a handle takes a point of rest space
    vertices,   ///< where the mean of some vertices goes
};

struct Constraint {
    ConstraintKind kind = ConstraintKind::transform;
    std::uint32_t handle = 0;             ///< of all but vertices
    Vec3d point;                          ///< of position
    std::vector<std::uint32_t> vertices;  ///< of vertices
};

/// A rig with a choice of what is given. Immutable and cheap to copy; any number of solvers share it.
struct PoseSystem {
    struct Data;
    std::shared_ptr<const Data> data;
};

/// Handles that no constraint names are free; extra weights always are. Where every handle is given whole and there are
/// no extra weights, the result is linear blend skinning. What neither constraints nor energy decide stays as near to
/// the rest pose as can be. Throws Error (bad input) for a handle or vertex that is not there, a handle given twice, or
/// no vertices.
PoseSystem constrain(const PoseRig& rig, std::span<const Constraint> constraints);

struct SolveOptions {
    int iterations = 30;
    double tolerance = 1e-12;      ///< stops where a step changes less than this share of the shape's energy scale
    std::span<double> energies{};  ///< gets the energy after each iteration, as far as it is long
};

struct SolveResult {
    int iterations = 0;
    bool converged = false;
    double energy = 0;  ///< with the ½ of [Jacobson12], in the units of the positions
};

/// One character's pose. Made once, then set and solved for every frame, warm: nothing below allocates or fails.
/// T is float, vectorised, for speed, or double, to the last digit.
template <class T>
class Solver {
public:
    /// At rest, every constraint where it is at rest.
    explicit Solver(const PoseSystem& system);
    ~Solver();
    Solver(Solver&&) noexcept;
    Solver& operator=(Solver&&) noexcept;

    /// Constraints by their place in what `constrain` was given. A turn takes the linear part alone.
    void setTransform(std::size_t constraint, const Affine3d& rest_to_posed) noexcept;
    void setTarget(std::size_t constraint, const Vec3d& target) noexcept;
    /// How far, in the units of the positions, constraints that contradict each other are from being met together.
    double conflict() const noexcept;

    /// Forgets the last pose: starts from the rigid motion that fits what is given best, or from rest if that is
    /// better.
    void reset() noexcept;
    /// Goes on from the pose of another solver of the same rig, whatever is constrained there.
    void startFrom(const Solver& other) noexcept;
    /// Energy never rises within a call.
    SolveResult solve(const SolveOptions& options = {}) noexcept;

    /// From rest space to posed space, the handles, then the extra weights (whose transforms add to the handles'
    /// blend).
    void transforms(std::span<Affine3<T>> out) const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

extern template class Solver<float>;
extern template class Solver<double>;

/// Linear blend skinning with all weights of the rig: x' = Σ w_j T_j x over handles and extra weights, for the vertices
/// [first, first + count) of the shape. `transforms` are a solver's, `out` has one entry a vertex of the shape.
void evaluate(const PoseRig& rig, std::span<const Affine3f> transforms, std::size_t first, std::size_t count,
              std::span<Vec3f> out) noexcept;

/// The same for all vertices, in double precision.
void evaluate(const PoseRig& rig, std::span<const Affine3d> transforms, std::span<Vec3d> out);

}  // namespace pelt::pose
