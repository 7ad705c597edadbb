#pragma once

#include <pelt/rig/character.h>

namespace pelt::rig {

/// Transforms a character's rest pose into the space in which it moves, in place.
///
/// A file may store the mesh in other units than the character moves in, lying down or mirrored, and undo that in the
/// inverse bind matrices: the maps M_j = world_j · inverse_bind_j of the nodes' rest pose then share a map N that is
/// not the identity. Code that computes rotations or lengths from M_j would mistake N for motion. Therefore the mesh
/// becomes N u and the inverse binds become inverse_bind · N⁻¹, which does not change any posed vertex. If the rest
/// pose of the nodes is not the bind pose, the M_j differ by rigid motions and share only a stretch. N then consists of
/// the stretch that most of the skin has and the mean rotation of the joints: a common rotation does not affect any
/// method, and the character is upright.
///
/// `slots` lists, per instance of the mesh, the joints of its skin, none for an instance without a skin; if it is
/// empty, the whole mesh has one skin with all joints. The maps that were applied are stored in Character::from_file.
void normalizeRestSpace(Character& character, std::span<const std::vector<std::uint32_t>> slots = {});

/// The same with the maps of another character, one per instance (none: all are the identity): that of a part of it,
/// such as a level of detail, which shall stand where the whole stands. Instances that share slots have the same map.
void placeRestSpace(Character& character, std::span<const std::vector<std::uint32_t>> slots,
                    std::span<const Affine3d> maps);

/// Transforms the positions of some vertices by a map, and their normals, tangents and morph targets.
void transformVertices(Mesh& mesh, std::size_t first, std::size_t count, const Affine3d& map);

/// Transforms the rows of some vertices to the rest space that `map` leads to.
void transformRows(DdmRows<float>& rows, std::size_t first, std::size_t count, const Affine3d& map);

/// Maps the character's rest pose to the bind pose that its file shows: to the space of the file's POSITIONs if that is
/// one for the whole mesh. A file may store each skin in a space of its own; there is no figure in these numbers, so
/// the map is then the identity: the bind pose in the space in which the character moves.
Affine3d toFileSpace(const Character& character);

/// From the space of the character to that in which the file stores most of its mesh: there it is symmetric, whereas
/// the pose in which the nodes rest need not be.
Affine3d toModeledSpace(const Character& character);

/// Size of the mesh in the file relative to the posed character: 100 for a mesh in centimeters that moves in meters.
double restScale(const Affine3d& from_file);

}  // namespace pelt::rig
