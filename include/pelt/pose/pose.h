#pragma once

#include <pelt/core/affine.h>
#include <pelt/core/enum_words.h>
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
/// given, the others minimize an as-rigid-as-possible energy. There are three steps, from slow to fast: prepare (a
/// shape and its weights, once), constrain (which handles are given, milliseconds), Solver::solve (their values,
/// microseconds).
namespace pelt::pose {

enum class Energy {
    triangles,        ///< a rotation for each triangle
    tets,             ///< for each tet of a volume that holds the shape
    spokes,           ///< for the edges that meet in a vertex
    spokes_and_rims,  ///< those and the edges opposite to it
};

/// The shape to pose; the data is only used during `prepare`. The joints of `weights` are the handles.
struct Shape {
    std::span<const Vec3f> positions;  ///< rest space; a flat shape is fine
    std::span<const Triangle> triangles;
    const SkinWeights* weights = nullptr;        ///< one row per vertex
    std::size_t handles = 0;                     ///< more than any joint index in the weights
    std::span<const std::uint32_t> bodies = {};  ///< per vertex; different bodies are never welded. Empty: one body

    // For Energy::tets only: the volume, and weights of its vertices for the same handles.
    const TetMesh* volume = nullptr;
    const SkinWeights* volume_weights = nullptr;
};

/// The kind of extra weights.
enum class ExtraKind {
    modes,  ///< the smoothest functions on the shape
    bumps,  ///< B-splines in weight space about its farthest points [Jacobson12]; less effective
};

}  // namespace pelt::pose

template <>
inline constexpr std::string_view pelt::kEnumWords<pelt::pose::Energy>[] = {"triangles", "tets", "spokes",
                                                                            "spokes-and-rims"};
template <>
inline constexpr std::string_view pelt::kEnumWords<pelt::pose::ExtraKind>[] = {"modes", "bumps"};

namespace pelt::pose {

struct RigOptions {
    Energy energy = Energy::spokes_and_rims;
    std::optional<std::size_t>
        clusters{};                 ///< number of rotations; not set: from the number of handles; 0: one per edge set
    std::size_t extra_weights = 0;  ///< additional weight functions that let the skin bend between handles; fewer
                                    ///< if the weights leave no room for more
    float weld = 0;                 ///< vertices within this distance are treated as one
    ExtraKind extra_kind = ExtraKind::modes;
};

/// The precomputed data of a shape, for any choice of constraints. Immutable and cheap to copy.
struct PoseRig {
    struct Data;
    std::shared_ptr<const Data> data;

