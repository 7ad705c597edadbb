#pragma once

#include <pelt/core/ddm_payload.h>

#include <span>

namespace pelt::deform {

/// The moments of Ψ that are stored: xx xy xz yy yz zz x y z 1.
constexpr std::size_t kMoments = 10;

/// Channels by vertex: vertex v owns the entries offsets[v] .. offsets[v+1], ascending by joint, `width` values each.
struct VertexChannels {
    std::size_t width = 1;
    std::vector<std::size_t> offsets{0};
    std::vector<std::uint32_t> joints;
    std::vector<double> values;
};

/// What Ω is made of, per welded vertex. `weights` is w', null where α is 0 everywhere. Moments are about `origin`.
struct OmegaParts {
    const VertexChannels& psi;
    const VertexChannels* weights;
    std::span<const double> alpha;
    Vec3d origin;
};

/// Ω of every welded vertex (Eq. 11 rev.), cut to the `influences` joints with the largest ω (0: all), renormalised and
/// centred; one row for each entry of `welded`, which says whose. What is cut with a limit also loses joints whose part
/// in rotation and translation is too small to see.
DdmRows<double> makeRows(const OmegaParts& parts, std::span<const std::uint32_t> welded, std::size_t influences);

}  // namespace pelt::deform
