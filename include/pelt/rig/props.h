#pragma once

#include <pelt/rig/character.h>

namespace pelt::rig {

/// The number of vertices of the skinned mesh and the props together.
std::size_t vertexCount(const Character& character);

/// The skinned mesh followed by the props, placed by their nodes at rest. Attributes that only the skinned mesh has are
/// kept if Mesh allows it: UVs and painted maps are 0 on the props.
Mesh wholeMesh(const Character& character);

/// The props' vertices at rest, and where to write them; normals and tangents may be empty.
struct PropsShape {
    std::span<const Vec3f> positions, normals, tangents;
};
struct PlacedProps {
    std::span<Vec3f> positions, normals, tangents;
};

/// Moves the props (`rest` in the space of their nodes, such as a morphed shape of Props::mesh) by the root-space
/// transforms of all nodes. Normals and tangents get unit length.
void placeProps(const Props& props, std::span<const Affine3d> worlds, const PropsShape& rest, const PlacedProps& out);

/// Root-space transforms of all nodes at time `t`, drivers applied; those of the rest pose if `clip` is null.
std::vector<Affine3d> nodeWorlds(const Character& character, const Clip* clip, double t);

/// Per part of the props, the joint slot that carries it (the nearest at or above its node), or -1.
std::vector<std::int32_t> carriersOfProps(const Character& character);

}  // namespace pelt::rig
