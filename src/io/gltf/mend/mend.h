#pragma once

#include <pelt/core/mesh.h>
#include <pelt/core/skin_weights.h>
#include <pelt/rig/clip.h>

#include <functional>

#include "io/json/json.h"

/// Repairs of faults in files that have only one sensible interpretation. docs/gltf.md lists them.
namespace pelt::io::gltf {

/// Fills unknown vertices from known ones, ring by ring: calls `take(v, neighbors)` once for every unknown vertex that
/// is connected to a known one, with its neighbors of earlier rings, and marks it as known.
void walkRings(std::span<const Triangle> triangles, std::vector<char>& known,
               const std::function<void(std::uint32_t, std::span<const std::uint32_t>)>& take);

/// Moves vertices that are not finite to the mean of their neighbors; returns their number. `positions` has three
/// numbers per vertex. Fails, naming `who`, if more than half of them are not finite.
std::size_t mendPositions(const JsonRef& who, std::vector<float>& positions, std::span<const Triangle> triangles);

/// Vertices of a mesh that may copy weights from each other: those of one skin, preferably of one instance.
struct WeightedRange {
    std::uint32_t first = 0, count = 0, instance = 0, skin = 0;
    std::uint32_t fallback = 0;  ///< the slot for vertices without any other source
};

/// Gives rows to the vertices of `lost` (ascending), whose rows are empty: the row of a vertex at the same position;
/// otherwise the mean of their neighbors along the mesh's edges; otherwise, for a piece without any weight, the row of
/// the nearest vertex of its instance or its skin.
SkinWeights mendRows(const Mesh& mesh, const SkinWeights& weights, std::span<const std::uint32_t> lost,
                     std::span<const WeightedRange> ranges);

/// The repairs of keys, over all channels of a file.
struct MendedKeys {
    std::size_t equal = 0, unsorted = 0, not_finite = 0;  ///< channels

    void tell(std::vector<std::string>& warnings) const;
};

/// Sorts keys by time and removes those that are not finite. Of several keys at one time the last counts; the first is
/// kept just before it if the motion jumps. Returns whether anything changed. The channel may become empty. If `values`
/// is empty, only times are checked.
bool mendKeys(Channel& channel, MendedKeys& mended);

}  // namespace pelt::io::gltf
