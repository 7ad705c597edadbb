#pragma once

#include <pelt/core/affine.h>
#include <pelt/core/skin_weights.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// A straightforward implementation: vertices with four joints and weights each, one by one, without intrinsics.
/// Compiled with the project's flags, it is the baseline for kernels.
namespace pelt::bench {

/// The layout of a vertex buffer; unused slots have weight 0.
struct PlainInfluences {
    struct Vertex {
        std::uint16_t joints[4];
        float weights[4];
    };
    std::vector<Vertex> vertices;
};

/// The four heaviest of each vertex.
PlainInfluences plainInfluences(const SkinWeights& weights);

struct PlainStreams {
    const Vec3f* positions;
    const Vec3f* normals;  ///< null: none wanted
    Vec3f* out_positions;
    Vec3f* out_normals;
};

void plainLbs(const PlainInfluences& influences, const Affine3f* bones, const PlainStreams& s, std::size_t first,
              std::size_t last);

struct PlainDualQuaternion {
    Quatf q, d;
};

/// The rigid parts of bones that do not stretch.
std::vector<PlainDualQuaternion> plainDualQuaternions(std::span<const Affine3f> bones);

void plainDqs(const PlainInfluences& influences, const PlainDualQuaternion* joints, const PlainStreams& s,
              std::size_t first, std::size_t last);

/// a = b + 3 c: the bandwidth that plain code reaches with arrays of this length.
void triad(float* a, const float* b, const float* c, std::size_t first, std::size_t last);

}  // namespace pelt::bench
