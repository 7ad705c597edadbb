"""What is in the scene: the armature, the meshes that follow it, their arrays. Nothing is changed here."""
import contextlib
from dataclasses import dataclass

import bpy
import numpy as np

from . import matrices

MUSH = "Pelt Mush"  # the modifier, and its group of nodes
HELPER = "pelt_helper"  # a custom property of bones that Bake or Fit added
LEAST_WEIGHT = 1e-6

#: True while the scene is evaluated for its arrays: the live mush leaves it alone then.
quiet = [False]


class Fault(Exception):
    """One sentence that the user can act on."""


@contextlib.contextmanager
def evaluating():
    before, quiet[0] = quiet[0], True
    try:
        yield
    finally:
        quiet[0] = before


# ---- which objects -------------------------------------------------------------------------------------------------


def mush_modifier(mesh_object):
    return next(
        (m for m in mesh_object.modifiers if m.type == "NODES" and m.node_group and m.node_group.get("pelt_mush")), None
    )


def shape_input(modifier):
    """How the modifier's input for its points is called as a property."""
    group = modifier.node_group
    listed = group.interface.items_tree if hasattr(group, "interface") else group.inputs
    return next(s.identifier for s in listed if s.name == "Shape")


def armature_modifiers(mesh_object):
    """Those that deform the mesh."""
    return [m for m in mesh_object.modifiers if m.type == "ARMATURE" and m.object and m.show_viewport]


def armature_of(mesh_object):
    """The armature that a mesh follows, or None. Throws Fault where there are several."""
    if mush_modifier(mesh_object):
        return mesh_object.pelt.armature
    found = armature_modifiers(mesh_object)
    if len({m.object for m in found}) > 1 or len(found) > 1:
        raise Fault(
            f"'{mesh_object.name}' has several armature modifiers ({', '.join(m.name for m in found)}): "
            "turn off all but one"
        )
    if found:
        return found[0].object
    if mesh_object.parent and mesh_object.parent.type == "ARMATURE" and mesh_object.parent_type == "ARMATURE":
        return mesh_object.parent
    return None


def _meshes_of(context, armature):
    meshes = []
    for candidate in context.view_layer.objects:
        if candidate.type == "MESH" and candidate.visible_get():
            with contextlib.suppress(Fault):
                if armature_of(candidate) == armature:
                    meshes.append(candidate)
    return meshes


def selected_meshes(context, armature):
    """The active mesh and the selected ones that follow the same armature, or all those of an active armature."""
    active = context.view_layer.objects.active
    if active.type == "ARMATURE":
        meshes = _meshes_of(context, armature)
        if not meshes:
            raise Fault(f"no visible mesh follows the armature '{armature.name}': add an Armature modifier to one")
        return meshes
    others = [o for o in context.selected_objects if o.type == "MESH" and o != active]
    return [active] + sorted((o for o in others if armature_of(o) == armature), key=lambda o: o.name)


def need_object_mode(context):
    if context.view_layer.objects.active is None:
        raise Fault("nothing is active: click the mesh of a character, or its armature")
    if context.mode.startswith("EDIT") or context.mode.startswith("SCULPT"):
        raise Fault("leave Edit Mode first (Tab): the mesh is still being changed")


def find(context):
    """The armature and the meshes to work on. Throws Fault."""
    need_object_mode(context)
    active = context.view_layer.objects.active
    if active.type == "ARMATURE":
        return active, selected_meshes(context, active)
    if active.type != "MESH":
        raise Fault(f"'{active.name}' is no mesh and no armature: click the mesh of a character first")
    armature = armature_of(active)
    if armature is None:
        raise Fault(
            f"'{active.name}' follows no armature: add an Armature modifier to it, or use Bind with the "
            "armature selected too"
        )
    return armature, selected_meshes(context, armature)


def need_local(*objects):
    """Throws Fault for objects of another file, which cannot be changed here."""
    for each in objects:
        if each.library or (each.data and each.data.library):
            raise Fault(f"'{each.name}' is linked from another file: make it local first (Object > Relations)")


# ---- arrays of a mesh ----------------------------------------------------------------------------------------------


def vectors(collection, attribute="co"):
    values = np.empty(3 * len(collection), np.float32)
    collection.foreach_get(attribute, values)
    return values.reshape(-1, 3)


def triangles_of(mesh):
    mesh.calc_loop_triangles()
    values = np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("vertices", values)
    return values.reshape(-1, 3)


def rest_positions(mesh):
    """The vertices without shape keys."""
    return vectors(mesh.shape_keys.reference_key.data if mesh.shape_keys else mesh.vertices)


def slot_of(mesh_object):
    """Where among the modifiers the armature acts."""
    return next(
        (
            k
            for k, m in enumerate(mesh_object.modifiers)
            if m == mush_modifier(mesh_object) or (m.type == "ARMATURE" and m.object)
        ),
        0,
    )


def modifiers_above(mesh_object):
    return [m for m in mesh_object.modifiers[: slot_of(mesh_object)] if m.show_viewport and m.type != "ARMATURE"]


