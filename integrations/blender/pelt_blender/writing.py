"""Writes results into the scene: vertex groups, bones, poses, keys. Runs on the main thread, within one undo step."""
import bpy
import numpy as np
from mathutils import Matrix

from . import matrices, scene


def write_weights(mesh_object, armature, names, weights):
    """`weights` (V, J) replace those of all groups that name a deforming bone; other groups stay."""
    everything = list(range(len(mesh_object.data.vertices)))
    deforming = {bone.name for bone in armature.data.bones if bone.use_deform}
    for group in mesh_object.vertex_groups:
        if group.name in deforming:
            group.remove(everything)
    for joint, name in enumerate(names):
        column = weights[:, joint]
        used = np.flatnonzero(column > scene.LEAST_WEIGHT)
        if len(used) == 0:
            continue
        group = mesh_object.vertex_groups.get(name) or mesh_object.vertex_groups.new(name=name)
        whole = used[column[used] == 1]
        if len(whole):
            group.add(whole.tolist(), 1.0, "REPLACE")
        for vertex in used[column[used] != 1].tolist():
            group.add([vertex], float(column[vertex]), "REPLACE")
    mesh_object.data.update()


def follow(mesh_object, armature):
    """An armature modifier, where there is none."""
    if scene.armature_modifiers(mesh_object):
        return
    if mesh_object.parent == armature and mesh_object.parent_type == "ARMATURE":
        mesh_object.parent_type = "OBJECT"
    existing = next((m for m in mesh_object.modifiers if m.type == "ARMATURE" and m.object in (None, armature)), None)
    modifier = existing or mesh_object.modifiers.new("Armature", "ARMATURE")
    modifier.object, modifier.show_viewport, modifier.show_render = armature, True, True


class EditBones:
    """Bones to add to or remove from an armature; `with` switches to its Edit Mode and back."""

    def __init__(self, context, armature):
        self._context, self._armature = context, armature

    def __enter__(self):
        self._active = self._context.view_layer.objects.active
        self._context.view_layer.objects.active = self._armature
        bpy.ops.object.mode_set(mode="EDIT")
        return self._armature.data.edit_bones

    def __exit__(self, *_):
        bpy.ops.object.mode_set(mode="OBJECT")
        self._context.view_layer.objects.active = self._active


def need_editable(context, armature):
    if armature.name not in context.view_layer.objects or not armature.visible_get():
        raise scene.Fault(f"the armature '{armature.name}' is hidden: show it, bones are added to it")


def new_bone(bones, name, rest, length, parent=None):
    """A bone at `rest`, a rigid matrix (4, 4) in armature space; gives its name, which may get a number."""
    bone = bones.new(name)
    bone.head, bone.tail = (0, 0, 0), (0, length, 0)
    bone.matrix = Matrix(rest.tolist())
    bone.length = length
    bone.parent = parent
    return bone.name


def rests_of(armature, names):
    return np.array([matrices.of(armature.data.bones[name].matrix_local) for name in names])


def basis_of(armature, names, poses):
    """What the bones' own channels must be, (…, J, 4, 4), for poses (…, J, 4, 4) of these bones in armature space.

    A bone whose parent is not among them hangs from the parent's pose of now.
    """
    index = {name: j for j, name in enumerate(names)}
    basis = np.empty_like(poses)
    for j, name in enumerate(names):
        bone = armature.data.bones[name]
        rest = matrices.of(bone.matrix_local)
        if bone.parent is None:
            hung = rest
        else:
            parent_rest = matrices.of(bone.parent.matrix_local)
            parent = (
                poses[..., index[bone.parent.name], :, :]
                if bone.parent.name in index
                else matrices.of(armature.pose.bones[bone.parent.name].matrix)
            )
            hung = parent @ np.linalg.inv(parent_rest) @ rest
        basis[..., j, :, :] = np.linalg.inv(hung) @ poses[..., j, :, :]
    return basis


def _curve(armature, action, path, index, group):
    if hasattr(action, "fcurve_ensure_for_datablock"):
        return action.fcurve_ensure_for_datablock(armature, path, index=index, group_name=group)
    found = action.fcurves.find(path, index=index)
    if found:
        action.fcurves.remove(found)
    return action.fcurves.new(path, index=index, action_group=group)


def write_keys(armature, name, frames, basis):
    """Keys of one bone, linear, for its channels' matrices (F, 4, 4)."""
    bone = armature.pose.bones[name]
    bone.rotation_mode = "QUATERNION"
    data = armature.animation_data or armature.animation_data_create()
    if data.action is None:
        data.action = bpy.data.actions.new(f"{armature.name} Pelt")
    moves, turns, scales, _ = matrices.decomposed(basis)
    turns = matrices.continuous(turns)
    for channel, values in (("location", moves), ("rotation_quaternion", turns), ("scale", scales)):
        for index in range(values.shape[1]):
            curve = _curve(
                armature, data.action, f'pose.bones["{bpy.utils.escape_identifier(name)}"].{channel}', index, name
            )
            curve.keyframe_points.add(len(frames))
            points = np.stack([np.asarray(frames, float), values[:, index]], axis=1)
            curve.keyframe_points.foreach_set("co", points.ravel())
            curve.keyframe_points.foreach_set("interpolation", [1] * len(frames))  # linear
            curve.update()


def set_pose(armature, names, basis):
    """Puts the bones' channels, whatever their rotation mode is."""
    for j, name in enumerate(names):
        bone = armature.pose.bones[name]
        bone.matrix_basis = Matrix(basis[j].tolist())


def show_alone(context, mesh_object, source):
    """Links a new object beside the one it was made of, which is hidden."""
    collections = source.users_collection or (context.scene.collection,)
    for collection in collections:
        if mesh_object.name not in collection.objects:
            collection.objects.link(mesh_object)
    source.hide_set(True)
    source.hide_render = True


def write_positions(mesh_object, positions):
    mesh_object.data.vertices.foreach_set("co", np.ascontiguousarray(positions, np.float32).ravel())
    mesh_object.data.update()
