#pragma once

#include <pelt/core/ddm_payload.h>
#include <pelt/geometry/coarse_level.h>

#include <span>

namespace pelt::deform {

/// The moments of Ψ that are stored: xx xy xz yy yz zz x y z 1.
constexpr std::size_t kMoments = 10;

/// Channels by node: node v owns the entries offsets[v] .. offsets[v+1], ascending by joint, `width` values each.
struct VertexChannels {
    std::size_t width = 1;
    std::vector<std::size_t> offsets{0};
    std::vector<std::uint32_t> joints;
    std::vector<double> values;
};

/// What a joint does at every welded vertex: given there, or at the nodes of a coarse level and carried over.
struct Field {
    VertexChannels channels;
    geometry::Interpolation between;  ///< empty: the nodes are the vertices
};

/// What Ω is made of, per welded vertex. `weights` is w', null where α is 0 everywhere. Moments are about `origin`.
struct OmegaParts {
    const Field& psi;
    const Field* weights;
    std::span<const double> alpha;
    Vec3d origin;
    /// What a vertex keeps that smoothing makes no sense of: its bind, at its place.
    const SkinWeights& bind;
    std::span<const std::uint32_t> representative;  ///< row of `bind` per welded vertex
    std::span<const Vec3f> positions;               ///< per welded vertex
};

/// Ω of the welded vertices that `which` names (Eq. 11 rev.), cut to the `influences` joints with the largest ω (0:
/// all), renormalized and centered; a row each. What is cut with a limit also loses joints whose part in rotation and
/// translation is too small to see. A vertex whose numbers single precision cannot hold keeps its bind. T: float or
/// double.
template <class T>
DdmRows<T> makeRows(const OmegaParts& parts, std::span<const std::uint32_t> which, std::size_t influences);

}  // namespace pelt::deform
