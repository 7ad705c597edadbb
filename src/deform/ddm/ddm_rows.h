#pragma once

#include <pelt/geometry/coarse_level.h>
#include <pelt/rig/ddm_payload.h>

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

/// A field of a joint at every welded vertex: stored there, or at the nodes of a coarse level and interpolated.
struct Field {
    VertexChannels channels;
    geometry::Interpolation between;  ///< empty: the nodes are the vertices
};

/// Weights for translations other than the smoothed bind.
struct GivenTranslations {
    SkinWeights weights;        ///< one row per vertex of the mesh; empty: none
    std::vector<double> share;  ///< per welded vertex, how much of w' they are

    double shareOf(std::size_t v) const { return share.empty() ? 0 : share[v]; }
};

/// The inputs of Ω, per welded vertex. `weights` is the bind smoothed by κ, null if nothing uses it; w' consists of it
/// and of `given`. Moments are relative to `origin`.
struct OmegaParts {
    const Field& psi;
    const Field* weights;
    const GivenTranslations& given;
    std::span<const double> alpha;
    Vec3d origin;
    double spread;  ///< a small area: the second moment of vertices that average a single point
    /// Data of vertices that cannot be smoothed: their bind and position.
    const SkinWeights& bind;
    std::span<const std::uint32_t> representative;  ///< row of `bind` and `given` per welded vertex
    std::span<const Vec3f> positions;               ///< per welded vertex
};

/// Ω of the welded vertices listed in `which` (Eq. 11 rev.), limited to the `influences` joints with the largest ω (0:
/// all), renormalized and centered; one row each. With a limit, joints whose weights for rotation and translation are
/// too small to be visible are dropped too. A vertex whose numbers single precision cannot represent keeps its bind. T:
/// float or double.
template <class T>
DdmRows<T> makeRows(const OmegaParts& parts, std::span<const std::uint32_t> which, std::size_t influences);

}  // namespace pelt::deform
