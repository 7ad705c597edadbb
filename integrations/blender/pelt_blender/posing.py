"""Pins and Pose: empties hold or drag bones, and the rest of the body follows."""
import threading

import bpy
import numpy as np
from bpy.app.handlers import persistent
from mathutils import Matrix

from . import matrices, scene, skin as skins, table, writing
from .library import pelt
from .long_work import LongWork
from .scene import Fault

_SIZE = 0.03  # of an empty, in extents of the armature


class Pin(bpy.types.Operator):
    """Put an empty at each selected bone: where it is, the bone goes or stays"""

    bl_idname = "pelt.pin"
    bl_label = "Pin Bones"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        armature = context.view_layer.objects.active
        if armature is None or armature.type != "ARMATURE":
            self.report({"ERROR"}, "click the armature and select bones in Pose Mode first")
            return {"CANCELLED"}
        chosen = [bone for bone in armature.pose.bones if bone.bone.select]
        if not chosen:
            self.report({"ERROR"}, f"no bone of '{armature.name}' is selected: select some in Pose Mode first")
            return {"CANCELLED"}
        still = [bone.name for bone in chosen if not bone.bone.use_deform]
        if still:
            self.report({"ERROR"}, f"'{still[0]}' does not deform: pin a bone that moves the skin")
            return {"CANCELLED"}
        taken = {pin.pelt.bone for pin in pins_of(armature)}
        for bone in chosen:
            if bone.name not in taken:
                _new_pin(context, armature, bone)
        return {"FINISHED"}


def _new_pin(context, armature, bone):
    pin = bpy.data.objects.new(f"Pin {bone.name}", None)
    pin.empty_display_type = "SPHERE"
    pin.empty_display_size = _SIZE * max(armature.dimensions) or 0.1
    pin.show_in_front = True
    pin.pelt.armature, pin.pelt.bone = armature, bone.name
    for collection in armature.users_collection or (context.scene.collection,):
        collection.objects.link(pin)
    location, turn, _ = (armature.matrix_world @ bone.matrix).decompose()
    pin.matrix_world = Matrix.LocRotScale(location, turn, None)


def pins_of(armature):
    return [
        o
        for o in bpy.data.objects
        if o.type == "EMPTY" and o.pelt.bone and o.pelt.armature == armature and o.users_scene
    ]


def posed_armature(context):
    """The armature that pins of the active object belong to. Throws Fault."""
    scene.need_object_mode(context)
    active = context.view_layer.objects.active
    if active.type == "EMPTY" and active.pelt.armature:
        return active.pelt.armature
    if active.type == "ARMATURE":
        return active
    armature = scene.armature_of(active) if active.type == "MESH" else None
    if armature is None:
        raise Fault(f"'{active.name}' has no armature to pose: click an armature, its mesh or one of its pins")
    return armature


class Problem:
    """What is to be solved, read from the scene; `solve` needs no scene."""

    def __init__(self, context, armature):
        meshes = [
            o
            for o in context.view_layer.objects
            if o.type == "MESH" and o.visible_get() and scene.armature_of(o) == armature
        ]
        if not meshes:
            raise Fault(f"no visible mesh follows '{armature.name}': the skin tells how stiff the bones are")
        skin = self.skin = skins.read(armature, meshes, own_vertices=False)
        skins.need_weights(skin)
        start = scene.pose_matrices(armature, skin.bones.names, context.evaluated_depsgraph_get())
        self._handles = _handles(armature, skin)
        self._data, _ = skins.to_bytes(skin, start[np.newaxis])

    def solve(self, progress=None, **options):
        """Matrices of the bones in armature space (J, 4, 4), in the order of the skin's, and the report."""
        posed = pelt.loads(self._data, "the character").pose(self._handles, progress=progress, clip=0, at=0, **options)
        order = [posed.joints.index(name) for name in self.skin.bones.names]
        moved = self.skin.to_armature(posed.skin_matrices(0)[0].astype(float))[order]
        return moved @ self.skin.bones.rests, posed.report


