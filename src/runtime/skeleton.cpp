// Packed skeletons: the check of their bytes, driven joints, and skin matrices.
#include <algorithm>
#include <cassert>

#include "driven_local.h"
#include "rig_view.h"
#include "runtime/layout/skeleton_layout.h"
#include "skeleton_kernel.h"
#include "virtual_joints.h"

namespace pelt::runtime {
namespace {

bool isDriver(const SkeletonData& rig, const DriverRecord& driver, const DriverRecord& next) noexcept {
    const std::size_t nodes = rig.nodes.size();
    return driver.node < nodes && driver.driver < nodes && driver.parent < nodes && driver.kind < DriverKind::ddm &&
           driver.axis < 3 && driver.first_child <= next.first_child && driver.first_input <= next.first_input;
}

bool areDrivers(const SkeletonData& rig) noexcept {
    if (rig.drivers.empty() || rig.drivers.front().first_child != 0 || rig.drivers.front().first_input != 0)
        return false;
    for (std::size_t d = 0; d + 1 < rig.drivers.size(); ++d)
        if (!isDriver(rig, rig.drivers[d], rig.drivers[d + 1])) return false;
    return rig.drivers.back().first_child == rig.children.size() &&
           rig.drivers.back().first_input == rig.inputs.size() &&
           rig.coefficients.size() == 6 * kLearnedTerms * rig.inputs.size();
}

bool isVirtual(const SkeletonData& rig, std::uint32_t node) noexcept {
    const auto joints = rig.virtual_joints.first(rig.virtual_joints.size() - 1);
    const auto found =
        std::lower_bound(joints.begin(), joints.end(), node,
                         [](const VirtualJointRecord& joint, std::uint32_t n) { return joint.node < n; });
    return found != joints.end() && found->node == node;
}

/// Each has inputs, and no virtual joint has a child or is followed by another.
bool areVirtualJoints(const SkeletonData& rig) noexcept {
    const auto joints = rig.virtual_joints;
    if (joints.empty() || joints.front().first != 0 || joints.back().first != rig.blocks.size()) return false;
    if (rig.block_sources.size() != rig.blocks.size() || !allBelow(rig.block_sources, rig.sources.size())) return false;
    for (std::size_t v = 0; v + 1 < joints.size(); ++v)
        if (joints[v].node >= rig.nodes.size() || joints[v].first >= joints[v + 1].first ||
            (v > 0 && joints[v].node <= joints[v - 1].node))
            return false;
    return std::none_of(
               rig.nodes.begin(), rig.nodes.end(),
               [&](const NodeRecord& n) { return n.parent >= 0 && isVirtual(rig, std::uint32_t(n.parent)); }) &&
           std::all_of(rig.sources.begin(), rig.sources.end(),
                       [&](const VirtualSource& s) { return s.node < rig.nodes.size() && !isVirtual(rig, s.node); });
}

Trs toTrs(const LocalTransform& t) {
    const Quatf& q = t.rotation;
    return {Vec3d(t.translation), {q.x, q.y, q.z, q.w}, Vec3d(t.scale)};
}

LocalTransform toLocal(const Trs& t) {
    const Quatd& q = t.rotation;
    return {Vec3f(t.translation), {float(q.x), float(q.y), float(q.z), float(q.w)}, Vec3f(t.scale)};
}

struct FloatLocals {
    std::span<const LocalTransform> locals;
    Trs trs(std::size_t node) const { return toTrs(locals[node]); }
    Quatd rotation(std::size_t node) const { return trs(node).rotation; }
    Affine3d matrix(std::size_t node) const { return toAffine(trs(node)); }
};

/// A record with the arrays that belong to it.
struct PackedDriver : DriverRecord {
    std::span<const std::uint32_t> children;
    std::span<const InputRecord> inputs;
    std::span<const double> coefficients;
};

PackedDriver driverAt(const SkeletonData& rig, std::size_t d) {
    const DriverRecord &driver = rig.drivers[d], &next = rig.drivers[d + 1];
    const std::size_t inputs = next.first_input - driver.first_input;
    constexpr std::size_t kNumbers = 6 * kLearnedTerms;
    return {driver, rig.children.subspan(driver.first_child, next.first_child - driver.first_child),
            rig.inputs.subspan(driver.first_input, inputs),
            rig.coefficients.subspan(kNumbers * driver.first_input, kNumbers * inputs)};
}

template <class Parents>
Trs localOf(const PackedDriver& driver, const FloatLocals& locals, const Parents& parents) {
    switch (driver.kind) {
        case DriverKind::rotation:
            return rotationLocal(driver.driver, driver, locals);
        case DriverKind::learned:
            return learnedLocal(driver, locals);
        default:
            return scaleLocal(driver.driver, driver, driver.rest, locals, parents);
    }
}

}  // namespace

void SkeletonData::locate(const SkeletonHeader& header, RigArrays& arrays) noexcept {
    nodes = arrays(header.nodes);
    joints = arrays(header.joints);
    drivers = arrays(header.drivers);
    children = arrays(header.children);
    inputs = arrays(header.inputs);
    coefficients = arrays(header.coefficients);
    sources = arrays(header.sources);
    virtual_joints = arrays(header.virtual_joints);
    blocks = arrays(header.blocks);
    block_sources = arrays(header.block_sources);
    names = {arrays(header.names.offsets), arrays(header.names.text)};
}

bool SkeletonData::isSound() const noexcept {
    const std::size_t count = nodes.size();
    for (std::size_t n = 0; n < count; ++n)
        if (nodes[n].parent < -1 || nodes[n].parent >= std::int64_t(n)) return false;
    return names.isSound(count) && areDrivers(*this) && areVirtualJoints(*this) && allBelow(children, count) &&
           std::all_of(joints.begin(), joints.end(), [&](const JointRecord& j) { return j.node < count; }) &&
           std::all_of(inputs.begin(), inputs.end(), [&](const InputRecord& i) { return i.node < count; });
}

Checked<SkeletonRig> SkeletonRig::view(std::span<const std::byte> bytes) noexcept {
    return RigView::of<SkeletonRig, SkeletonData>(bytes);
}

std::size_t SkeletonRig::nodeCount() const noexcept { return headerOf<SkeletonHeader>(bytes()).nodes.count; }
std::size_t SkeletonRig::jointCount() const noexcept { return headerOf<SkeletonHeader>(bytes()).joints.count; }
std::size_t SkeletonRig::driverCount() const noexcept {
    const auto& header = headerOf<SkeletonHeader>(bytes());
    return header.drivers.count - 1 + (header.virtual_joints.count - 1);  // each list has one past its last
}
std::string_view SkeletonRig::nodeName(std::size_t node) const noexcept {
    return dataOf<SkeletonData>(*this).names[node];
}
std::int32_t SkeletonRig::nodeParent(std::size_t node) const noexcept {
    return dataOf<SkeletonData>(*this).nodes[node].parent;
}
LocalTransform SkeletonRig::nodeRest(std::size_t node) const noexcept {
    return dataOf<SkeletonData>(*this).nodes[node].rest;
}
std::uint32_t SkeletonRig::jointNode(std::size_t joint) const noexcept {
    return dataOf<SkeletonData>(*this).joints[joint].node;
}

Affine3f SkeletonRig::jointInverseBind(std::size_t joint) const noexcept {
    Affine3f a;
    std::copy_n(dataOf<SkeletonData>(*this).joints[joint].inverse_bind, 16, a.m);
    return a;
}

void applyDrivers(const SkeletonRig& rig, std::span<LocalTransform> locals) noexcept {
    const SkeletonData data = dataOf<SkeletonData>(rig);
    assert(locals.size() == data.nodes.size());
    const FloatLocals read{locals};
    const auto parents = [&](std::size_t node) { return data.nodes[node].parent; };
    for (std::size_t d = 0; d + 1 < data.drivers.size(); ++d) {
        const PackedDriver driver = driverAt(data, d);
        locals[driver.node] = toLocal(localOf(driver, read, parents));
    }
}

void applyVirtualJoints(const SkeletonRig& rig, std::span<Affine3f> worlds) noexcept {
    const SkeletonData data = dataOf<SkeletonData>(rig);
    assert(worlds.size() == data.nodes.size());
    driveVirtual(data, worlds);
}

void skinMatrices(const SkeletonRig& rig, std::span<const LocalTransform> locals, std::span<Affine3f> worlds,
                  std::span<Affine3f> bones) noexcept {
    const SkeletonData data = dataOf<SkeletonData>(rig);
    assert(locals.size() == data.nodes.size() && worlds.size() == data.nodes.size());
    assert(bones.size() == data.joints.size());
    std::size_t next_virtual = 0;  // driveVirtual sets those
    for (std::size_t n = 0; n < data.nodes.size(); ++n) {
        if (next_virtual + 1 < data.virtual_joints.size() && data.virtual_joints[next_virtual].node == n) {
            ++next_virtual;
            continue;
        }
        const Affine3f local(toAffine(toTrs(locals[n])));
        const std::int32_t parent = data.nodes[n].parent;
        worlds[n] = parent < 0 ? local : worlds[std::size_t(parent)] * local;
    }
    driveVirtual(data, worlds);
    moveFromBind(data.joints, worlds, bones);
}

}  // namespace pelt::runtime