@contextlib.contextmanager
def _evaluated_above(mesh_object):
    """The mesh as the armature gets it: after the modifiers above it."""
    lower = [m for m in mesh_object.modifiers[slot_of(mesh_object) :] if m.show_viewport]
    with evaluating():
        for modifier in lower:
            modifier.show_viewport = False
        try:
            evaluated = mesh_object.evaluated_get(bpy.context.evaluated_depsgraph_get())
            yield evaluated.data
        finally:
            for modifier in lower:
                modifier.show_viewport = True
            bpy.context.view_layer.update()


def store_rest(mesh_object):
    """Keeps what the modifiers above the armature make of the mesh."""
    old, mesh_object.pelt.rest = mesh_object.pelt.rest, None
    if old and old.users == 0:
        bpy.data.meshes.remove(old)
    if modifiers_above(mesh_object):
        with _evaluated_above(mesh_object) as mesh:
            made = mesh.copy()
        made.name = f"{mesh_object.name} Rest"
        mesh_object.pelt.rest = made


@contextlib.contextmanager
def rest_mesh(mesh_object, stored=False):
    """A mesh to read, and its vertices (V, 3) in its own space. Throws Fault for what no character is made of.

    `stored` takes what modifiers above the armature made when Mush was used: the scene cannot be evaluated while it is.
    """
    if stored and mesh_object.pelt.rest:
        yield mesh_object.pelt.rest, _checked(mesh_object, vectors(mesh_object.pelt.rest.vertices))
    elif modifiers_above(mesh_object) and not stored:
        with _evaluated_above(mesh_object) as mesh:
            yield mesh, _checked(mesh_object, vectors(mesh.vertices))
    else:
        yield mesh_object.data, _checked(mesh_object, rest_positions(mesh_object.data))


def _checked(mesh_object, positions):
    if len(positions) == 0 or len(mesh_object.data.polygons) == 0:
        raise Fault(f"'{mesh_object.name}' has no faces")
    wrong = np.flatnonzero(~np.isfinite(positions).all(axis=1))
    if len(wrong):
        raise Fault(
            f"'{mesh_object.name}' has {len(wrong)} vertices whose position is not a number, the first is "
            f"{wrong[0]}: delete or move them"
        )
    return positions


def weight_rows(mesh_object, mesh, joint_of_group):
    """Compressed rows of the weights: offsets, joints, values."""
    table = [joint_of_group.get(group.name, -1) for group in mesh_object.vertex_groups]
    counts, joints, values = np.zeros(len(mesh.vertices), np.int64), [], []
    for number, vertex in enumerate(mesh.vertices):
        row = {}
        for entry in vertex.groups:
            joint = table[entry.group] if entry.group < len(table) else -1
            if joint >= 0 and entry.weight > LEAST_WEIGHT:
                row[joint] = row.get(joint, 0.0) + entry.weight
        counts[number] = len(row)
        joints += row.keys()
        values += row.values()
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return offsets, np.array(joints, np.uint32), np.array(values, np.float32)


def group_values(mesh_object, mesh, name):
    """The weights of one vertex group as a map; 1 everywhere where the mesh has no such group."""
    group = mesh_object.vertex_groups.get(name)
    if group is None:
        return np.ones(len(mesh.vertices), np.float32)
    values = np.zeros(len(mesh.vertices), np.float32)
    for number, vertex in enumerate(mesh.vertices):
        for entry in vertex.groups:
            if entry.group == group.index:
                values[number] = entry.weight
    return values


# ---- bones ---------------------------------------------------------------------------------------------------------


@dataclass
class Bones:
    """The bones that deform, parents first, each under the nearest one above it that deforms."""

    names: list
    parents: list
    rests: np.ndarray  # (J, 4, 4), armature space

    @property
    def index(self):
        return {name: number for number, name in enumerate(self.names)}


def bones_of(armature):
    """Throws Fault where no bone deforms. Helpers of an earlier Bake are left out; their weights are their parents'."""
    bones = [b for b in armature.data.bones if b.use_deform and not b.get(HELPER)]
    if not bones:
        raise Fault(f"the armature '{armature.name}' has no bone that deforms: turn on Deform in a bone's properties")
    bones.sort(key=lambda bone: len(bone.parent_recursive))
    index = {bone.name: number for number, bone in enumerate(bones)}
    parents = [next((index[b.name] for b in bone.parent_recursive if b.name in index), -1) for bone in bones]
    return Bones([bone.name for bone in bones], parents, np.array([matrices.of(bone.matrix_local) for bone in bones]))


def joint_of_group(armature, bones):
    """Which joint a vertex group stands for, by name."""
    table = bones.index
    for bone in armature.data.bones:
        if bone.get(HELPER) and bone.use_deform:
            above = next((b.name for b in bone.parent_recursive if b.name in table), None)
            if above is not None:
                table[bone.name] = table[above]
    return table


def pose_matrices(armature, names, depsgraph):
    """(J, 4, 4): the bones now, in armature space."""
    pose = armature.evaluated_get(depsgraph).pose.bones
    return np.array([matrices.of(pose[name].matrix) for name in names])
