// Checks handles and plans them as constraints on joints and vertices.
#include "pose_handles.h"

#include <fmt/format.h>
#include <pelt/bind/bounded_biharmonic.h>
#include <pelt/core/error.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/rig/props.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>

#include "verbs/pose/solve/pose_prepare.h"
#include "verbs/run/text.h"

namespace pelt::verbs {
namespace {

using HandleKind = PoseHandle::Kind;
using HandleGiven = PoseHandle::Given;

constexpr double kOutside = 0.1;  ///< relative to the diagonal: a point farther from the mesh than this is a mistake
constexpr double kCoincident = 1e-6;       ///< relative to the diagonal
constexpr std::size_t kMostHandles = 500;  ///< on the skin: preparing grows with the cube of their number

constexpr std::size_t kTetsAVertex = 5;

[[noreturn]] void refuse(const PoseHandle& handle, std::size_t number, const std::string& what) {
    throw Error::badInput({"", nameOf(handle, number)}, what);
}

std::uint32_t nearestVertex(const Mesh& mesh, const PoseHandle& handle, std::size_t number) {
    std::uint32_t nearest = 0;
    double best = 1e300;
    for (std::uint32_t v = 0; v < mesh.positions.size(); ++v) {
        const Vec3d d = Vec3d(mesh.positions[v]) - handle.point;
        if (dot(d, d) < best) {
            best = dot(d, d);
            nearest = v;
        }
    }
    if (std::sqrt(best) > kOutside * geometry::boundingDiagonal(mesh.positions))
        refuse(handle, number, fmt::format("is outside the mesh: its nearest vertex is {:.4g} away", std::sqrt(best)));
    return nearest;
}

/// Both ends of a segment must be in the box of the mesh, or near it; bones lie beneath the skin.
void checkSegment(const Mesh& mesh, const PoseHandle& handle, std::size_t number) {
    const auto [low, high] = geometry::boundingBox(mesh.positions);
    const double diagonal = length(high - low);
    for (const Vec3d& end : {handle.point, handle.end}) {
        Vec3d out;
        for (int a = 0; a < 3; ++a) out[a] = std::max({0.0, low[a] - end[a], end[a] - high[a]});
        if (!(length(out) <= kOutside * diagonal))
            refuse(handle, number, fmt::format("is outside the mesh: an end is {:.4g} away from it", length(out)));
    }
    if (!(length(handle.end - handle.point) > kCoincident * diagonal))
        refuse(handle, number, "has both ends in one place; give a point instead");
}

/// The vertices that a point or region holds; none for a segment.
std::vector<std::uint32_t> verticesOf(const Mesh& mesh, const PoseHandle& handle, std::size_t number) {
    if (handle.kind == HandleKind::segment) return {};
    if (handle.kind == HandleKind::point) return {nearestVertex(mesh, handle, number)};
    if (handle.region.empty()) refuse(handle, number, "has no vertices; list at least one");
    for (const std::uint32_t v : handle.region)
        if (v >= mesh.vertexCount())
            refuse(handle, number, fmt::format("uses vertex {}, but the mesh has {}", v, mesh.vertexCount()));
    return handle.region;
}

/// Adds a root joint at the position of the handle.
void addJoint(Skeleton& skeleton, const std::string& name, const Vec3d& place) {
    SkeletonNode node;
    node.name = name;
    node.local.translation = place;
    skeleton.joints.push_back({std::uint32_t(skeleton.nodes.size()), Affine3d({}, -place)});
    skeleton.nodes.push_back(std::move(node));
}

Vec3d meanPlace(const Mesh& mesh, std::span<const std::uint32_t> vertices) {
    Vec3d mean;
    for (const std::uint32_t v : vertices) mean += Vec3d(mesh.positions[v]) / double(vertices.size());
    return mean;
}

/// A joint for each handle, bound by bounded biharmonic weights.
void addJoints(Character& character, PoseStart& start, std::span<const PoseHandle> handles,
               const PreparationStore* cache, const Progress& progress) {
    const Mesh& mesh = start.mesh;
    std::vector<bind::BiharmonicHandle> held;
    ContentKey key;
    key.add("handles");
    addShape(key, mesh, character.skeleton);
    for (std::size_t i = 0; i < handles.size(); ++i) {
        const bool segment = handles[i].kind == HandleKind::segment;
        bind::BiharmonicHandle handle;
        handle.region = verticesOf(mesh, handles[i], i);
        if (segment) handle.segments.push_back({handles[i].point, handles[i].end});
        key.addValues(std::span<const std::uint32_t>(handle.region));
        key.addValues(std::span<const bind::BiharmonicHandle::Segment>(handle.segments));
        const std::string name = handles[i].name.empty() ? fmt::format("handle_{}", i) : handles[i].name;
        addJoint(character.skeleton, name, segment ? handles[i].point : meanPlace(mesh, handle.region));
        held.push_back(std::move(handle));
    }
    start.skeleton = character.skeleton;
    start.locals = rig::sampleLocals(character.skeleton, nullptr, 0);
    start.worlds.resize(start.locals.size());
    rig::worldTransforms(character.skeleton, start.locals, start.worlds);
    start.bones.assign(character.skeleton.joints.size(), Affine3d());
    start.file_bones = start.bones;
    character.weights = keptWeights(cache, key, [&] {
        bind::BiharmonicOptions options;  // a coarse mesh needs no finer volume
        options.target_tets = std::clamp<std::size_t>(kTetsAVertex * mesh.vertexCount(), 4000, 50000);
        const bind::HandleWeights weights = bind::biharmonicWeights(mesh, held, options, progress).weights;
        std::vector<std::uint32_t> joints(held.size());
        std::iota(joints.begin(), joints.end(), 0u);
        SkinWeights skin;
        for (std::size_t v = 0; v < weights.vertexCount(); ++v) {
            const std::vector<float> row(weights.of(v).begin(), weights.of(v).end());
            appendVertex(skin, joints, row);
        }
        return skin;
    });
}

/// Bounded biharmonic weights, for a character with joints but without weights.
SkinWeights boundWeights(const PoseStart& start, const PreparationStore* cache, const Progress& progress) {
    ContentKey key;
    key.add("biharmonic");
    addShape(key, start.mesh, start.skeleton);
    return keptWeights(cache, key,
                       [&] { return bind::bindBiharmonic(start.mesh, start.skeleton, 0, {}, progress).weights; });
}

std::vector<double> jointWeights(const Character& character) {
    std::vector<double> sums(character.skeleton.joints.size(), 0.0);
    for (std::size_t i = 0; i < character.weights.joints.size(); ++i)
        sums[character.weights.joints[i]] += double(character.weights.weights[i]);
    return sums;
}

/// Joints without weight move with their nearest ancestor that has some, otherwise with the first such descendant.
std::vector<std::uint32_t> findCarriers(const Character& character, std::span<const double> weight) {
    const std::vector<std::int32_t> parents = rig::jointParents(character.skeleton);
    std::vector<std::uint32_t> carrier(parents.size());
    for (std::size_t j = 0; j < parents.size(); ++j) {
        carrier[j] = std::uint32_t(j);
        if (weight[j] > 0) continue;
        std::int32_t p = parents[j];
        while (p >= 0 && !(weight[std::size_t(p)] > 0)) p = parents[std::size_t(p)];
        for (std::size_t d = 0; p < 0 && d < parents.size(); ++d) {
            std::int32_t above = std::int32_t(d);
            while (above >= 0 && above != std::int32_t(j)) above = parents[std::size_t(above)];
            if (above >= 0 && weight[d] > 0) p = std::int32_t(d);
        }
        if (p >= 0) carrier[j] = std::uint32_t(p);
    }
    return carrier;
}

std::size_t jointOf(const Skeleton& skeleton, const PoseHandle& handle, std::size_t number) {
    const auto joint = rig::findJoint(skeleton, handle.joint);
    if (!joint) refuse(handle, number, rig::noSuchJoint(skeleton, handle.joint));
    for (std::size_t other = *joint + 1; other < skeleton.joints.size(); ++other)
        if (rig::jointName(skeleton, other) == handle.joint)
            refuse(handle, number, "is ambiguous: several joints have this name; rename them first");
    return *joint;
}

/// Checks one joint: it must exist, have one handle, and move some skin if it has a target.
void checkJoint(const Character& character, std::span<const PoseHandle> handles, std::size_t i,
                std::span<const std::uint32_t> carrier, std::span<const double> weight) {
    const std::size_t joint = jointOf(character.skeleton, handles[i], i);
    for (std::size_t k = 0; k < i; ++k)
        if (handles[k].kind == HandleKind::joint && handles[i].joint == handles[k].joint)
            refuse(handles[i], i, "appears twice; give each joint one handle");
    const bool dragged = handles[i].given != HandleGiven::free && !handles[i].byMatrix();
    if (dragged && !character.weights.empty() && !(weight[carrier[joint]] > 0))
        refuse(handles[i], i, "moves no vertex, and neither does any joint above or below it; choose another joint");
}

pose::Constraint constraintOf(const Mesh& mesh, const PoseHandle& handle, std::size_t number,
                              std::optional<std::size_t> joint, const HandlePlan& plan) {
    const bool whole = handle.given == HandleGiven::full || (handle.given == HandleGiven::hold && joint);
    if (whole) return {pose::ConstraintKind::transform, plan.carrier[*joint], {}, {}};
    if (handle.given == HandleGiven::rotation) return {pose::ConstraintKind::turn, plan.carrier[*joint], {}, {}};
    if (handle.kind == HandleKind::joint || handle.kind == HandleKind::segment)
        return {pose::ConstraintKind::position, plan.carrier[*joint], plan.joint_positions[*joint], {}};
    return {pose::ConstraintKind::vertices, 0, {}, verticesOf(mesh, handle, number)};
}

/// The position that a handle holds, at the start.
Vec3d heldPlace(const Mesh& mesh, const PoseHandle& handle, std::size_t number, std::optional<std::size_t> joint,
                const HandlePlan& plan) {
    return joint ? plan.joint_positions[*joint] : meanPlace(mesh, verticesOf(mesh, handle, number));
}

/// Linear interpolation between keys.
Vec3d valueAt(std::span<const PoseHandle::Key> keys, double time) {
    auto after = std::find_if(keys.begin(), keys.end(), [&](const auto& k) { return k.time >= time; });
    if (after == keys.end()) --after;
    if (after == keys.begin() || after->time <= time) return after->target;
    const auto before = after - 1;
    const double t = (time - before->time) / (after->time - before->time);
    return before->target * (1 - t) + after->target * t;
}

}  // namespace

std::string nameOf(const PoseHandle& handle, std::size_t number) {
    const std::size_t counted = handle.number.value_or(number);
    if (handle.kind == HandleKind::joint) return fmt::format("handle {} (joint '{}')", counted, handle.joint);
    if (!handle.name.empty()) return fmt::format("handle {} ('{}')", counted, oneLine(handle.name));
    return fmt::format("handle {} ({})", counted,
                       handle.kind == HandleKind::point    ? "a point"
                       : handle.kind == HandleKind::region ? "a region"
                                                           : "a segment");
}

namespace {

/// What two handles of the skin hold must differ: its vertices, in their order, or the ends of a segment.
struct HeldPlaces {
    std::vector<Vec3d> places;
    std::size_t handle = 0;

