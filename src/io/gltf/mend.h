#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/skin_weights.h>
#include <pelt/rig/clip.h>

#include <functional>

#include "gltf/json.h"

/// What is wrong in a file and still has one sensible reading. docs/gltf.md has the table.
namespace pelt::io::gltf {

/// Goes inwards from what is known, a ring at a time: `take(v, neighbours)` once for every vertex that is not and that
/// some path of edges joins to one that is, with its neighbors of earlier rings; marks it as known.
void walkRings(std::span<const Triangle> triangles, std::vector<char>& known,
               const std::function<void(std::uint32_t, std::span<const std::uint32_t>)>& take);

/// Moves vertices that are not finite to the mean of their neighbors; how many there were. `positions` holds three
/// numbers per vertex. Fails in the name of `who` where more than half of them are lost.
std::size_t mendPositions(const JsonRef& who, std::vector<float>& positions, std::span<const Triangle> triangles);

/// Vertices of a mesh that may lend each other their weights: those of one skin, and nearer ones those of one instance.
struct WeightedRange {
    std::uint32_t first = 0, count = 0, instance = 0, skin = 0;
    std::uint32_t fallback = 0;  ///< the slot for what finds nothing else
};

/// Gives rows to the vertices of `lost` (ascending), whose rows are empty: the one of a vertex at the same place, else
/// the mean of their neighbors through the mesh's edges, else, for a piece without any weight, that of the nearest
/// vertex of its instance or its skin.
SkinWeights mendRows(const Mesh& mesh, const SkinWeights& weights, std::span<const std::uint32_t> lost,
                     std::span<const WeightedRange> ranges);

/// What keys needed, over all channels of a file.
struct MendedKeys {
    std::size_t equal = 0, unsorted = 0, not_finite = 0;  ///< channels

    void tell(std::vector<std::string>& warnings) const;
};

/// Puts keys in order of time and leaves out those that are not finite. Of several at one time the last counts; the
/// first stays just before it, where the motion jumps. Whether anything changed. The channel may end without keys.
/// `values` may be empty, then only times are looked at.
bool mendKeys(Channel& channel, MendedKeys& told);

}  // namespace pelt::io::gltf
