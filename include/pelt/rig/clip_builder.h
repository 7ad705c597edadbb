#pragma once

#include <pelt/rig/clip.h>

#include <functional>

/// Writes keys. Times of a channel rise, values are stored in single precision.
namespace pelt::rig {

/// A channel without keys for a node's translation, rotation or scale.
Channel emptyChannel(ChannelPath path, std::uint32_t node, Interpolation interpolation = Interpolation::linear);

/// Appends a key of `width` numbers, not of a cubic spline. Of a rotation's two quaternions the one nearer to the key
/// before (the identity, where it is the first) is stored, for players that interpolate without looking.
void addKey(Channel& channel, float time, std::span<const double> value);

/// The same; these give what a player reads of the key.
Vec3d addKey(Channel& channel, float time, const Vec3d& value);
Quatd addKey(Channel& channel, float time, const Quatd& value);

/// The time as a float that is not before it, so that who samples at this rate meets the last key.
float keyTimeFrom(double time);

/// A clip while keys come in, in any order of nodes.
class ClipBuilder {
public:
    ClipBuilder(std::string name, std::size_t nodes);

    /// Where the keys of one property of a node go.
    Channel& channel(ChannelPath path, std::uint32_t node);

    /// Keys of all three properties of a node; gives what a player reads of them.
    Trs addKeys(std::uint32_t node, float time, const Trs& value);

    /// The channels that have keys and are `wanted`, by node: translation, rotation, scale. The clip lasts from the
    /// first key to the last, those of unwanted channels too.
    Clip take(const std::function<bool(const Channel&)>& wanted = {});

private:
    Clip clip_;
    std::vector<Channel> channels_;  ///< three a node
};

}  // namespace pelt::rig
