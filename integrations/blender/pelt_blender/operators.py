"""Bind, Mush, Bake and Check: what changes the skin of a mesh on its armature."""
import bpy
import numpy as np

from . import helpers, mush, mush_nodes, sampling, scene, skin as skins, table, weights, writing
from .library import pelt
from .long_work import LongWork
from .scene import Fault


@table.options("bind", shared={"method": "bind_method", "influences": "influences"})
class Bind(LongWork, bpy.types.Operator):
    """Give the mesh weights for the bones of its armature, or of the armature that is selected too"""

    bl_idname = "pelt.bind"
    bl_label = "Bind"

    def gather(self, context):
        self._armature, self._meshes = _to_bind(context)
        scene.need_local(*self._meshes)
        skin = self._skin = skins.read(self._armature, self._meshes)
        options = table.given(self, context)
        if self.method == "rigid":
            options.pop("influences", None)
        # Rigid weights are the heaviest of those that all parts have; smooth ones do not depend on the old ones.
        weighted = self.method == "rigid" and all(len(part.rows[1]) for part in skin.parts)
        data, _ = skins.to_bytes(skin, weights=weighted)
        yield 1.0, "read"
        return lambda progress: pelt.loads(data, "the character").bind(progress=progress, **options)

    def finish(self, context, bound):
        weights.write(self._skin, self._meshes, self._armature, bound.joints, bound.weights_dense())
        for mesh_object in self._meshes:
            if not scene.mush_modifier(mesh_object):
                writing.follow(mesh_object, self._armature)
        mush.forget()
        return weights.summary(self.bl_label, bound)


def _to_bind(context):
    """Here the armature may also be a selected one."""
    scene.need_object_mode(context)
    active = context.view_layer.objects.active
    chosen = [o for o in context.selected_objects if o.type == "ARMATURE"]
    if active.type == "MESH" and scene.armature_of(active) is None and len(chosen) == 1:
        others = [o for o in context.selected_objects if o.type == "MESH" and o != active]
        free = [o for o in others if scene.armature_of(o) in (None, chosen[0])]
        return chosen[0], [active] + sorted(free, key=lambda o: o.name)
    if active.type == "ARMATURE":
        free = [o for o in context.selected_objects if o.type == "MESH" and scene.armature_of(o) in (None, active)]
        if free:
            return active, sorted(free, key=lambda o: o.name)
    return scene.find(context)


class Mush(LongWork, bpy.types.Operator):
    """Show the meshes by Direct Delta Mush: smooth skin that follows the pose, the time line and the settings below"""

    bl_idname = "pelt.mush"
    bl_label = "Mush"

    def gather(self, context):
        self._armature, chosen = scene.find(context)
        scene.need_local(*chosen)
        # Everything that is mushed on one armature is one character.
        names = {each.name for each in chosen} | set(mush.cast().get(self._armature.name, ()))
        self._meshes = [each for each in bpy.data.objects if each.name in names]
        skin, options = mush.read(self._armature, self._meshes)
        data, _ = skins.to_bytes(skin)
        yield 1.0, "read"
        return lambda progress: mush.Live(skin, options, data, progress=progress)

    def finish(self, context, live):
        mush.drop_fitted(self._armature)
        mush.begin(self._armature, self._meshes, live)
        context.view_layer.update()
        return f"mushed {len(live.skin.positions)} vertices of {len(self._meshes)} meshes"


class Unmush(bpy.types.Operator):
    """Let the armature's modifier deform the meshes again"""

    bl_idname = "pelt.unmush"
    bl_label = "Remove Mush"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        try:
            armature, meshes = scene.find(context)
        except Fault as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}
        for mesh_object in meshes:
            mush_nodes.remove(mesh_object)
        mush.drop_fitted(armature)
        mush.forget()
        armature.update_tag()
        return {"FINISHED"}


_OF_ARMATURE = [name for name, row in table.rows_of("bake").items() if row["group"] == table.MUSH]


_OF_SCENE = {"influences": "influences", "helpers": "helpers", "virtual": "virtual_joints"}


