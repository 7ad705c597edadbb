#pragma once

#include <pelt/rig/character.h>

namespace pelt::rig {

/// Of the skinned mesh and of the props.
std::size_t vertexCount(const Character& character);

/// The skinned mesh as it is and after it the props where their nodes stand at rest. Attributes that only the skinned
/// mesh has stay where the format of Mesh lets them: UVs and painted maps are 0 on the props.
Mesh wholeMesh(const Character& character);

/// Spans of the props' vertices in rest shape and as they are wanted; normals and tangents may be empty.
struct PropsShape {
    std::span<const Vec3f> positions, normals, tangents;
};
struct PlacedProps {
    std::span<Vec3f> positions, normals, tangents;
};

/// Moves the props (`rest` in the space of their nodes, such as a morphed shape of Props::mesh) by the root-space
/// transforms of all nodes. Normals and tangents come out with length 1.
void placeProps(const Props& props, std::span<const Affine3d> worlds, const PropsShape& rest, const PlacedProps& out);

/// Root-space transforms of all nodes at time `t`, drivers applied; those of the rest pose where `clip` is null.
std::vector<Affine3d> nodeWorlds(const Character& character, const Clip* clip, double t);

/// Per part of the props, the joint slot that carries it (the nearest at or above its node), or -1.
std::vector<std::int32_t> carriersOfProps(const Character& character);

}  // namespace pelt::rig