    std::size_t handleCount() const;
    std::size_t extraCount() const;    ///< number of extra weights
    std::size_t clusterCount() const;  ///< rotations
};

/// Throws Error: bad input if sizes differ, a vertex has no weight, a position is not finite, a triangle has a missing
/// vertex or the shape has no extent; bad usage for Energy::tets without a volume; cancelled by `progress`.
PoseRig prepare(const Shape& shape, const RigOptions& options = {}, const Progress& progress = {});

/// A rig as bytes for a cache; only the same program on the same kind of machine can read them.
std::vector<std::byte> toBytes(const PoseRig& rig);

/// nullopt if the bytes have the wrong length; the caller must check that they are unchanged.
std::optional<PoseRig> rigFromBytes(std::span<const std::byte> bytes);

/// Weights at the vertices of a volume for the handles of the surface in it: the smoothest that match the weights on
/// the surface, never negative, with sum 1. `tet` and `barycentric` are the position of each vertex in `volume`.
SkinWeights extendWeights(const TetMesh& volume, std::span<const std::uint32_t> tet,
                          std::span<const std::array<double, 4>> barycentric, const SkinWeights& surface,
                          std::size_t handles);

enum class ConstraintKind {
    transform,  ///< the whole transform of a handle
    turn,       ///< the linear part of its transform; its position is free
    position,   ///< the posed position of a rest-space point of a handle
    vertices,   ///< the posed mean of some vertices
};

struct Constraint {
    ConstraintKind kind = ConstraintKind::transform;
    std::uint32_t handle = 0;             ///< not for `vertices`
    Vec3d point;                          ///< for `position`
    std::vector<std::uint32_t> vertices;  ///< for `vertices`
};

/// A rig with a choice of constraints. Immutable and cheap to copy; any number of solvers can share it.
struct PoseSystem {
    struct Data;
    std::shared_ptr<const Data> data;
};

/// Handles without a constraint are free; extra weights always are. If the whole transform of every handle is given and
/// there are no extra weights, the result is linear blend skinning. What neither constraints nor energy determine stays
/// as near to the rest pose as possible. Throws Error (bad input) for a missing handle or vertex, a handle given twice,
/// or an empty list of vertices.
PoseSystem constrain(const PoseRig& rig, std::span<const Constraint> constraints);

struct SolveOptions {
    int iterations = 30;
    double tolerance = 1e-12;      ///< stops if a step changes less than this fraction of the shape's energy scale
    std::span<double> energies{};  ///< receives the energy after each iteration, up to its size
};

struct SolveResult {
    int iterations = 0;
    bool converged = false;
    double energy = 0;  ///< with the ½ of [Jacobson12], in the units of the positions
};

/// The pose of one character. Make it once, then set constraints and solve for every frame, each starting from the last
/// (warm start); this never allocates or fails. T is float (vectorized, fast) or double (accurate).
template <class T>
class Solver {
public:
    /// Starts at rest, with every constraint at its rest value.
    explicit Solver(const PoseSystem& system);
    ~Solver();
    Solver(Solver&&) noexcept;
    Solver& operator=(Solver&&) noexcept;

    /// Sets constraints by their index in the list given to `constrain`. A turn uses only the linear part.
    void setTransform(std::size_t constraint, const Affine3d& rest_to_posed) noexcept;
    void setTarget(std::size_t constraint, const Vec3d& target) noexcept;
    /// The distance, in the units of the positions, by which contradictory constraints are missed.
    double conflict() const noexcept;

    /// Flat figures: from now on rotations keep the plane with this unit normal, in which the shape lies and targets
    /// stay, so that a triangle that is turned over costs what a mirrored one does. Null: any rotation, as at first.
    void setPlane(const Vec3d* normal) noexcept;
    /// Discards the last pose: starts from the rigid motion that fits the constraints best, or from rest if that is
    /// better.
    void reset() noexcept;
    /// Continues from the pose of another solver of the same rig, whatever its constraints are.
    void startFrom(const Solver& other) noexcept;
    /// Continues from posed vertices of the shape, such as those of another rig of it: from the nearest pose that this
    /// rig has. Takes milliseconds and allocates.
    void startFrom(std::span<const Vec3f> posed);
    /// The energy never increases during a call.
    SolveResult solve(const SolveOptions& options = {}) noexcept;

    /// The transforms from rest space to posed space: first the handles, then the extra weights (whose transforms are
    /// added to the blend of the handles).
    void transforms(std::span<Affine3<T>> out) const noexcept;
    /// The same from the rotations of the last step in double precision. Weights that nearly depend on each other have
    /// large transforms that cancel out, whose rounding would be seen.
    void exactTransforms(std::span<Affine3d> out) const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

extern template class Solver<float>;
extern template class Solver<double>;

/// Linear blend skinning with all weights of the rig: x' = Σ w_j T_j x over handles and extra weights, for the vertices
/// [first, first + count) of the shape. `transforms` come from a solver; `out` has one entry per vertex of the shape.
void evaluate(const PoseRig& rig, std::span<const Affine3f> transforms, std::size_t first, std::size_t count,
              std::span<Vec3f> out) noexcept;

/// The same for all vertices, in double precision.
void evaluate(const PoseRig& rig, std::span<const Affine3d> transforms, std::span<Vec3d> out);

}  // namespace pelt::pose
