#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/progress.h>
#include <pelt/geometry/connect_parts.h>
#include <pelt/geometry/local_smoothing.h>
#include <pelt/geometry/welded_surface.h>
#include <pelt/rig/ddm_payload.h>

#include <memory>
#include <optional>

namespace pelt::deform {

/// Parameters of the precomputation of [LeLewis19] §3.4. Per-vertex values are λ D_λ, κ D_κ and α D_α, one per vertex
/// of the mesh; split copies of a vertex must have equal values (that of the lowest index is used).
struct DdmOptions {
    geometry::LaplacianKind laplacian = geometry::LaplacianKind::cotangent;
    geometry::SmoothingKind smoothing = geometry::SmoothingKind::implicit;
    int iterations = 20;
    std::optional<int> kappa_iterations;  ///< of κ; not set: as many
    std::vector<double> lambda, kappa, alpha;
    /// w' of Eq. 11: any weights, one row per vertex (split copies have equal ones), instead of the bind smoothed by κ;
    /// empty: none. At each vertex, `translations_share` of w' are these (0 to 1; empty: all of it), the rest is the
    /// smoothed bind; a vertex without any keeps the smoothed bind.
    SkinWeights translations;
    std::vector<double> translations_share;
    bool connect_parts = true;
    std::vector<bool> excluded;  ///< per vertex: keeps its bind; empty: none
    float weld_tolerance = 0;
    /// Weights of a joint below this are dropped while smoothing; 0 keeps all.
    double cutoff = 1e-7;
    /// Allows a large mesh to be smoothed to visual accuracy instead of full precision: with a higher cutoff and, if
    /// the mesh is very large and the smoothing spans many edges, on a coarser surface.
    bool coarse = false;
    /// The welded mesh, if it was made before. If it is null or was made with other options, it is made when needed.
    geometry::SharedSurface surface;
};

/// The edges that `connect_parts` adds for this bind, for use by other smoothers; indices are vertices of the mesh.
geometry::PartTies connectParts(const Mesh& rest, const SkinWeights& bind, const DdmOptions& options);

/// The precomputation in stages whose results are kept: Laplacian and factorizations, smoothed Ψ (λ), smoothed weights
/// w' (κ), their blend Ω (α). update() with other options recomputes only the stages that depend on what changed.
class DdmPreparation {
public:
    /// Throws Error (bad input) for a mesh without faces, weights that do not match it or a vertex without weight.
    DdmPreparation(const Mesh& rest, const SkinWeights& bind);
    ~DdmPreparation();
    DdmPreparation(DdmPreparation&&) noexcept;

    /// Throws Error (bad usage) for values outside their range: λ, κ >= 0 (explicit: <= 1), 0 <= α < 1, p >= 0, and for
    /// translations of another number of vertices.
    void update(const DdmOptions& options, const Progress& progress = {});

    /// The rows of every vertex with all their joints.
    DdmRows<double> rows() const;
    /// The same with the `influences` largest joints of each vertex (0: all), renormalized.
    DdmRows<double> rows(std::size_t influences) const;
    /// The same in single precision, for all vertices or the given ones. Entries remain sorted if rounding makes two
    /// equal.
    DdmRows<float> rounded(std::size_t influences) const;
    DdmRows<float> rounded(std::size_t influences, std::span<const std::uint32_t> vertices) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace pelt::deform
