// Packs skeletons, driven joints and morph targets for the runtime.
#include <pelt/core/error.h>
#include <pelt/rig/pack.h>

#include <algorithm>
#include <limits>

#include "pack_virtual.h"
#include "runtime/driven_local.h"
#include "runtime/layout/morphs_layout.h"
#include "runtime/layout/rig_writer.h"

namespace pelt::rig {
namespace {

using runtime::DriverRecord;
using runtime::RigWriter;

/// Concatenated names.
struct Texts {
    std::vector<std::uint32_t> offsets{0};
    std::string text;

    void append(const std::string& name) {
        text += name;
        if (text.size() > std::numeric_limits<std::uint32_t>::max())
            throw Error::badInput("the names are longer than a packed rig can hold");
        offsets.push_back(std::uint32_t(text.size()));
    }
    template <class Header>
    void addTo(RigWriter<Header>& writer, runtime::TextTableAt& at) const {
        writer.add(at.offsets, offsets);
        writer.add(at.text, text);
    }
};

runtime::NodeRecord recordOf(const SkeletonNode& node) {
    const Trs t = node.matrix ? trsOf(*node.matrix) : node.local;
    const Quatd& q = t.rotation;
    return {node.parent, {Vec3f(t.translation), {float(q.x), float(q.y), float(q.z), float(q.w)}, Vec3f(t.scale)}};
}

runtime::JointRecord recordOf(const Joint& joint) {
    runtime::JointRecord record;
    for (int i = 0; i < 16; ++i) record.inverse_bind[i] = float(joint.inverse_bind.m[i]);
    record.node = joint.node;
    return record;
}

/// The motion of a joint; the default values where it moves in another way.
template <class Motion>
const Motion& motionOr(const DrivenJoint& joint) {
    static const Motion none;
    const Motion* motion = joint.as<Motion>();
    return motion ? *motion : none;
}

DriverRecord recordOf(const Skeleton& skeleton, const DrivenJoint& joint) {
    const auto& rotation = motionOr<DrivenRotation>(joint);
    const auto& scale = motionOr<DrivenScale>(joint);
    DriverRecord record;
    record.node = joint.node;
    record.driver = joint.driver;
    record.parent = scale.parent;
    record.kind = joint.kind();
    record.axis = std::uint32_t(scale.axis);
    record.reciprocal = scale.reciprocal;
    record.fraction = rotation.fraction;
    record.k = scale.k;
    record.bind_scale = scale.bind_scale;
    record.bind_rotation = rotation.bind_rotation;
    record.placed = motionOr<DrivenLearned>(joint).placed;
    record.rest = skeleton.nodes[joint.node].local;
    return record;
}

struct Drivers {
    std::vector<DriverRecord> records;
    std::vector<std::uint32_t> children;
    std::vector<runtime::InputRecord> inputs;
    std::vector<double> coefficients;

    Drivers(const Skeleton& skeleton, std::span<const DrivenJoint> driven) {
        for (const DrivenJoint& joint : driven) {
            if (joint.as<DrivenVirtual>()) continue;  // PackedVirtualJoints
            append(recordOf(skeleton, joint));
            const auto& scale = motionOr<DrivenScale>(joint);
            children.insert(children.end(), scale.children.begin(), scale.children.end());
            const auto& learned = motionOr<DrivenLearned>(joint);
            for (const LearnedInput& input : learned.inputs) inputs.push_back({input.node, 0, input.bind_rotation});
            coefficients.insert(coefficients.end(), learned.coefficients.begin(), learned.coefficients.end());
        }
        append({});
    }

private:
    void append(DriverRecord record) {
        record.first_child = std::uint32_t(children.size());
        record.first_input = std::uint32_t(inputs.size());
        records.push_back(record);
    }
};

}  // namespace

AlignedBytes packSkeleton(const Skeleton& skeleton, std::span<const DrivenJoint> driven) {
    std::vector<runtime::NodeRecord> nodes;
    Texts names;
    for (const SkeletonNode& node : skeleton.nodes) {
        nodes.push_back(recordOf(node));
        names.append(node.name);
    }
    std::vector<runtime::JointRecord> joints;
    for (const Joint& joint : skeleton.joints) joints.push_back(recordOf(joint));
    const Drivers drivers(skeleton, driven);
    const PackedVirtualJoints virtual_joints = packVirtualJoints(skeleton, driven);

    runtime::SkeletonHeader header;
    RigWriter<runtime::SkeletonHeader> writer;
    writer.add(header.nodes, nodes);
    writer.add(header.joints, joints);
    writer.add(header.drivers, drivers.records);
    writer.add(header.children, drivers.children);
    writer.add(header.inputs, drivers.inputs);
    writer.add(header.coefficients, drivers.coefficients);
    writer.add(header.sources, virtual_joints.sources);
    writer.add(header.virtual_joints, virtual_joints.joints);
    writer.add(header.blocks, virtual_joints.blocks);
    writer.add(header.block_sources, virtual_joints.block_sources);
    names.addTo(writer, header.names);
    return writer.finish(header, runtime::RigKind::skeleton);
}

AlignedBytes packMorphs(const Mesh& mesh) {
    std::vector<runtime::MorphRecord> targets;
    std::vector<std::uint32_t> vertices;
    std::vector<Vec3f> positions, normals;
    Texts names;
    const auto append = [&](float default_weight, bool has_normals) {
        targets.push_back({vertices.size(), normals.size(), default_weight, has_normals});
    };
    for (const MorphTarget& morph : mesh.morphs) {
        append(morph.default_weight, !morph.normal_offsets.empty());
        vertices.insert(vertices.end(), morph.vertices.begin(), morph.vertices.end());
        positions.insert(positions.end(), morph.position_offsets.begin(), morph.position_offsets.end());
        normals.insert(normals.end(), morph.normal_offsets.begin(), morph.normal_offsets.end());
        names.append(morph.name);
    }
    append(0, false);

    runtime::MorphsHeader header;
    RigWriter<runtime::MorphsHeader> writer;
    writer.add(header.positions, mesh.positions);
    writer.add(header.normals, mesh.normals);
    writer.add(header.targets, targets);
    writer.add(header.vertices, vertices);
    writer.add(header.position_offsets, positions);
    writer.add(header.normal_offsets, normals);
    names.addTo(writer, header.names);
    return writer.finish(header, runtime::RigKind::morphs);
}

}  // namespace pelt::rig
