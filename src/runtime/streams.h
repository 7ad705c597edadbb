#pragma once

#include <cassert>

#include "../internal/rigs/blocks.h"

namespace pelt::runtime {

/// The streams of one evaluation. Rest shapes are the rig's own rows, indexed by block, unless the caller provides
/// others, indexed by vertex like results. If `out_normals` is null, no normals are computed.
struct VertexStreams {
    const VectorRows* own_positions = nullptr;
    const VectorRows* own_normals = nullptr;
    const Vec3f* positions = nullptr;
    const Vec3f* normals = nullptr;
    Vec3f* out_positions = nullptr;
    Vec3f* out_normals = nullptr;
};

/// Uses the override if there is one. Sizes are checked by assert.
inline VertexStreams resolveStreams([[maybe_unused]] std::size_t vertex_count, bool own_normals, const RestShape& rest,
                                    const Output& out) noexcept {
    assert(rest.positions.empty() || rest.positions.size() == vertex_count);
    assert(rest.normals.empty() || rest.normals.size() == vertex_count);
    assert(out.positions.size() == vertex_count && (out.normals.empty() || out.normals.size() == vertex_count));
    VertexStreams streams;
    streams.positions = rest.positions.empty() ? nullptr : rest.positions.data();
    streams.out_positions = out.positions.data();
    if (out.normals.empty() || (!own_normals && rest.normals.empty())) return streams;
    streams.normals = rest.normals.empty() ? nullptr : rest.normals.data();
    streams.out_normals = out.normals.data();
    return streams;
}

inline VertexStreams resolveStreams(const RestRows& own, const RestShape& rest, const Output& out) noexcept {
    VertexStreams streams = resolveStreams(own.vertex_count, !own.normals.empty(), rest, out);
    streams.own_positions = own.positions.data();
    if (streams.out_normals) streams.own_normals = own.normals.data();
    return streams;
}

}  // namespace pelt::runtime
