#include "biped_clips.h"

#include "biped_skeleton.h"

namespace pelt::scenes {
namespace {

constexpr int kWalkFrames = 37, kRangeFrames = 200;

void appendChannel(Clip& clip, ChannelPath path, std::size_t node, const std::vector<float>& times,
                   std::vector<float> values) {
    Channel channel;
    channel.path = path;
    channel.target = static_cast<std::uint32_t>(node);
    channel.width = path == ChannelPath::rotation ? 4 : 3;
    channel.times = times;
    channel.values = std::move(values);
    clip.channels.push_back(std::move(channel));
}

}  // namespace

BipedPose bipedRestPose() { return {std::vector<Quatd>(bipedJoints().size()), {}}; }

Clip sampledClip(const std::string& name, int frames, const std::function<BipedPose(double)>& pose) {
    std::vector<BipedPose> poses;
    std::vector<float> times;
    for (int f = 0; f < frames; ++f) {
        poses.push_back(pose(f / kFps));
        times.push_back(static_cast<float>(f / kFps));
    }
    Clip clip;
    clip.name = name;
    clip.last_key = times.back();
    const std::vector<BipedJoint>& joints = bipedJoints();
    for (std::size_t j = 0; j < joints.size(); ++j) {
        std::vector<float> values;
        bool moves = false;
        Quatd last;
        for (const BipedPose& p : poses) {
            Quatd q = p.rotations[j];
            if (dot(q, last) < 0) q = {-q.x, -q.y, -q.z, -q.w};  // neighbouring keys on one half of the sphere
            last = q;
            moves = moves || !(q == Quatd());
            for (const double v : {q.x, q.y, q.z, q.w}) values.push_back(static_cast<float>(v));
        }
        if (moves) appendChannel(clip, ChannelPath::rotation, j, times, std::move(values));
    }
    std::vector<float> offsets;
    bool moves = false;
    for (const BipedPose& p : poses) {
        const Vec3d at = joints[0].position + p.offset;
        moves = moves || !(p.offset == Vec3d());
        for (int k = 0; k < 3; ++k) offsets.push_back(static_cast<float>(at[k]));
    }
    if (moves) appendChannel(clip, ChannelPath::translation, 0, times, std::move(offsets));
    return clip;
}

std::vector<Clip> bipedClips() {
    return {sampledClip("walk", kWalkFrames, walkPose),
            sampledClip("range_of_motion", kRangeFrames, rangeOfMotionPose)};
}

}  // namespace pelt::scenes
