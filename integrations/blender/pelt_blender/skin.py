"""A character of the scene as Pelt takes it: the skin of an armature in one space."""
from dataclasses import dataclass, field

import numpy as np

from . import glb, matrices, scene
from .library import pelt
from .scene import Fault


@dataclass
class Part:
    """One mesh of the character: vertices first … first + count of it."""

    name: str
    first: int
    count: int
    placed: np.ndarray  # (4, 4): from the mesh's space to the armature's
    own_vertices: bool  # whether these are the vertices of the mesh itself, not those of a modifier above the armature
    triangles: np.ndarray = None
    rows: tuple = None
    maps: dict = field(default_factory=dict)


@dataclass
class Skin:
    """Positions are in character space: the armature's units, upright, y up."""

    armature: str
    bones: scene.Bones
    space: np.ndarray  # (4, 4), a rotation: from armature space to character space
    parts: list
    positions: np.ndarray  # (V, 3) float32

    def local(self, points, part):
        """Points of one part, or of (…, V, 3) all of them, in the space of its mesh."""
        back = np.linalg.inv(self.space @ part.placed)
        return matrices.moved(points[..., part.first : part.first + part.count, :], back)

    def to_character(self, transforms):
        """Maps of armature space (…, 4, 4) as maps of character space."""
        return self.space @ transforms @ self.space.T

    def to_armature(self, transforms):
        return self.space.T @ transforms @ self.space

    def skin_matrices(self, poses):
        """Rest to posed, in character space, from the bones' matrices (…, J, 4, 4) in armature space."""
        return self.to_character(poses @ np.linalg.inv(self.bones.rests))

    def of_part(self, mesh_object):
        return next(part for part in self.parts if part.name == mesh_object.name)


def placed_in(armature, mesh_object):
    """From the mesh's space to the armature's. Throws Fault where one of them has no extent."""
    for each in (armature, mesh_object):
        world = matrices.of(each.matrix_world)
        if not np.isfinite(world).all() or abs(np.linalg.det(world[:3, :3])) < 1e-30:
            raise Fault(f"'{each.name}' is scaled to nothing: give it a scale other than 0")
    return np.linalg.inv(matrices.of(armature.matrix_world)) @ matrices.of(mesh_object.matrix_world)


def _placed_then(mesh_object, placed):
    """Where the mesh was in its armature when Mush was used, if it was only moved and turned since: the settings that
    Pelt derives from the bones then stay the same."""
    then = np.array(mesh_object.pelt.placed, float).reshape(4, 4)
    return then if then[3, 3] == 1 and matrices.is_rigid(placed @ np.linalg.inv(then)) else placed


def upright(armature):
    """The rotation from armature space to upright space with y up."""
    space = np.eye(4)
    space[:3, :3] = matrices.Y_UP[:3, :3] @ matrices.nearest_rotation(matrices.of(armature.matrix_world)[:3, :3])
    return space


def read(armature, meshes, maps=None, own_vertices=True, stored=False):
    """The skin of these meshes. `maps`: names of vertex groups by attribute. `own_vertices` asks for the meshes' own
    vertices, to which something is to be written; `stored`: see scene.rest_mesh. Throws Fault."""
    bones = scene.bones_of(armature)
    joints = scene.joint_of_group(armature, bones)
    skin = Skin(armature.name, bones, upright(armature), [], None)
    positions, first = [], 0
    for mesh_object in meshes:
        part = _read_part(skin, armature, mesh_object, joints, maps or {}, positions, stored)
        if own_vertices and not part.own_vertices:
            above = ", ".join(f"'{m.name}'" for m in scene.modifiers_above(mesh_object))
            raise Fault(
                f"modifiers above the armature change the vertices of '{mesh_object.name}': apply {above} or "
                "move them below"
            )
        part.first, first = first, first + part.count
        skin.parts.append(part)
    skin.positions = np.concatenate(positions).astype(np.float32)
    return skin


def _read_part(skin, armature, mesh_object, joints, maps, positions, stored):
    placed = placed_in(armature, mesh_object)
    if stored:
        placed = _placed_then(mesh_object, placed)
    with scene.rest_mesh(mesh_object, stored) as (mesh, points):
        rows = scene.weight_rows(mesh_object, mesh, joints)
        part = Part(
            mesh_object.name,
            0,
            len(points),
            placed,
            len(points) == len(mesh_object.data.vertices),
            scene.triangles_of(mesh),
            rows,
        )
        for attribute, group in maps.items():
            part.maps[attribute] = scene.group_values(mesh_object, mesh, group)
        positions.append(matrices.moved(points.astype(float), skin.space @ placed))
    return part


def need_weights(skin):
    for part in skin.parts:
        if len(part.rows[1]) == 0:
            raise Fault(f"'{part.name}' has no weights for the bones of '{skin.armature}': use Bind first")


def to_bytes(skin, poses=None, weights=True):
    """The character as a .glb. poses: matrices of the bones (F, J, 4, 4) in armature space, which become the clip.
    Gives the bytes and the shear that keys leave out."""
    file, shear = glb.Writer(), 0.0
    worlds = skin.space @ skin.bones.rests
    glb.add_skeleton(file, skin.bones.names, skin.bones.parents, worlds)
    if poses is not None:
        shear = glb.add_clip(file, "scene", skin.bones.parents, skin.space @ poses)
    roots = [j for j, parent in enumerate(skin.bones.parents) if parent < 0]
    for part in skin.parts:
        rows = part.rows if weights and len(part.rows[1]) else None
        points = skin.positions[part.first : part.first + part.count]
        glb.add_mesh(file, part.name, points, part.triangles, rows, part.maps)
    nodes = file.document["nodes"]
    file.document["scenes"] = [{"nodes": roots + list(range(len(skin.bones.names), len(nodes)))}]
    file.document["scene"] = 0
    return file.to_bytes(), shear


def character(skin, **what):
    """The skin as a pelt.Character."""
    return pelt.loads(to_bytes(skin, **what)[0], "the character")
