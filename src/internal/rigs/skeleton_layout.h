#pragma once

#include <pelt/runtime/skeleton.h>

#include "text_table.h"

namespace pelt::runtime {

struct NodeRecord {
    std::int32_t parent = -1;
    LocalTransform rest;
};

struct JointRecord {
    float inverse_bind[16] = {};
    std::uint32_t node = 0;
};

/// A rotation that is an input of a learned joint.
struct InputRecord {
    std::uint32_t node = 0, unused = 0;
    Quatd bind_rotation;
};

/// An input of a virtual joint, matrices by columns.
struct VirtualInputRecord {
    float place[16] = {}, block[16] = {};
    std::uint32_t node = 0, unused[3] = {};
};

/// The values are those of rig::DrivenJoint.
struct DriverRecord {
    std::uint32_t node = 0, driver = 0, parent = 0;
    DriverKind kind = DriverKind::rotation;
    std::uint32_t axis = 0, reciprocal = 0;
    std::uint32_t first_child = 0, first_input = 0, first_virtual = 0;  ///< the next driver's are the ends
    std::uint32_t unused = 0;
    double fraction = 0, k = 0, bind_scale = 1;
    Quatd bind_rotation;
    Trs placed, rest;
};

struct SkeletonData {
    std::span<const NodeRecord> nodes;
    std::span<const JointRecord> joints;
    std::span<const DriverRecord> drivers;  ///< and one past the last
    std::span<const std::uint32_t> children;
    std::span<const InputRecord> inputs;
    std::span<const double> coefficients;  ///< six rows of kLearnedTerms for each input of a driver
    std::span<const VirtualInputRecord> virtual_inputs;
    TextTable names;  ///< per node
};

struct SkeletonHeader {
    RigHeader rig;
    ArrayAt<NodeRecord> nodes;
    ArrayAt<JointRecord> joints;
    ArrayAt<DriverRecord> drivers;
    ArrayAt<std::uint32_t> children;
    ArrayAt<InputRecord> inputs;
    ArrayAt<double> coefficients;
    ArrayAt<VirtualInputRecord> virtual_inputs;
    TextTableAt names;
};

}  // namespace pelt::runtime
