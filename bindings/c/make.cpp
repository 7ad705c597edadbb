// Makes a character of the C interface from arrays of the caller.
#include <fmt/format.h>
#include <pelt/core/error.h>

#include <cmath>

#include "handles.h"

using namespace pelt;
using pelt::c::guarded;
using pelt::c::need;

namespace {

void readMesh(const pelt_arrays& arrays, Mesh& mesh) {
    need(arrays.positions, "positions");
    if (arrays.vertex_count == 0) throw Error::badInput("positions: there are none");
    for (std::size_t i = 0; i < 3 * arrays.vertex_count; ++i)
        if (!std::isfinite(arrays.positions[i]))
            throw Error::badInput(fmt::format("positions: vertex {} is not finite", i / 3));
    const auto* positions = reinterpret_cast<const Vec3f*>(arrays.positions);
    mesh.positions.assign(positions, positions + arrays.vertex_count);
    if (arrays.triangle_count == 0) return;
    need(arrays.triangles, "triangles");
    for (std::size_t t = 0; t < arrays.triangle_count; ++t) {
        const std::uint32_t* corner = arrays.triangles + 3 * t;
        for (int k = 0; k < 3; ++k)
            if (corner[k] >= arrays.vertex_count)
                throw Error::badInput(
                    fmt::format("triangles: triangle {} names vertex {} of {}", t, corner[k], arrays.vertex_count));
        mesh.triangles.push_back({corner[0], corner[1], corner[2]});
    }
}

void readSkeleton(const pelt_arrays& arrays, Skeleton& skeleton) {
    if (arrays.joint_count == 0) return;
    need(arrays.joint_names, "joint_names");
    need(arrays.joint_parents, "joint_parents");
    need(arrays.joint_binds, "joint_binds");
    std::vector<Affine3f> binds;
    c::readMatrices(arrays.joint_binds, arrays.joint_count, "joint_binds", binds);
    for (std::size_t j = 0; j < arrays.joint_count; ++j) {
        need(arrays.joint_names[j], "a name in joint_names");
        const std::int32_t parent = arrays.joint_parents[j];
        if (parent < -1 || parent >= std::int32_t(j))
            throw Error::badInput(fmt::format(
                "joint_parents: joint {} has parent {}; parents come before their children, -1 is a root", j, parent));
        const Affine3d world(binds[j]);
        if (!(std::abs(determinant(world.linear())) > 0))
            throw Error::badInput(fmt::format("joint_binds: matrix {} has no inverse", j));
        SkeletonNode node;
        node.name = arrays.joint_names[j];
        node.parent = parent;
        const Affine3d local = parent < 0 ? world : inverse(Affine3d(binds[std::size_t(parent)])) * world;
        node.local = rig::trsOf(local);
        skeleton.nodes.push_back(node);
        skeleton.joints.push_back({std::uint32_t(j), inverse(world)});
    }
}

void readWeights(const pelt_arrays& arrays, SkinWeights& weights) {
    if (!arrays.weight_offsets) return;
    need(arrays.weight_joints, "weight_joints");
    need(arrays.weight_values, "weight_values");
    if (arrays.weight_offsets[0] != 0) throw Error::badInput("weight_offsets: the first must be 0");
    for (std::size_t v = 0; v < arrays.vertex_count; ++v) {
        const std::uint64_t begin = arrays.weight_offsets[v], end = arrays.weight_offsets[v + 1];
        if (end < begin) throw Error::badInput(fmt::format("weight_offsets: falls at vertex {}", v));
        for (std::uint64_t i = begin; i < end; ++i) {
            if (arrays.weight_joints[i] >= arrays.joint_count)
                throw Error::badInput(fmt::format("weights: vertex {} names joint {} of {}", v, arrays.weight_joints[i],
                                                  arrays.joint_count));
            if (!(arrays.weight_values[i] >= 0) || !std::isfinite(arrays.weight_values[i]))
                throw Error::badInput(fmt::format("weights: vertex {} has a weight that is negative or not finite", v));
        }
        const std::size_t count = std::size_t(end - begin);
        if (!(appendVertex(weights, {arrays.weight_joints + begin, count}, {arrays.weight_values + begin, count}) > 0))
            throw Error::badInput(fmt::format("weights: vertex {} has none", v));
    }
}

}  // namespace

pelt_status pelt_make(const pelt_arrays* arrays, pelt_character** character) {
    return guarded([&] {
        need(arrays, "arrays");
        need(character, "character");
        if (arrays->size < sizeof(pelt_arrays)) throw Error::badUsage("arrays: size is not sizeof(pelt_arrays)");
        Character made;
        readMesh(*arrays, made.mesh);
        readSkeleton(*arrays, made.skeleton);
        readWeights(*arrays, made.weights);
        *character = new pelt_character(std::move(made));
    });
}
