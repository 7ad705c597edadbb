#include "pose_handles.h"

#include <fmt/format.h>
#include <pelt/core/error.h>
#include <pelt/fit/bounded_biharmonic.h>
#include <pelt/geometry/bounding_sphere.h>
#include <pelt/rig/props.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "pose_prepare.h"

namespace pelt::pipeline {
namespace {

using Kind = PoseHandle::Kind;
using Given = PoseHandle::Given;

constexpr double kOutside = 0.1;  ///< relative to the diagonal: a point farther from the mesh than this is a mistake

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

/// The vertices that a point or region holds.
std::vector<std::uint32_t> verticesOf(const Mesh& mesh, const PoseHandle& handle, std::size_t number) {
    if (handle.kind == Kind::point) return {nearestVertex(mesh, handle, number)};
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

/// A joint for each handle, bound by bounded biharmonic weights.
void addJoints(Character& character, PoseStart& start, std::span<const PoseHandle> handles,
               const PreparationCache* cache, const Progress& progress) {
    const Mesh& mesh = start.mesh;
    std::vector<fit::BiharmonicHandle> held;
    ContentKey key;
    key.add("handles");
    addShape(key, mesh, character.skeleton);
    for (std::size_t i = 0; i < handles.size(); ++i) {
        fit::BiharmonicHandle handle;
        handle.region = verticesOf(mesh, handles[i], i);
        key.addValues(std::span<const std::uint32_t>(handle.region));
        Vec3d mean;
        for (const std::uint32_t v : handle.region) mean += Vec3d(mesh.positions[v]);
        mean = mean / double(handle.region.size());
        addJoint(character.skeleton, fmt::format("handle_{}", i), mean);
        held.push_back(std::move(handle));
    }
    start.skeleton = character.skeleton;
    start.locals = rig::sampleLocals(character.skeleton, nullptr, 0);
    start.worlds.resize(start.locals.size());
    rig::worldTransforms(character.skeleton, start.locals, start.worlds);
    start.bones.assign(character.skeleton.joints.size(), Affine3d());
    start.file_bones = start.bones;
    character.weights = keptWeights(cache, key, [&] {
        fit::BiharmonicOptions options;  // a coarse mesh needs no finer volume
        options.target_tets = std::clamp<std::size_t>(kTetsAVertex * mesh.vertexCount(), 4000, 50000);
        const fit::HandleWeights weights = fit::biharmonicWeights(mesh, held, options, progress).weights;
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
SkinWeights boundWeights(const PoseStart& start, const PreparationCache* cache, const Progress& progress) {
    ContentKey key;
    key.add("biharmonic");
    addShape(key, start.mesh, start.skeleton);
    return keptWeights(cache, key,
                       [&] { return fit::bindBiharmonic(start.mesh, start.skeleton, 0, {}, progress).weights; });
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
        if (handles[k].kind == Kind::joint && handles[i].joint == handles[k].joint)
            refuse(handles[i], i, "appears twice; give each joint one handle");
    const bool dragged = handles[i].given != Given::free && !handles[i].byMatrix();
    if (dragged && !character.weights.empty() && !(weight[carrier[joint]] > 0))
        refuse(handles[i], i, "moves no vertex, and neither does any joint above or below it; choose another joint");
}

pose::Constraint constraintOf(const Mesh& mesh, const PoseHandle& handle, std::size_t number,
                              std::optional<std::size_t> joint, const HandlePlan& plan) {
    const bool whole = handle.given == Given::full || (handle.given == Given::hold && joint);
    if (whole) return {pose::ConstraintKind::transform, plan.carrier[*joint], {}, {}};
    if (handle.given == Given::rotation) return {pose::ConstraintKind::turn, plan.carrier[*joint], {}, {}};
    if (handle.kind == Kind::joint)
        return {pose::ConstraintKind::position, plan.carrier[*joint], plan.joint_positions[*joint], {}};
    return {pose::ConstraintKind::vertices, 0, {}, verticesOf(mesh, handle, number)};
}

/// The position that a handle holds, at the start.
Vec3d heldPlace(const Mesh& mesh, const PoseHandle& handle, std::size_t number, std::optional<std::size_t> joint,
                const HandlePlan& plan) {
    if (joint) return plan.joint_positions[*joint];
    const std::vector<std::uint32_t> vertices = verticesOf(mesh, handle, number);
    Vec3d mean;
    for (const std::uint32_t v : vertices) mean += Vec3d(mesh.positions[v]) / double(vertices.size());
    return mean;
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
    if (handle.kind == Kind::joint) return fmt::format("handle {} (joint '{}')", counted, handle.joint);
    return fmt::format("handle {} ({})", counted, handle.kind == Kind::point ? "a point" : "a region");
}

namespace {

/// `mesh` is that of the character at the start.
void checkHandlesOn(const Mesh& mesh, const Character& character, std::span<const PoseHandle> handles) {
    const bool own_joints = character.skeleton.joints.empty();
    std::vector<double> weight = jointWeights(character);
    const std::vector<std::int32_t> of_props = rig::carriersOfProps(character);
    for (const std::int32_t joint : of_props)
        if (joint >= 0) weight[std::size_t(joint)] += 1;
    const std::vector<std::uint32_t> carrier = findCarriers(character, weight);
    for (std::size_t i = 0; i < handles.size(); ++i) {
        if (handles[i].kind != Kind::joint) {
            verticesOf(mesh, handles[i], i);
            const bool turned = handles[i].given == Given::full || handles[i].given == Given::rotation;
            if (!own_joints && turned)
                refuse(handles[i], i,
                       fmt::format("has a {} constraint, which is only possible for joints; give a position",
                                   handles[i].given == Given::full ? "full" : "rotation"));
        } else if (own_joints) {
            refuse(handles[i], i, "does not exist: the character has no joints; use points and regions");
        } else {
            checkJoint(character, handles, i, carrier, weight);
        }
    }
    if (std::all_of(handles.begin(), handles.end(), [](const PoseHandle& h) { return h.given == Given::free; }))
        throw Error::badInput(
            "no handle is constrained; give at least one an offset, a target, a rotation or a transform");
}

}  // namespace

void checkHandles(const Character& character, std::span<const PoseHandle> handles) {
    checkHandlesOn(character.mesh, character, handles);
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

HandlePlan planHandles(Character& character, PoseStart& start, std::span<const PoseHandle> handles,
                       const PreparationCache* cache, const Progress& progress) {
    const bool own_joints = character.skeleton.joints.empty();
    if (start.mesh.positions.empty()) throw Error::badInput("has no vertices to pose");
    checkHandlesOn(start.mesh, character, handles);
    if (own_joints)
        addJoints(character, start, handles, cache, progress);
    else if (character.weights.empty())
        character.weights = boundWeights(start, cache, progress);

    HandlePlan plan;
    plan.carrier = findCarriers(character, jointWeights(character));
    plan.joint_positions = rig::jointRestPositions(start.skeleton);
    for (std::size_t i = 0; i < handles.size(); ++i) {
        std::optional<std::size_t> joint;
        if (own_joints) joint = i;
        if (handles[i].kind == Kind::joint) joint = jointOf(start.skeleton, handles[i], i);
        plan.joint_of.push_back(joint);
        plan.held.push_back(heldPlace(start.mesh, handles[i], i, joint, plan));
        if (handles[i].given == Given::free) continue;
        plan.constraints.push_back(constraintOf(start.mesh, handles[i], i, joint, plan));
        plan.handle_of.push_back(i);
    }
    return plan;
}

}  // namespace pelt::pipeline
