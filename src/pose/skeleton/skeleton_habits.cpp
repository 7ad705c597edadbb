// How a skeleton usually moves: hinges and the direction in which they bend, from clips, the bind pose, or anatomy.
#include "skeleton_habits.h"

#include <pelt/runtime/rotation.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "turn_limits.h"

namespace pelt::pose {
namespace {

constexpr std::size_t kMoments = 300;         ///< samples of all clips together
constexpr double kTurned = 0.15;              ///< radians: smaller rotations give no information about a hinge
constexpr double kOneAxis = 4;                ///< squared ratio of a hinge's rotation about its axis to others
constexpr double kOneWay = 0.35;              ///< of the forward range: a hinge bends backward no farther
constexpr double kSlack = 0.1;                ///< radians by which a hinge may exceed the observed range
constexpr double kBent = 0.035, kFolded = 2;  ///< radians: rest angles that show how a limb bends
constexpr double kClearlyBent = 0.35;         ///< radians: less may be the modeler's inaccuracy, in any direction
constexpr double kLegEnds = 0.3;              ///< relative to the height: legs end below
constexpr double kLimb = 0.04;                ///< of the size: bones of limbs are not shorter
constexpr double kFoot = 0.2;                 ///< relative to the height: maximal height of ankles
constexpr double kSame = 0.02;                ///< relative to the size: maximal distance of mirrored joints
constexpr double kMostMirrored = 0.6;

/// Statistics of a joint: Σ φ φᵀ of its rotation vectors from the bind pose.
struct Seen {
    Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    std::vector<Eigen::Vector3d> turns;
};

/// The joints on the other side, -1 if there are none; which axis they are mirrored along.
struct Mirror {
    int axis = 0;
    std::vector<std::int32_t> partner;
    bool symmetric = false;
};

Mirror findMirror(std::span<const Vec3d> rest, double size) {
    Mirror best;
    std::size_t most = 0;
    Vec3d middle;
    for (const Vec3d& p : rest) middle += p / double(rest.size());
    for (int axis = 0; axis < 3; ++axis) {
        Mirror mirror{axis, std::vector<std::int32_t>(rest.size(), -1), false};
        std::size_t pairs = 0;
        for (std::size_t a = 0; a < rest.size(); ++a) {
            Vec3d image = rest[a];
            image[axis] = 2 * middle[axis] - image[axis];
            double nearest = kSame * size;
            for (std::size_t b = 0; b < rest.size(); ++b) {
                const double d = length(rest[b] - image);
                if (!(d < nearest)) continue;
                nearest = d;
                mirror.partner[a] = std::int32_t(b);
            }
            const bool off = std::abs(rest[a][axis] - middle[axis]) > kSame * size;
            pairs += off && mirror.partner[a] >= 0 ? 1 : 0;
        }
        const auto found = std::size_t(
            std::count_if(mirror.partner.begin(), mirror.partner.end(), [](std::int32_t p) { return p >= 0; }));
        mirror.symmetric = double(found) >= kMostMirrored * double(rest.size()) && pairs >= 2;
        if (!mirror.symmetric || pairs < most) continue;
        most = pairs;
        best = std::move(mirror);
    }
    if (!best.symmetric) best.partner.assign(rest.size(), -1);
    return best;
}

/// The mirror image of a rotation vector.
Eigen::Vector3d mirrored(const Eigen::Vector3d& turn, int axis) {
    Eigen::Vector3d out = -turn;
    out[axis] = turn[axis];
    return out;
}

std::vector<Seen> lookAt(std::span<const ClipPose> poses, std::size_t bones, const Mirror& mirror) {
    std::vector<Seen> seen(bones);
    for (const ClipPose& pose : poses)
        for (std::size_t b = 0; b < bones; ++b) {
            const Eigen::Vector3d turn(pose.turns[b].x, pose.turns[b].y, pose.turns[b].z);
            const auto add = [&](Seen& s, const Eigen::Vector3d& v) {
                s.squares += v * v.transpose();
                s.sum += v;
                s.turns.push_back(v);
            };
            add(seen[b], turn);
            const std::int32_t other = mirror.partner[b];
            if (other >= 0 && std::size_t(other) != b) add(seen[std::size_t(other)], mirrored(turn, mirror.axis));
        }
    return seen;
}

std::optional<Hinge> hingeOf(const Seen& seen) {
    if (seen.turns.empty()) return {};
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(seen.squares / double(seen.turns.size()));
    const Eigen::Vector3d values = eigen.eigenvalues();  // ascending
    if (values[2] < kTurned * kTurned || values[2] < kOneAxis * (values[0] + values[1])) return {};
    Eigen::Vector3d axis = eigen.eigenvectors().col(2);
    if (axis.dot(seen.sum) < 0) axis = -axis;
    double least = 0, most = 0;
    for (const Eigen::Vector3d& turn : seen.turns) {
        least = std::min(least, axis.dot(turn));
        most = std::max(most, axis.dot(turn));
    }
    if (-least > kOneWay * most) return {};
    return Hinge{{axis[0], axis[1], axis[2]}, least - kSlack, false};
}

/// The two bones at a joint: from its parent, and to its farthest child or the bone pinned to it.
struct Limb {
    Vec3d above, below;
};

Limb limbOf(const SkeletonBones& bones, std::span<const Vec3d> places, std::size_t b) {
    const std::int32_t p = bones.bones[b].parent;
    if (p < 0 || bones.bones[b].slides) return {};
    Limb limb{places[b] - places[std::size_t(p)], {}};
    const auto extend = [&](std::size_t end) {
        if (length(places[end] - places[b]) > length(limb.below)) limb.below = places[end] - places[b];
    };
    for (std::size_t c = b + 1; c < places.size(); ++c)
        if (bones.bones[c].parent == std::int32_t(b)) extend(c);
    for (const Pin& pin : bones.pins)
        if (pin.b == b) extend(pin.a);
    return limb;
}

/// Knees and elbows, the middle joints of limbs: the shorter of the joint's two bones is longer than at the joints
/// before and after it. Hips and shoulders, which are attached to the body, are not included.
std::vector<char> findMiddles(const SkeletonBones& bones, std::span<const Vec3d> places, const Mirror& mirror) {
    const auto on_axis = [&](std::int32_t b) { return mirror.symmetric && mirror.partner[std::size_t(b)] == b; };
    std::vector<double> reach(places.size(), 0.0);
    for (std::size_t b = 0; b < places.size(); ++b) {
        const std::int32_t p = bones.bones[b].parent;
        if (p < 0 || on_axis(p) || on_axis(std::int32_t(b)) || bones.bones[std::size_t(p)].slides) continue;
        const Limb limb = limbOf(bones, places, b);
        reach[b] = std::min(length(limb.above), length(limb.below));
    }
    std::vector<char> middle(places.size());
    for (std::size_t b = 0; b < places.size(); ++b) middle[b] = reach[b] > kLimb * bones.size;
    for (std::size_t b = 0; b < places.size(); ++b) {
        const std::int32_t p = bones.bones[b].parent;
        if (p < 0) continue;
        (reach[b] > reach[std::size_t(p)] ? middle[std::size_t(p)] : middle[b]) = 0;
    }
    return middle;
}

/// The heights of the lowest and the highest joint.
std::pair<double, double> heights(std::span<const Vec3d> places) {
    std::pair<double, double> range{HUGE_VAL, -HUGE_VAL};
    for (const Vec3d& p : places) range = {std::min(range.first, p.y), std::max(range.second, p.y)};
    return range;
}

/// The direction of the toes; zero without any.
Vec3d toesAhead(const SkeletonBones& bones, double low, double high) {
    Vec3d sum;
    for (const Bone& b : bones.bones) {
        if (b.parent < 0) continue;
        const Vec3d from = bones.bones[std::size_t(b.parent)].place;
        if (from.y > low + 0.2 * (high - low) || bones.bones[std::size_t(b.parent)].parent < 0) continue;
        sum += Vec3d{b.place.x - from.x, 0, b.place.z - from.z};
    }
    return length(sum) > 0.02 * bones.size ? normalized(sum) : Vec3d{};
}

/// The front of a figure whose left is where its joints' names say; zero if they do not.
Vec3d aheadBySides(std::span<const rig::Side> sides, std::span<const Vec3d> places, double size) {
    Vec3d left, right;
    double lefts = 0, rights = 0;
    for (std::size_t b = 0; b < places.size(); ++b) {
        if (sides[b] == rig::Side::left) left += places[b], ++lefts;
        if (sides[b] == rig::Side::right) right += places[b], ++rights;
    }
    if (lefts < 2 || rights < 2) return {};
    const Vec3d across = left * (1 / lefts) - right * (1 / rights), ahead{-across.z, 0, across.x};
    return length(ahead) > 0.02 * size ? normalized(ahead) : Vec3d{};
}

/// Across the line between the two sides, where the toes do not point the other way; otherwise where they point;
/// otherwise the front of a glTF scene.
Vec3d forwards(const SkeletonBones& bones, std::span<const rig::Side> sides, std::span<const Vec3d> places) {
    const auto [low, high] = heights(places);
    const Vec3d toes = toesAhead(bones, low, high), across = aheadBySides(sides, places, bones.size);
    if (length(across) > 0 && dot(across, toes) >= 0) return across;
    return length(toes) > 0 ? toes : Vec3d{0, 0, 1};
}

/// Whether the limb hangs down and ends near the floor. Arms may hang too.
bool isLeg(const SkeletonBones& bones, std::span<const Vec3d> places, std::size_t b) {
    const auto [low, high] = heights(places);
    const Limb limb = limbOf(bones, places, b);
    return normalized(limb.below).y < -0.7 && places[b].y + limb.below.y < low + kLegEnds * (high - low);
}

/// By anatomy: the knee of a leg moves forward, the elbow of an arm backward.
std::optional<Hinge> guessed(const SkeletonBones& bones, const Limb& limb, std::size_t b, const Vec3d& front,
                             bool leg) {
    const Vec3d down = normalized(limb.below);
    const Vec3d out = leg ? front : front * -1.0;
    const Vec3d axis = cross(down, out * -1.0);
    if (length(axis) < 0.3) return {};
    const Mat3d parent = bones.bones[std::size_t(bones.bones[b].parent)].bound;
    return Hinge{transposed(parent) * normalized(axis), -kSlack, true};
}

/// The direction in which the limb is bent in the bind pose: that of a leg counts if it is bent clearly, or as a knee
/// bends.
std::optional<Hinge> bentAsBound(const SkeletonBones& bones, std::span<const Vec3d> rest, std::size_t b,
                                 const std::optional<Hinge>& anatomy, bool leg) {
    constexpr double kAlike = 0.7;  // cosine between the axes
    const Limb bound = limbOf(bones, rest, b);
    const Vec3d above = normalized(bound.above), below = normalized(bound.below);
    const double angle = std::atan2(length(cross(above, below)), dot(above, below));
    if (!(angle > kBent) || !(angle < kFolded)) return {};
    const Vec3d axis = normalized(cross(above, below));
    if (leg && angle < kClearlyBent && anatomy && dot(axis, anatomy->axis) < kAlike) return {};
    return Hinge{axis, -angle - kSlack, true};
}

/// Two knees that are bound with different bends, one of them the wrong way, bend as knees do.
void agreeWithPartners(const std::vector<std::optional<Hinge>>& anatomy, const Mirror& mirror, SkeletonBones& bones) {
    for (std::size_t b = 0; b < bones.bones.size(); ++b) {
        const std::int32_t other = mirror.partner[b];
        if (other <= std::int32_t(b)) continue;
        std::optional<Hinge>&one = bones.bones[b].hinge, &two = bones.bones[std::size_t(other)].hinge;
        if (!one || !two || !one->loose || !two->loose) continue;
        const Eigen::Vector3d image = mirrored({two->axis.x, two->axis.y, two->axis.z}, mirror.axis);
        if (dot(one->axis, Vec3d{image[0], image[1], image[2]}) > 0) continue;
        if (anatomy[b] && anatomy[std::size_t(other)]) one = anatomy[b], two = anatomy[std::size_t(other)];
    }
}

/// Legs end near the floor at the start. Their hips and ankles swing in the plane in which the knee bends, so that it
/// stays above the foot: otherwise minimal rotations would let the knee fall to the side.
void findSwings(std::span<const Vec3d> places, SkeletonBones& bones) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const Vec3d& p : places) low = std::min(low, p.y), high = std::max(high, p.y);
    for (std::size_t b = 0; b < places.size(); ++b) {
        if (!bones.bones[b].hinge || places[b].y + limbOf(bones, places, b).below.y > low + kFoot * (high - low))
            continue;
        const Vec3d axis = bones.bones[b].hinge->axis;
        const auto hip = std::size_t(bones.bones[b].parent);
        if (!bones.bones[hip].slides) bones.bones[hip].swings = axis;
        for (std::size_t c = b + 1; c < places.size(); ++c)
            if (bones.bones[c].parent == std::int32_t(b)) bones.bones[c].swings = axis;
    }
}

}  // namespace

