// The clips of the biped.
#include "biped_clips.h"

#include <pelt/rig/clip_builder.h>

#include "biped_skeleton.h"

namespace pelt::scenes {
namespace {

constexpr int kWalkFrames = 37, kRangeFrames = 200;

/// Whether a key differs from the joint's rest transform.
bool leavesRest(const Channel& channel) {
    const Vec3f place(bipedJoints()[channel.target].position);
    const float still[2][4] = {{place.x, place.y, place.z, 0}, {0, 0, 0, 1}};
    const float* rest = still[channel.path == ChannelPath::rotation ? 1 : 0];
    for (std::size_t i = 0; i < channel.values.size(); ++i)
        if (channel.values[i] != rest[i % channel.width]) return true;
    return false;
}

}  // namespace

BipedPose bipedRestPose() { return {std::vector<Quatd>(bipedJoints().size()), {}}; }

Clip sampledClip(const std::string& name, int frames, const std::function<BipedPose(double)>& pose) {
    const std::vector<BipedJoint>& joints = bipedJoints();
    rig::ClipBuilder clip(name, joints.size());
    for (int f = 0; f < frames; ++f) {
        const auto time = static_cast<float>(f / kFps);
        const BipedPose now = pose(f / kFps);
        rig::addKey(clip.channel(ChannelPath::translation, 0), time, joints[0].position + now.offset);
        for (std::uint32_t j = 0; j < joints.size(); ++j)
            rig::addKey(clip.channel(ChannelPath::rotation, j), time, now.rotations[j]);
    }
    return clip.take(leavesRest);
}

std::vector<Clip> bipedClips() {
    return {sampledClip("walk", kWalkFrames, walkPose),
            sampledClip("range_of_motion", kRangeFrames, rangeOfMotionPose)};
}

}  // namespace pelt::scenes
