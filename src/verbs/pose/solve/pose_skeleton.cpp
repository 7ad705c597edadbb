// Poses the skeleton of a character by its handles.
#include "pose_skeleton.h"

#include <pelt/geometry/bounding_sphere.h>
#include <pelt/rig/props.h>
#include <pelt/runtime/rotation.h>

#include <algorithm>
#include <cmath>

namespace pelt::verbs {
namespace {

constexpr double kFirm = 300;    ///< weight of held handles relative to dragged ones, if not all can be reached
constexpr double kPin = 1000;    ///< connected bones
constexpr double kTurned = 0.3;  ///< radians by which joints are rotated to measure the cost
constexpr int kLocalSteps = 12;  ///< until the rotations of the skin have converged
constexpr double kSoftest = 0.3, kStiffest = 3;  ///< of the median
constexpr double kLight = 0.5, kHeavy = 6,
                 kBody = 300;   ///< how stiffness grows with the amount of skin that a joint moves: steeply, so that
                                ///< the body does not lean whenever an arm reaches
constexpr double kWhole = 300;  ///< against rotating the whole character

using HandleGiven = PoseHandle::Given;

double areaOf(const Vec3d& a, const Vec3d& b, const Vec3d& c) { return length(cross(b - a, c - a)) / 2; }

/// The surface area carried by each node, including props.
std::vector<double> surfaceByNode(const Character& character, const PoseStart& start, double size) {
    std::vector<double> surface(character.skeleton.nodes.size(), 0.0);
    const SkinWeights& weights = character.weights;
    const Mesh& mesh = start.mesh;
    const auto add = [&](std::size_t v, double area) {
        for (std::size_t k = 0; k < weights.influenceCount(v); ++k)
            surface[character.skeleton.joints[weights.jointsOf(v)[k]].node] += area * double(weights.weightsOf(v)[k]);
    };
    for (std::size_t v = 0; v < weights.vertexCount(); ++v)
        add(v, 1e-9 * size * size);  // degenerate triangles count too
    for (const Triangle& t : mesh.triangles) {
        const double area =
            areaOf(Vec3d(mesh.positions[t[0]]), Vec3d(mesh.positions[t[1]]), Vec3d(mesh.positions[t[2]]));
        for (const std::uint32_t v : t) add(v, area / 3);
    }
    const Mesh& props = character.props.mesh;
    const std::vector<std::int32_t> carriers = rig::carriersOfProps(character);
    for (std::size_t p = 0; p < props.parts.size(); ++p) {
        if (carriers[p] < 0) continue;
        const Affine3d& world = start.worlds[character.props.nodes[p]];
        const MeshPart& part = props.parts[p];
        for (std::size_t t = part.first_triangle; t < part.first_triangle + part.triangle_count; ++t) {
            const auto at = [&](std::size_t c) { return world * Vec3d(props.positions[props.triangles[t][c]]); };
            surface[character.skeleton.joints[std::size_t(carriers[p])].node] += areaOf(at(0), at(1), at(2));
        }
    }
    return surface;
}

double figureSize(const Character& character, const PoseStart& start) {
    std::vector<Vec3f> points = start.mesh.positions;
    const std::size_t skin = points.size();
    points.resize(skin + character.props.mesh.vertexCount());
    rig::placeProps(character.props, start.worlds, {character.props.mesh.positions, {}, {}},
                    {std::span(points).subspan(skin), {}, {}});
    return geometry::boundingDiagonal(points);
}

pose::SkeletonBones bonesAtStart(const Character& character, const PoseStart& start) {
    const double size = figureSize(character, start);
    const std::vector<double> surface = surfaceByNode(character, start, size);
    return pose::bonesOf({&character.skeleton, character.clips, start.worlds, surface, size});
}

}  // namespace

bool hasSkeleton(const Character& character, const PoseStart& start) {
    return !character.skeleton.joints.empty() && bonesAtStart(character, start).together;
}

SkeletonPoser::SkeletonPoser(const Character& character, const PoseStart& start, std::span<const PoseHandle> handles,
                             const HandlePlan& plan, const PoseRequest& request, const pose::PoseRig& rig)
    : character_(character), start_(start), handles_(handles), plan_(plan), bones_(bonesAtStart(character, start)) {
    for (const Joint& joint : character.skeleton.joints)
        bone_of_slot_.push_back(std::uint32_t(bones_.bone_of[joint.node]));
    setLimits(character, request);
    setStiffness(character.skeleton, plan, rig);
    solver_.emplace(bones_.bones, bones_.size);
}

void SkeletonPoser::setLimits(const Character& character, const PoseRequest& request) {
    if (!request.limits) return;
    const rig::RangeOfMotion& range = *request.limits;
    for (std::size_t j = character.skeleton.joints.size(); j-- > 0;) {
        pose::Bone& bone = bones_.bones[bone_of_slot_[j]];
        if (bone.parent >= 0 && !bone.slides) bone.limits = range.joints.empty() ? range.limits : range.joints[j];
    }
}

/// The stiffness of a joint: the cost in skin energy of rotating it with all its descendants. It grows with the amount
/// of skin that moves, so that an arm reaches as far as it can before the body leans.
void SkeletonPoser::setStiffness(const Skeleton& skeleton, const HandlePlan& plan, const pose::PoseRig& rig) {
    std::vector<pose::Constraint> all(rig.handleCount());
    for (std::uint32_t h = 0; h < all.size(); ++h) all[h].handle = h;
    pose::Solver<double> solver(pose::constrain(rig, all));
    std::vector<char> wanted(bones_.bones.size(), 0);  // ancestors of a handle: the others do not move
    for (std::size_t i = 0; i < plan.handle_of.size(); ++i) {
        const auto joint = plan.joint_of[plan.handle_of[i]];
        for (std::size_t b = 0; b < wanted.size(); ++b) wanted[b] = wanted[b] || !joint;
        for (auto b = joint ? std::int32_t(bone_of_slot_[*joint]) : -1; b >= 0; b = bones_.bones[std::size_t(b)].parent)
            wanted[std::size_t(b)] = 1;
    }
    for (const pose::Pin& pin : bones_.pins)
        for (auto b = std::int32_t(pin.b); b >= 0; b = bones_.bones[std::size_t(b)].parent) wanted[std::size_t(b)] = 1;
    std::vector<double> found(bones_.bones.size(), 0.0), sorted;
    for (std::size_t b = 0; b < found.size(); ++b) {
        if (!wanted[b] || bones_.bones[b].slides) continue;
        std::vector<char> below(found.size(), 0);
        for (std::size_t c = 0; c < found.size(); ++c)
            below[c] = c == b || (bones_.bones[c].parent >= 0 && below[std::size_t(bones_.bones[c].parent)]);
        for (int axis = 0; axis < 3; ++axis) {
            Vec3d about;
            about[axis] = 1;
            const Mat3d r = toMatrix(axisAngle(about, kTurned));
            const Affine3d turn(r, bones_.bones[b].place - r * bones_.bones[b].place);
            for (std::size_t j = 0; j < skeleton.joints.size(); ++j)
                solver.setTransform(j, below[bone_of_slot_[j]] ? turn : Affine3d());
            found[b] += solver.solve({kLocalSteps, 1e-9, {}}).energy / (3 * kTurned * kTurned);
        }
        if (found[b] > 0) sorted.push_back(found[b]);
    }
    for (std::size_t b = 0; b < found.size(); ++b) {  // clusters of rotations are not quite symmetric
        const auto other = std::size_t(std::max(bones_.partner[b], 0));
        if (bones_.partner[b] < 0 || other <= b || !(found[b] > 0) || !(found[other] > 0)) continue;
        found[b] = found[other] = (found[b] + found[other]) / 2;
    }
    std::sort(sorted.begin(), sorted.end());
    const double median = sorted.empty() ? 1 : sorted[sorted.size() / 2];
    for (std::size_t b = 0; b < found.size(); ++b) {
        const double share = bones_.share_below[b];
        const double skin = bones_.bones[b].slides ? 1 : std::clamp(found[b] / median, kSoftest, kStiffest);
        bones_.bones[b].stiffness = std::sqrt(skin) * (kLight + (kHeavy + kBody * share * share) * share);
        if (b == bones_.body) bones_.bones[b].stiffness = kWhole;
    }
}

/// The mean of vertices, as moved by the bones.
std::vector<pose::Share> SkeletonPoser::sharesOf(std::span<const std::uint32_t> vertices) const {
    std::vector<pose::Share> shares;
    const SkinWeights& weights = character_.weights;
    for (const std::uint32_t v : vertices)
        for (std::size_t k = 0; k < weights.influenceCount(v); ++k) {
            const std::size_t slot = weights.jointsOf(v)[k];
            const std::uint32_t bone = bone_of_slot_[slot];
            const double w = double(weights.weightsOf(v)[k]) / double(vertices.size());
            if (!(w > 0)) continue;
            auto found = std::find_if(shares.begin(), shares.end(), [&](const auto& s) { return s.bone == bone; });
            if (found == shares.end()) found = shares.insert(shares.end(), pose::Share{bone, {}, 0});
            found->place += (start_.bones[slot] * Vec3d(start_.rest[v])) * w;
            found->weight += w;
        }
    for (pose::Share& share : shares) share.place = share.place / share.weight;
    return shares;
}

pose::SkeletonGoals SkeletonPoser::goalsAt(double time) const {
    pose::SkeletonGoals goals;
    for (std::size_t i = 0; i < plan_.handle_of.size(); ++i) {
        const std::size_t h = plan_.handle_of[i];
        const PoseHandle& handle = handles_[h];
        const Vec3d held = plan_.held[h];
        if (!plan_.joint_of[h]) {
            goals.places.push_back({sharesOf(plan_.constraints[i].vertices), placeAt(handle, held, time), 1});
            if (handle.given == HandleGiven::hold) goals.places.back().strength = kFirm;
            continue;
        }
        const std::size_t slot = *plan_.joint_of[h];
        const std::uint32_t bone = bone_of_slot_[slot];
        const Affine3d motion = motionAt(handle, held, start_.file_bones[slot], time);
        const double strength = handle.given == HandleGiven::hold || handle.given == HandleGiven::full ? kFirm : 1;
        if (handle.given != HandleGiven::rotation) goals.places.push_back({{{bone, held, 1}}, motion * held, strength});
        if (handle.given != HandleGiven::position)
            goals.turns.push_back({bone, runtime::boneRotation(motion.linear()), strength});
    }
    for (const pose::Pin& pin : bones_.pins)
        goals.places.push_back({{{pin.a, pin.place, 1}, {pin.b, pin.place, -1}}, {}, kPin});
    return goals;
}

std::vector<Affine3d> SkeletonPoser::poseAt(double time) {
    const std::vector<Affine3d> motions = solver_->solve(goalsAt(time));
    std::vector<Affine3d> slots;
    for (const std::uint32_t bone : bone_of_slot_) slots.push_back(motions[bone]);
    return slots;
}

}  // namespace pelt::verbs