std::vector<ClipPose> clipPoses(const Skeleton& skeleton, std::span<const Clip> clips, const SkeletonBones& bones) {
    std::vector<ClipPose> poses;
    std::vector<const Joint*> slot(skeleton.nodes.size(), nullptr);
    for (const Joint& joint : skeleton.joints)
        if (!slot[joint.node]) slot[joint.node] = &joint;
    const std::size_t moments = std::clamp<std::size_t>(kMoments / std::max<std::size_t>(1, clips.size()), 2, 40);
    std::vector<Affine3d> worlds(skeleton.nodes.size());
    for (const Clip& clip : clips)
        for (std::size_t m = 0; m < moments; ++m) {
            const double t = clip.first_key + clip.seconds() * double(m) / double(moments - 1);
            rig::worldTransforms(skeleton, rig::sampleLocals(skeleton, &clip, t), worlds);
            ClipPose pose;
            std::vector<Mat3d> turned;
            for (std::size_t b = 0; b < bones.bones.size(); ++b) {
                const std::uint32_t n = bones.node[b];
                const std::int32_t p = bones.bones[b].parent;
                pose.worlds.push_back(worlds[n]);
                turned.push_back(runtime::boneRotation((worlds[n] * slot[n]->inverse_bind).linear()));
                pose.turns.push_back(
                    rotationVector(p < 0 ? turned[b] : transposed(turned[std::size_t(p)]) * turned[b]));
            }
            poses.push_back(std::move(pose));
        }
    return poses;
}

