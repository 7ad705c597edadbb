"""Goes through the frames of the scene and notes what moves: bones and deformed vertices. Generators that yield
(fraction, stage), so that a window can show progress between two frames."""
import bpy
import numpy as np

from . import matrices, scene
from .scene import Fault


def frames_of(context):
    """The numbers of the frames that the panel asks for: those of the scene, or of its preview range."""
    settings, current = context.scene.pelt, context.scene
    first, last = (
        (current.frame_preview_start, current.frame_preview_end)
        if current.use_preview_range
        else (current.frame_start, current.frame_end)
    )
    if last < first:
        raise Fault(f"the scene has no frames: it ends ({last}) before it starts ({first})")
    return range(first, last + 1, settings.step)


def each_frame(context, frames, note, stage):
    """Calls note(depsgraph) at every frame."""
    for number, frame in enumerate(frames):
        with scene.evaluating():
            context.scene.frame_set(frame)
            note(bpy.context.evaluated_depsgraph_get())
        yield number / len(frames), stage


def poses(context, armature, names, frames):
    """(F, J, 4, 4), armature space."""
    found = []
    yield from each_frame(
        context, frames, lambda graph: found.append(scene.pose_matrices(armature, names, graph)), "read poses"
    )
    return np.array(found)


def moving_poses(context, armature, names):
    """The poses of the scene's frames, or None where nothing moves the bones or the panel asks for none."""
    if not (context.scene.pelt.bake_motion and _moves(armature)):
        return None
    return (yield from poses(context, armature, names, frames_of(context)))


def _moves(armature):
    """Whether anything may move the bones over time."""
    data = armature.animation_data
    return bool(data and (data.action or data.nla_tracks or data.drivers)) or any(
        bone.constraints for bone in armature.pose.bones
    )


def world_vertices(mesh_object, depsgraph, count=None):
    """The vertices after all modifiers, in the scene. `count`: how many they must be."""
    evaluated = mesh_object.evaluated_get(depsgraph)
    points = scene.vectors(evaluated.data.vertices)
    if count is not None and len(points) != count:
        changing = ", ".join(f"'{m.name}'" for m in mesh_object.modifiers if m.show_viewport and m.type != "ARMATURE")
        raise Fault(
            f"the modifiers of '{mesh_object.name}' make {len(points)} vertices of {count}: turn off or apply "
            f"those that change the mesh ({changing or 'none is on'})"
        )
    wrong = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(wrong):
        raise Fault(
            f"'{mesh_object.name}' has {len(wrong)} vertices whose position is not a number at frame "
            f"{bpy.context.scene.frame_current}, the first is {wrong[0]}"
        )
    return matrices.moved(points.astype(float), matrices.of(evaluated.matrix_world))