def _handles(armature, skin):
    pins = pins_of(armature)
    if not pins:
        raise Fault(f"'{armature.name}' has no pins: select bones in Pose Mode and use Pin Bones")
    to_armature = np.linalg.inv(matrices.of(armature.matrix_world))
    handles = []
    for pin in pins:
        if pin.pelt.bone not in skin.bones.index:
            raise Fault(
                f"'{pin.name}' pins '{pin.pelt.bone}', which is no deforming bone of '{armature.name}': " "delete it"
            )
        placed = to_armature @ matrices.of(pin.matrix_world)
        if not np.isfinite(placed).all():
            raise Fault(f"'{pin.name}' is at no place: its numbers are not finite")
        if pin.pelt.turns:
            placed[:3, :3] = matrices.nearest_rotation(placed[:3, :3])
            moved = skin.to_character(placed @ np.linalg.inv(skin.bones.rests[skin.bones.index[pin.pelt.bone]]))
            handles.append({"joint": pin.pelt.bone, "constraint": "full", "transform": moved.T.ravel().tolist()})
        else:
            handles.append(
                {"joint": pin.pelt.bone, "constraint": "position", "target": (skin.space @ placed)[:3, 3].tolist()}
            )
    return handles


def put(context, armature, skin, poses):
    """Writes the pose; keys too where Blender's own posing would."""
    names = skin.bones.names
    writing.set_pose(armature, names, writing.basis_of(armature, names, poses))
    if context.scene.tool_settings.use_keyframe_insert_auto:
        for name in names:
            bone = armature.pose.bones[name]
            turn = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
                bone.rotation_mode, "rotation_euler"
            )
            bone.keyframe_insert(turn)
            if bone.parent is None:
                bone.keyframe_insert("location")


@table.options("pose")
class Pose(LongWork, bpy.types.Operator):
    """Pose the armature so that pinned bones are at their empties"""

    bl_idname = "pelt.pose"
    bl_label = "Pose"

    def gather(self, context):
        self._armature = posed_armature(context)
        problem, options = Problem(context, self._armature), table.given(self, context)
        self._problem = problem
        yield 1.0, "read"
        return lambda progress: problem.solve(progress, **options)

    def finish(self, context, result):
        poses, report = result
        put(context, self._armature, self._problem.skin, poses)
        context.view_layer.update()
        missed = max((place["missed"] for place in report["places"]), default=0.0)
        return f"posed by {len(report['places'])} pins; the farthest is {missed:.3g} from its empty"


# ---- following pins while they are dragged -------------------------------------------------------------------------

_solving = {}  # by the armature's name: whether pins have moved again since the solve began


@persistent
def on_update(current, depsgraph):
    if bpy.app.background or scene.quiet[0] or not current.pelt.follow_pins:
        return
    moved = {update.id.original for update in depsgraph.updates if update.is_updated_transform}
    for armature in {
        o.pelt.armature
        for o in moved
        if isinstance(o, bpy.types.Object) and o.type == "EMPTY" and o.pelt.bone and o.pelt.armature
    }:
        if armature.name in _solving:
            _solving[armature.name] = True
        else:
            _solving[armature.name] = False
            bpy.app.timers.register(lambda name=armature.name: _start(name), first_interval=0)  # not while it evaluates


def _start(name):
    """Solves in a thread, since that takes longer than a frame; a timer puts the pose and goes on where pins moved."""
    armature, made, _solving[name] = bpy.data.objects.get(name), [], False
    try:
        problem = Problem(bpy.context, armature)
    except (Fault, pelt.Error):
        _solving.pop(name)
        return  # the button says what is wrong

    def run():
        try:
            made.append(problem.solve()[0])
        except Exception:
            made.append(None)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    bpy.app.timers.register(lambda: 0.02 if thread.is_alive() else _fetch(name, problem, made), first_interval=0.02)


def _fetch(name, problem, made):
    again, armature = _solving.pop(name), bpy.data.objects.get(name)
    if armature is not None and made[0] is not None:
        put(bpy.context, armature, problem.skin, made[0])
        if again:
            _start(name)


def register():
    bpy.app.handlers.depsgraph_update_post.append(on_update)


def unregister():
    bpy.app.handlers.depsgraph_update_post.remove(on_update)


CLASSES = (Pin, Pose)