double slideOver(std::span<const ClipPose> poses, std::size_t bone, std::size_t seen_from, double share) {
    if (poses.empty()) return 0;
    std::vector<Vec3d> places;
    for (const ClipPose& pose : poses) {
        const Mat3d turn = runtime::boneRotation(pose.worlds[seen_from].linear());
        places.push_back(transposed(turn) * (pose.worlds[bone].translation() - pose.worlds[seen_from].translation()));
    }
    const auto quantile = [&](std::vector<double> values, double part) {
        const auto at = values.begin() + std::ptrdiff_t(part * double(values.size() - 1));
        std::nth_element(values.begin(), at, values.end());
        return *at;
    };
    Vec3d usual;
    std::vector<double> values(places.size());
    for (int a = 0; a < 3; ++a) {
        for (std::size_t i = 0; i < places.size(); ++i) values[i] = places[i][a];
        usual[a] = quantile(values, 0.5);
    }
    for (std::size_t i = 0; i < places.size(); ++i) values[i] = length(places[i] - usual);
    const double strays = quantile(values, share);
    return std::isfinite(strays) ? strays : 0;
}

void findHinges(std::span<const ClipPose> poses, std::span<const Vec3d> rest, std::span<const rig::Side> sides,
                SkeletonBones& bones) {
    const Mirror mirror = findMirror(rest, bones.size);
    const std::vector<Seen> seen = lookAt(poses, bones.bones.size(), mirror);
    std::vector<Vec3d> places;
    for (const Bone& bone : bones.bones) places.push_back(bone.place);
    const Vec3d front = forwards(bones, sides, places);
    bones.partner = mirror.partner;
    const std::vector<char> middles = findMiddles(bones, rest, mirror);
    std::vector<std::optional<Hinge>> anatomy(bones.bones.size());
    for (std::size_t b = 0; b < bones.bones.size(); ++b) {
        if (!middles[b]) continue;
        Bone& bone = bones.bones[b];
        const bool leg = isLeg(bones, places, b);
        anatomy[b] = guessed(bones, limbOf(bones, places, b), b, front, leg);
        bone.hinge = hingeOf(seen[b]);
        if (!bone.hinge) bone.hinge = bentAsBound(bones, rest, b, anatomy[b], leg);
        if (!bone.hinge) bone.hinge = anatomy[b];
    }
    agreeWithPartners(anatomy, mirror, bones);
    for (Bone& bone : bones.bones) {
        if (!bone.hinge) continue;
        const Mat3d parent = bones.bones[std::size_t(bone.parent)].bound;
        const double now = dot(rotationVector(transposed(parent) * bone.bound), bone.hinge->axis);
        bone.hinge->least = std::min(bone.hinge->least, now);  // the start is always inside the range
    }
    findSwings(places, bones);
}

}  // namespace pelt::pose
