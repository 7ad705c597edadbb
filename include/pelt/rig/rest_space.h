#pragma once

#include <pelt/rig/character.h>

namespace pelt::rig {

/// Brings a character's rest pose into the space that it moves in, in place.
///
/// A skin may keep its mesh in other units than the figure moves in, lying or mirrored, and undo that in its inverse
/// bind matrices: the maps M_j = world_j · inverse_bind_j of the nodes' rest pose then share a map N that is not the
/// identity. Whatever takes rotations or lengths out of M_j would mistake N for motion. So the mesh becomes N u and the
/// inverse binds become inverse_bind · N⁻¹: what is posed stays where it was. Where the nodes' rest is not the bind
/// pose the M_j differ by rigid motions and share only a stretch; N then has the stretch that most of the skin agrees
/// on and the mean of the joints' turns: a common turn changes no method, and the figure stands upright as most of it
/// does.
///
/// `slots` lists, per instance of the mesh, the joints that its skin binds, none for an instance without a skin; where
/// it is empty, the whole mesh has one skin with all joints. Character::from_file says what was done.
void normalizeRestSpace(Character& character, std::span<const std::vector<std::uint32_t>> slots = {});

/// Takes points of some vertices through a map, with the normals, tangents and morph targets that belong to them.
void transformVertices(Mesh& mesh, std::size_t first, std::size_t count, const Affine3d& map);

/// The rows of some vertices for a rest space that `map` leads to.
void transformRows(DdmRows<float>& rows, std::size_t first, std::size_t count, const Affine3d& map);

/// How many times the file's mesh is as large as the posed figure: 100 for one in centimeters that moves in meters.
double restScale(const Affine3d& from_file);

}  // namespace pelt::rig
