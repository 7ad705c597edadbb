"""Transfer and LOD: the weights of a character for another mesh, and the character with fewer faces."""
import bpy
import numpy as np

from . import glb, matrices, scene, skin as skins, table, weights, writing
from .library import pelt
from .long_work import LongWork
from .scene import Fault


@table.options("transfer")
class Transfer(LongWork, bpy.types.Operator):
    """Copy the weights of the other selected meshes to the active one, which then follows their armature"""

    bl_idname = "pelt.transfer"
    bl_label = "Transfer"

    def gather(self, context):
        scene.need_object_mode(context)
        target = self._target = context.view_layer.objects.active
        if target.type != "MESH":
            raise Fault(f"'{target.name}' is no mesh: click the mesh that is to get weights last")
        self._armature, sources = _sources(context, target)
        scene.need_local(target)
        if scene.mush_modifier(target):
            raise Fault(f"'{target.name}' is mushed: remove the mush first")
        options = table.given(self, context)
        skin = skins.read(self._armature, sources, own_vertices=False)
        skins.need_weights(skin)
        goal = skins.read(self._armature, [target])
        data, _ = skins.to_bytes(skin)
        shape = goal.positions, goal.parts[0].triangles.astype(np.uint32)
        yield 1.0, "read"
        return lambda progress: pelt.loads(data, "the character").transfer(shape, progress=progress, **options)

    def finish(self, context, made):
        writing.write_weights(self._target, self._armature, made.joints, made.weights_dense())
        writing.follow(self._target, self._armature)
        return weights.summary(self.bl_label, made)


def _sources(context, target):
    """The armature, and the other selected meshes that follow it."""
    others = [o for o in context.selected_objects if o.type == "MESH" and o != target and scene.armature_of(o)]
    armatures = {scene.armature_of(o) for o in others}
    if not others:
        raise Fault("select the mesh to copy weights from, then the one that is to get them: that is the active one")
    own = scene.armature_of(target)
    if len(armatures) > 1 or own not in (None, *armatures):
        raise Fault("the selected meshes follow different armatures: select those of one")
    return armatures.pop(), sorted(others, key=lambda o: o.name)


@table.options("lod")
class Lod(LongWork, bpy.types.Operator):
    """Make copies of the meshes with fewer faces, one of each for every level, on the same armature"""

    bl_idname = "pelt.lod"
    bl_label = "Levels of Detail"

    def gather(self, context):
        self._armature, self._meshes = scene.find(context)
        options = table.given(self, context)
        skin = self._skin = skins.read(self._armature, self._meshes, own_vertices=False)
        skins.need_weights(skin)
        data, _ = skins.to_bytes(skin)
        yield 1.0, "read"
        return lambda progress: pelt.loads(data, "the character").lod(progress=progress, **options)

    def finish(self, context, levels):
        counts = []
        for number, level in enumerate(levels, 1):
            self._add(level, number)
            counts.append(str(len(level.triangles)))
        context.view_layer.update()
        return f"made {len(levels)} levels with {', '.join(counts)} triangles"

    def _add(self, level, number):
        """New objects for one level; the meshes of its file are in the order of its vertices."""
        first, dense, triangles = 0, level.weights_dense(), level.triangles.astype(np.int64)
        for name, count in glb.Reader(level.to_bytes()).skinned_meshes():
            part = next(part for part in self._skin.parts if part.name == name)
            mesh_object, here = bpy.data.objects[name], slice(first, first + count)
            points = matrices.moved(level.positions[here], np.linalg.inv(self._skin.space @ part.placed))
            within = (triangles[:, 0] >= first) & (triangles[:, 0] < first + count)
            made = _copy_with(mesh_object, f"{name}_lod{number}", points, triangles[within] - first)
            writing.follow(made, self._armature)
            writing.write_weights(made, self._armature, level.joints, dense[here])
            first += count


def _copy_with(mesh_object, name, points, triangles):
    """An object beside another one, with a mesh of its own that nothing moves yet."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], triangles.tolist())
    mesh.polygons.foreach_set("use_smooth", [mesh_object.data.polygons[0].use_smooth] * len(mesh.polygons))
    for material in mesh_object.data.materials[:1]:
        mesh.materials.append(material)
    made = mesh_object.copy()
    made.data, made.name = mesh, name
    made.pelt.armature = made.pelt.rest = None
    made.animation_data_clear()
    made.vertex_groups.clear()
    made.modifiers.clear()
    for collection in mesh_object.users_collection or (bpy.context.scene.collection,):
        collection.objects.link(made)
    return made


CLASSES = (Transfer, Lod)
