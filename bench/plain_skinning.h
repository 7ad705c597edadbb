#pragma once

#include <pelt/core/affine.h>
#include <pelt/core/skin_weights.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// What an engine programmer writes first: vertices with four joints and weights each, one after the other, no
/// intrinsics. Compiled with the project's flags, it is what kernels are measured against.
namespace pelt::bench {

/// As a vertex buffer has them; unused slots have weight 0.
struct PlainInfluences {
    struct Vertex {
        std::uint16_t joints[4];
        float weights[4];
    };
    std::vector<Vertex> vertices;
};

/// Of each vertex the four heaviest.
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

/// a = b + 3 c: the bandwidth that plain code gets of arrays this long.
void triad(float* a, const float* b, const float* c, std::size_t first, std::size_t last);

}  // namespace pelt::bench
