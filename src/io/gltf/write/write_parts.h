#pragma once

#include <pelt/rig/character.h>

#include <functional>

#include "io/gltf/document/appender.h"

/// Functions shared by the writer of new documents and the editor of loaded ones.
namespace pelt::io::gltf {

/// The rows of some vertices as glTF stores them: sets of four, per set 4 numbers per vertex.
struct WeightSets {
    std::vector<std::vector<std::uint16_t>> joints;
    std::vector<std::vector<float>> weights;

    friend bool operator==(const WeightSets&, const WeightSets&) = default;
};

/// Rows `first` .. `first + count` of the weights; `skin_index` turns a joint slot into an index of the skin. Unused
/// entries have joint 0, weight 0; a vertex without any weight follows index 0. Each row sums to 1 within what the
/// Khronos validator allows (2e-7 per influence).
WeightSets encodeWeights(const SkinWeights& weights, std::size_t first, std::size_t count,
                         const std::function<std::size_t(std::uint32_t slot)>& skin_index);

/// Replaces every JOINTS_n and WEIGHTS_n of a primitive.
void writeWeights(Appender& appender, Json& attributes, const WeightSets& sets);

/// Adds a sampler to `animation` and a channel for it that targets `node`.
void addChannel(Appender& appender, Json& animation, const Channel& channel, std::size_t node);

/// Writes the local transform of a node to its JSON, without identity parts. `as_trs` is set if an animation needs it,
/// even if the node was loaded with a matrix.
void writeTransform(Json& node, const SkeletonNode& from, bool as_trs);

/// A child of `node` with the same transform, for a skin that binds the node a second time (glTF 2.0, 5.28: the joints
/// of a skin are unique). Returns its index.
std::size_t addTwinNode(Document& document, std::size_t node);

/// The offsets of a morph target over `count` vertices; only the listed vertices move. Sparse if that is smaller.
std::size_t addOffsets(Appender& appender, std::size_t count, std::span<const std::uint32_t> where,
                       std::span<const Vec3f> offsets);

/// glTF requires a common ancestor of the joints of a skin: if there is none, adds a node above their roots, in every
/// scene that contains them.
void ensureCommonRoot(Document& document, std::size_t skin);

}  // namespace pelt::io::gltf
