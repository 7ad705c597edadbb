"""Fit and Decompose: skins from meshes that something else moves (shape keys, mesh caches, Alembic, simulations)."""
import bpy
import numpy as np

from . import glb, helpers, matrices, mush, sampling, scene, skin as skins, table, writing
from .library import pelt
from .long_work import LongWork
from .scene import Fault

_LENGTH = 0.08  # of a found bone, in extents of the mesh


@table.options("fit", shared={"influences": "influences", "max_extra_joints": "extra_bones"})
class Fit(LongWork, bpy.types.Operator):
    """Make a plain skin that reproduces what shape keys, caches and other modifiers do with the mesh on its armature"""

    bl_idname = "pelt.fit"
    bl_label = "Fit"

    def gather(self, context):
        self._armature, self._meshes = scene.find(context)
        scene.need_local(self._armature)
        writing.need_editable(context, self._armature)
        settings = context.scene.pelt
        sources = _sources(self._meshes, settings.target)
        skin = self._skin = skins.read(self._armature, self._meshes)
        frames = self._frames = sampling.frames_of(context)
        poses, examples = yield from _sample(context, skin, self._armature, sources, frames)
        self._motion = settings.helper_motion
        data, _ = skins.to_bytes(skin, poses, weights=all(len(part.rows[1]) for part in skin.parts))
        options = {"clip": 0, **table.given(self, context)}
        if self.max_extra_joints == 0:
            options["extra_joints"] = "none"
        return lambda progress: pelt.loads(data, "the character").fit(examples, progress=progress, **options)

    def finish(self, context, fitted):
        names = helpers.write(context, self._skin, self._armature, fitted, self._frames, self._motion)
        weights, copies = fitted.weights_dense(), []
        for mesh_object in self._meshes:
            part = self._skin.of_part(mesh_object)
            made = _plain_copy(mesh_object, f"{mesh_object.name}_fit")
            writing.write_positions(made, self._skin.local(fitted.positions, part))
            writing.show_alone(context, made, mesh_object)
            writing.follow(made, self._armature)
            writing.write_weights(made, self._armature, names, weights[part.first : part.first + part.count])
            copies.append(made)
        context.view_layer.update()
        report = fitted.report
        if "signed" in report:
            self._show_signed(context, fitted, names, copies)
        return (
            f"fitted {report['frames']} frames with {len(names) - len(self._skin.bones.names)} extra bones; "
            f"RMS {report.get('signed', report)['rms']:.3g}, before {report['rms_own_weights']:.3g}"
        )

    def _show_signed(self, context, fitted, names, copies):
        """Vertex groups hold no negative weights: the character plays beside them, as a mush does."""
        mush.keep_fitted(self._armature, fitted, names)
        skin, options = mush.read(self._armature, copies)
        mush.begin(self._armature, copies, mush.Live(skin, *mush.shown(self._armature, skin, options)))
        context.view_layer.update()


def _sources(meshes, target):
    """Which object shows the examples of each mesh."""
    for each in meshes:
        if scene.mush_modifier(each):
            raise Fault(f"'{each.name}' is mushed: use Bake, or remove the mush first")
    if target is None or target in meshes:
        return meshes
    if len(meshes) > 1:
        raise Fault(f"'{target.name}' can show the examples of one mesh only: select that mesh alone")
    if len(target.data.vertices) != len(meshes[0].data.vertices):
        raise Fault(
            f"'{target.name}' has {len(target.data.vertices)} vertices, '{meshes[0].name}' has "
            f"{len(meshes[0].data.vertices)}: they must be the same ones"
        )
    return [target]


def _sample(context, skin, armature, sources, frames):
    """The bones (F, J, 4, 4) in armature space and the vertices (F, V, 3) in character space."""
    poses, examples = [], []

    def note(depsgraph):
        poses.append(scene.pose_matrices(armature, skin.bones.names, depsgraph))
        to_space = skin.space @ np.linalg.inv(matrices.of(armature.evaluated_get(depsgraph).matrix_world))
        shown = [sampling.world_vertices(source, depsgraph, part.count) for source, part in zip(sources, skin.parts)]
        examples.append(matrices.moved(np.concatenate(shown), to_space).astype(np.float32))

    yield from sampling.each_frame(context, frames, note, "read examples")
    return np.array(poses), np.array(examples)