    bool operator<(const HeldPlaces& other) const {
        const auto less = [](const Vec3d& a, const Vec3d& b) {
            return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z);
        };
        if (std::lexicographical_compare(places.begin(), places.end(), other.places.begin(), other.places.end(), less))
            return true;
        if (std::lexicographical_compare(other.places.begin(), other.places.end(), places.begin(), places.end(), less))
            return false;
        return handle < other.handle;
    }
    bool same(const HeldPlaces& other) const {
        return std::equal(places.begin(), places.end(), other.places.begin(), other.places.end(),
                          [](const Vec3d& a, const Vec3d& b) { return a.x == b.x && a.y == b.y && a.z == b.z; });
    }
};

HeldPlaces heldPlaces(const Mesh& mesh, const PoseHandle& handle, std::size_t number) {
    if (handle.kind == HandleKind::segment) return {{handle.point, handle.end}, number};
    HeldPlaces held{{}, number};
    std::vector<std::uint32_t> vertices = verticesOf(mesh, handle, number);
    std::sort(vertices.begin(), vertices.end());
    for (const std::uint32_t v : vertices) held.places.emplace_back(mesh.positions[v]);
    return held;
}

/// Handles of the skin: not too many, and no two in one place.
void checkPlaces(const Mesh& mesh, std::span<const PoseHandle> handles) {
    const auto count =
        std::count_if(handles.begin(), handles.end(), [](const PoseHandle& h) { return h.kind != HandleKind::joint; });
    if (std::size_t(count) > kMostHandles)
        throw Error::badInput(
            fmt::format("there are {} points, regions and segments; at most {} can be posed together: use fewer, or "
                        "regions of more vertices",
                        count, kMostHandles));
    std::vector<HeldPlaces> held;
    for (std::size_t i = 0; i < handles.size(); ++i)
        if (handles[i].kind != HandleKind::joint) held.push_back(heldPlaces(mesh, handles[i], i));
    std::sort(held.begin(), held.end());
    for (std::size_t i = 1; i < held.size(); ++i) {
        if (!held[i].same(held[i - 1])) continue;
        const std::size_t h = held[i].handle, other = held[i - 1].handle;
        refuse(handles[h], h, fmt::format("is in the place of {}; remove one of them", nameOf(handles[other], other)));
    }
}

/// `mesh` is that of the character at the start.
void checkHandlesOn(const Mesh& mesh, const Character& character, std::span<const PoseHandle> handles) {
    const bool own_joints = character.skeleton.joints.empty();
    std::vector<double> weight = jointWeights(character);
    const std::vector<std::int32_t> of_props = rig::carriersOfProps(character);
    for (const std::int32_t joint : of_props)
        if (joint >= 0) weight[std::size_t(joint)] += 1;
    const std::vector<std::uint32_t> carrier = findCarriers(character, weight);
    for (std::size_t i = 0; i < handles.size(); ++i) {
        if (handles[i].kind == HandleKind::segment) {
            if (!own_joints)
                refuse(handles[i], i,
                       "is a segment, which only a mesh without joints can have; give a joint, a point or a region");
            checkSegment(mesh, handles[i], i);
        } else if (handles[i].kind != HandleKind::joint) {
            verticesOf(mesh, handles[i], i);
            const bool turned = handles[i].given == HandleGiven::full || handles[i].given == HandleGiven::rotation;
            if (!own_joints && turned)
                refuse(handles[i], i,
                       fmt::format("has a {} constraint, which is only possible for joints; give a position",
                                   handles[i].given == HandleGiven::full ? "full" : "rotation"));
        } else if (own_joints) {
            refuse(handles[i], i, "does not exist: the character has no joints; use points, regions and segments");
        } else {
            checkJoint(character, handles, i, carrier, weight);
        }
    }
    checkPlaces(mesh, handles);
}

}  // namespace