@table.options("bake", without=_OF_ARMATURE, shared=_OF_SCENE)
class Bake(LongWork, bpy.types.Operator):
    """Write the mush as plain weights and helper bones, which every engine plays"""

    bl_idname = "pelt.bake"
    bl_label = "Bake"

    def gather(self, context):
        self._armature, self._meshes = scene.find(context)
        scene.need_local(self._armature, *self._meshes)
        writing.need_editable(context, self._armature)
        settings = context.scene.pelt
        if self._armature.pelt.fitted:
            raise Fault(
                f"'{self._armature.name}' shows what Fit made, whose plain skin it has already: remove the mush"
            )
        skin, options = mush.read(self._armature, self._meshes)
        _need_own_vertices(skin)
        options.update(table.given(self, context))
        if self.virtual > 0:
            options.pop("helpers", None)  # they take their place
        self._skin, self._frames = skin, sampling.frames_of(context)
        poses = yield from sampling.moving_poses(context, self._armature, skin.bones.names)
        if poses is None and self.virtual > 0:
            raise Fault("virtual joints have keys at the frames of an animation: animate the armature, or use Helpers")
        self._motion = "KEYS" if settings.helper_motion == "KEYS" and poses is not None else "DRIVERS"
        data, _ = skins.to_bytes(skin, poses)
        return lambda progress: pelt.loads(data, "the character").bake(progress=progress, **options)

    def finish(self, context, baked):
        for mesh_object in self._meshes:
            mush_nodes.remove(mesh_object)
        names = helpers.write(context, self._skin, self._armature, baked, self._frames, self._motion)
        weights.write(self._skin, self._meshes, self._armature, names, baked.weights_dense())
        mush.forget()
        self._armature.update_tag()
        context.view_layer.update()
        added = len(names) - len(self._skin.bones.names)
        report = baked.report
        error = report.get("range_of_motion", report)["e_rms"]
        return (
            f"baked to {report['influences']} bones per vertex and {added} helper bones; "
            f"E_RMS {error:.2f} over the range of motion"
        )


def _need_own_vertices(skin):
    for part in skin.parts:
        if not part.own_vertices:
            raise Fault(
                f"modifiers above the armature change the vertices of '{part.name}': apply them or move them " "below"
            )


@table.options("info")
class Check(bpy.types.Operator):
    """List what is in the character and what is wrong with it"""

    bl_idname = "pelt.check"
    bl_label = "Check"

    def execute(self, context):
        try:
            armature, meshes = scene.find(context)
            skin = skins.read(armature, meshes, own_vertices=False)
            weighted = all(len(part.rows[1]) for part in skin.parts)
            info = skins.character(skin, weights=weighted).info(**table.given(self, context))
        except (Fault, pelt.Error) as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}
        lines = _facts(info) + [f"! {each}" for each in info["problems"] + _of_scene(armature, meshes)]
        context.scene.pelt.report = "\n".join(lines)
        for line in lines:
            self.report({"WARNING" if line.startswith("!") else "INFO"}, line)
        return {"FINISHED"}


@table.options("check")
class Judge(bpy.types.Operator):
    """Say what is wrong with the skin of the character"""

    bl_idname = "pelt.judge"
    bl_label = "Judge the Skin"

    def execute(self, context):
        try:
            armature, meshes = scene.find(context)
            skin = skins.read(armature, meshes)
            skins.need_weights(skin)
            report = skins.character(skin).check(**table.given(self, context))
        except (Fault, pelt.Error) as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}
        lines = [f"score {report['score']:.1f}"]
        lines += [f"! {each['severity']}: {each['says']}" for each in report["findings"] if each["severity"] != "note"]
        context.scene.pelt.report = "\n".join(lines)
        for line in lines:
            self.report({"WARNING" if line.startswith("!") else "INFO"}, line)
        return {"FINISHED"}


def _facts(info):
    """In lines that a narrow sidebar shows whole."""
    return [
        f"{info['vertices']} vertices",
        f"{info['triangles']} triangles",
        f"{info['connected_parts']} parts",
        f"{info['bones']} bones",
        f"{info['max_influences']} influences at most",
        f"{info['boundary_edges']} boundary edges",
    ]


def _of_scene(armature, meshes):
    """Problems that only Blender can have."""
    found = []
    if any(bone.bbone_segments > 1 for bone in armature.data.bones if bone.use_deform):
        found.append(f"'{armature.name}' has bendy bones: Pelt moves each as one piece")
    bones = {bone.name: bone.use_deform for bone in armature.data.bones}
    for mesh_object in meshes:
        still = [g.name for g in mesh_object.vertex_groups if bones.get(g.name) is False]
        if still:
            found.append(f"'{mesh_object.name}' has weights for bones that do not deform: {', '.join(still[:4])}")
        above = scene.modifiers_above(mesh_object)
        if above:
            found.append(f"'{mesh_object.name}' has modifiers above the armature: {', '.join(m.name for m in above)}")
        scale = np.array(mesh_object.matrix_world.to_scale())
        if scale.max() > 1.001 * scale.min():
            found.append(f"'{mesh_object.name}' is scaled unevenly")
    return found


CLASSES = (Bind, Mush, Unmush, Bake, Check, Judge)
