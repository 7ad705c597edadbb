#pragma once

#include "runtime/layout/blocks.h"

namespace pelt::runtime {

/// The streams of one evaluation. Rest shapes are the rig's own rows, indexed by block, unless the caller provides
/// others. If `out_normals` is null, no normals are computed.
struct VertexStreams {
    const VectorRows* own_positions = nullptr;
    const VectorRows* own_normals = nullptr;
    const Vec3f* positions = nullptr;
    const Vec3f* normals = nullptr;
    Vec3f* out_positions = nullptr;
    Vec3f* out_normals = nullptr;
    std::size_t rest_first = 0, out_first = 0;  ///< the vertex of element 0 of the caller's spans
};

/// Uses the override if there is one.
inline VertexStreams resolveStreams(bool own_normals, const RestShape& rest, const Output& out) noexcept {
    VertexStreams streams;
    streams.rest_first = rest.first;
    streams.out_first = out.first;
    streams.positions = rest.positions.empty() ? nullptr : rest.positions.data();
    streams.out_positions = out.positions.data();
    if (out.normals.empty() || (!own_normals && rest.normals.empty())) return streams;
    streams.normals = rest.normals.empty() ? nullptr : rest.normals.data();
    streams.out_normals = out.normals.data();
    return streams;
}

inline VertexStreams resolveStreams(const RestRows& own, const RestShape& rest, const Output& out) noexcept {
    VertexStreams streams = resolveStreams(!own.normals.empty(), rest, out);
    streams.own_positions = own.positions.data();
    if (streams.out_normals) streams.own_normals = own.normals.data();
    return streams;
}

}  // namespace pelt::runtime