void checkHandles(const Character& character, std::span<const PoseHandle> handles) {
    checkHandlesOn(character.mesh, character, handles);
    checkSomethingHeld(handles);
}

void checkHandlesAt(const PoseStart& start, const Character& character, std::span<const PoseHandle> handles) {
    checkHandlesOn(start.mesh, character, handles);
}

void checkSomethingHeld(std::span<const PoseHandle> handles) {
    if (std::all_of(handles.begin(), handles.end(), [](const PoseHandle& h) { return h.given == HandleGiven::free; }))
        throw Error::badInput(
            "no handle is constrained; give at least one an offset, a target, a rotation or a transform");
}

std::vector<double> frameTimes(std::span<const PoseHandle> handles, double fps) {
    Clip span;
    bool keyed = false;
    for (const PoseHandle& h : handles) {
        if (!h.keyed) continue;
        for (const auto* keys : {&h.targets, &h.rotations}) {
            if (keys->empty()) continue;
            span.first_key = keyed ? std::min(span.first_key, keys->front().time) : keys->front().time;
            span.last_key = keyed ? std::max(span.last_key, keys->back().time) : keys->back().time;
            keyed = true;
        }
    }
    return keyed ? rig::sampleTimes(span, fps) : std::vector<double>{0};
}

double firstTime(std::span<const PoseHandle> handles) {
    std::optional<double> first;
    for (const PoseHandle& h : handles)
        for (const auto* keys : {&h.targets, &h.rotations})
            if (h.keyed && !keys->empty()) first = std::min(first.value_or(keys->front().time), keys->front().time);
    return first.value_or(0);
}

