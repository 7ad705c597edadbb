#pragma once

#include <pelt/core/mesh.h>
#include <pelt/rig/skeleton.h>

namespace pelt {

enum class Interpolation { step, linear, cubic_spline };
enum class ChannelPath { translation, rotation, scale, morph_weights };

/// Keys of one property. `values` has `width` numbers per key (3, 4, 3, number of morphs); three times as many for
/// cubic_spline: in-tangent, value, out-tangent, as in glTF.
struct Channel {
    ChannelPath path = ChannelPath::translation;
    std::uint32_t target = 0;  ///< node of the skeleton; for morph_weights, the mesh instance
    Interpolation interpolation = Interpolation::linear;
    std::uint32_t width = 3;
    std::vector<float> times;  ///< seconds, strictly increasing
    std::vector<float> values;
};

struct Clip {
    std::string name;
    double first_key = 0, last_key = 0;  ///< over all channels of the file's animation, in seconds
    std::vector<Channel> channels;

    double seconds() const { return last_key - first_key; }
};

namespace rig {

/// The value of a channel at time `t`, clamped to its keys; `out` has `width` entries. Rotations are normalized.
void sampleChannel(const Channel& channel, double t, std::span<double> out);

/// The same, written to the property of the node; not for morph weights.
void sampleChannel(const Channel& channel, double t, Trs& node);

/// Local transforms of all nodes at time `t`: those of the rest pose for nodes without a channel, or for all if the
/// clip is nullptr.
std::vector<Affine3d> sampleLocals(const Skeleton& skeleton, const Clip* clip, double t);

/// Per joint slot, the map from rest space to posed space: world · inverse bind.
std::vector<Affine3f> skinMatrices(const Skeleton& skeleton, const Clip* clip, double t);

/// The same in double precision.
std::vector<Affine3d> skinMatricesDouble(const Skeleton& skeleton, const Clip* clip, double t);

/// The weight of every morph target of the mesh at time `t`.
std::vector<float> morphWeights(const Mesh& mesh, const Clip* clip, double t);

/// Adds the weighted offsets to the positions and, if there are any, to the normals, which are renormalized.
void addMorphs(const Mesh& mesh, std::span<const float> weights, std::span<Vec3f> positions, std::span<Vec3f> normals);

/// Whether the clip shows one shape from its first to its last key: no joint moves against another and no morph target
/// plays. Exports of a bind pose often have such a clip.
bool standsStill(const Skeleton& skeleton, const Clip& clip);

/// first key + k/fps for every k up to the last key (within 1e-4 of a step). Throws Error if fps is not positive or the
/// clip has more than ten million samples.
std::vector<double> sampleTimes(const Clip& clip, double fps);

}  // namespace rig
}  // namespace pelt
