#pragma once

#include <pelt/rig/clip.h>

#include <functional>

/// Functions that write keys. The times of a channel must increase; values are stored in single precision.
namespace pelt::rig {

/// A channel without keys for a node's translation, rotation or scale.
Channel emptyChannel(ChannelPath path, std::uint32_t node, Interpolation interpolation = Interpolation::linear);

/// Appends a key of `width` numbers; not for cubic splines. Of the two quaternions of a rotation, the one nearer to the
/// previous key (for the first key, to the identity) is stored, for players that do not choose the shorter arc.
void addKey(Channel& channel, float time, std::span<const double> value);

/// The same; these return the value as a player reads it from the key.
Vec3d addKey(Channel& channel, float time, const Vec3d& value);
Quatd addKey(Channel& channel, float time, const Quatd& value);

/// The time rounded up to a float, so that sampling at this rate reaches the last key.
float keyTimeFrom(double time);

/// A clip to which keys are added, for nodes in any order.
class ClipBuilder {
public:
    ClipBuilder(std::string name, std::size_t nodes);

    /// The channel for one property of a node.
    Channel& channel(ChannelPath path, std::uint32_t node);

    /// Adds keys of all three properties of a node; returns the values as a player reads them.
    Trs addKeys(std::uint32_t node, float time, const Trs& value);

    /// The channels that have keys and are `wanted`, by node: translation, rotation, scale. The clip lasts from the
    /// first to the last key, including keys of channels that are not wanted.
    Clip take(const std::function<bool(const Channel&)>& wanted = {});

private:
    Clip clip_;
    std::vector<Channel> channels_;  ///< three per node
};

}  // namespace pelt::rig