Vec3d placeAt(const PoseHandle& handle, const Vec3d& start, double time) {
    if (handle.targets.empty()) return start;
    const Vec3d value = valueAt(handle.targets, time);
    return handle.offsets ? start + value : value;
}

Mat3d turnAt(const PoseHandle& handle, double time) {
    if (handle.rotations.empty()) return {};
    const Vec3d angles = valueAt(handle.rotations, time) * (std::numbers::pi / 180);
    return toMatrix(axisAngle(Vec3d{0, 0, 1}, angles.z)) * toMatrix(axisAngle(Vec3d{0, 1, 0}, angles.y)) *
           toMatrix(axisAngle(Vec3d{1, 0, 0}, angles.x));
}

Affine3d motionAt(const PoseHandle& handle, const Vec3d& start, const Affine3d& bone, double time) {
    if (handle.byMatrix()) return handle.transform * inverse(bone);
    const Mat3d turn = turnAt(handle, time);
    return {turn, placeAt(handle, start, time) - turn * start};
}

void bindHandles(Character& character, PoseStart& start, std::span<const PoseHandle> handles,
                 const PreparationStore* cache, const Progress& progress) {
    if (start.mesh.positions.empty()) throw Error::badInput("has no vertices to pose");
    checkHandlesOn(start.mesh, character, handles);
    start.joints_are_handles = character.skeleton.joints.empty();
    if (start.joints_are_handles)
        addJoints(character, start, handles, cache, progress);
    else if (character.weights.empty())
        character.weights = boundWeights(start, cache, progress);
}

HandlePlan planHandles(const Character& character, const PoseStart& start, std::span<const PoseHandle> handles) {
    HandlePlan plan;
    plan.carrier = findCarriers(character, jointWeights(character));
    plan.joint_positions = rig::jointRestPositions(start.skeleton);
    for (std::size_t i = 0; i < handles.size(); ++i) {
        std::optional<std::size_t> joint;
        if (start.joints_are_handles) joint = i;
        if (handles[i].kind == HandleKind::joint) joint = jointOf(start.skeleton, handles[i], i);
        plan.joint_of.push_back(joint);
        plan.held.push_back(heldPlace(start.mesh, handles[i], i, joint, plan));
        if (handles[i].given == HandleGiven::free) continue;
        plan.constraints.push_back(constraintOf(start.mesh, handles[i], i, joint, plan));
        plan.handle_of.push_back(i);
    }
    return plan;
}

}  // namespace pelt::verbs