def _plain_copy(mesh_object, name):
    """A copy that nothing moves yet: without shape keys, animation, constraints, and modifiers that are on."""
    made = mesh_object.copy()
    made.data = mesh_object.data.copy()
    made.name = made.data.name = name
    if made.data.shape_keys:
        made.shape_key_clear()
    made.animation_data_clear()
    for modifier in [m for m in made.modifiers if m.show_viewport or m.type == "ARMATURE"]:
        made.modifiers.remove(modifier)
    return made


@table.options("decompose", shared={"bones": "bones", "influences": "influences", "skeleton": "hierarchy"})
class Decompose(LongWork, bpy.types.Operator):
    """Find bones, weights and an action that play an animated mesh: shape keys, a mesh cache, Alembic, a simulation"""

    bl_idname = "pelt.decompose"
    bl_label = "Decompose"

    def gather(self, context):
        scene.need_object_mode(context)
        source = self._source = context.view_layer.objects.active
        if source.type != "MESH":
            raise Fault(f"'{source.name}' is no mesh: click the animated mesh first")
        if scene.mush_modifier(source):
            raise Fault(f"'{source.name}' is mushed: use Bake, or remove the mush first")
        frames = self._frames = sampling.frames_of(context)
        if len(frames) < 2:
            raise Fault("there is one frame only: give the scene the frames of the animation")
        with scene.rest_mesh(source):
            pass  # says what is wrong with it
        shapes = yield from _shapes(context, source, frames)
        up = matrices.Y_UP @ matrices.of(source.matrix_world)
        rest = matrices.moved(scene.rest_positions(source.data).astype(float), up).astype(np.float32)
        if np.abs(shapes - shapes[0]).max() <= 1e-7 * np.ptp(rest, axis=0).max():
            raise Fault(
                f"'{source.name}' does not move over the frames {frames[0]} to {frames[-1]}: nothing to " "decompose"
            )
        triangles = scene.triangles_of(source.data).astype(np.uint32)
        options = table.given(self, context)
        return lambda progress: pelt.decompose(shapes, rest=(rest, triangles), progress=progress, **options)

    def finish(self, context, found):
        back = np.linalg.inv(matrices.Y_UP)
        armature, names = _new_armature(context, self._source, found, back)
        made = _plain_copy(self._source, f"{self._source.name}_bones")
        for constraint in list(made.constraints):
            made.constraints.remove(constraint)
        made.vertex_groups.clear()
        made.parent = armature
        made.matrix_parent_inverse.identity()
        made.matrix_basis.identity()
        writing.write_positions(made, matrices.moved(found.positions.astype(float), back))
        writing.show_alone(context, made, self._source)
        writing.follow(made, armature)
        writing.write_weights(made, armature, names, found.weights_dense())
        times = np.arange(len(self._frames)) / glb.FPS
        posed = back @ found.skin_matrices(0, times=times).astype(float) @ matrices.Y_UP
        basis = writing.basis_of(armature, names, posed @ writing.rests_of(armature, names))
        for j, name in enumerate(names):
            writing.write_keys(armature, name, list(self._frames), basis[:, j])
        context.view_layer.update()
        report = found.report
        return (
            f"{len(names)} bones play {len(self._frames)} frames; E_RMS {report['e_rms']:.2f}, "
            f"RMS {report['rms']:.3g}"
        )


def _shapes(context, source, frames):
    """(F, V, 3), upright with y up."""
    shapes = []

    def note(depsgraph):
        points = sampling.world_vertices(source, depsgraph, len(source.data.vertices))
        shapes.append(matrices.moved(points, matrices.Y_UP).astype(np.float32))

    yield from sampling.each_frame(context, frames, note, "read frames")
    return np.array(shapes)


def _new_armature(context, source, found, back):
    """An armature with the joints that were found as bones, in the scene's space; and their names, in order."""
    data = bpy.data.armatures.new(f"{source.name}_armature")
    armature = bpy.data.objects.new(data.name, data)
    for collection in source.users_collection or (context.scene.collection,):
        collection.objects.link(armature)
    length = _LENGTH * float(np.ptp(found.positions, axis=0).max())
    joints = {name: (parent, bind) for name, parent, bind in glb.Reader(found.to_bytes()).joints()}
    named = {}
    with writing.EditBones(context, armature) as bones:
        for name in found.joints:
            parent, bind = joints[name]
            rest = back @ bind
            rest[:3, :3] = matrices.nearest_rotation(rest[:3, :3])
            above = bones.get(named[parent]) if parent in named else None
            named[name] = writing.new_bone(bones, name, rest, length, above)
    return armature, [named[name] for name in found.joints]


CLASSES = (Fit, Decompose)
