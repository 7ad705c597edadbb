"""Verbs between the scene and files: what they make of nothing or of a picture comes into the scene, and what only a
program needs of the scene (positions, packed rigs, errors) goes into a file or a message."""
import contextlib
import pathlib
import struct
import tempfile

import bpy
import numpy as np
from bpy.props import CollectionProperty, StringProperty

from . import mush, sampling, scene, skin as skins, table
from .library import pelt
from .long_work import LongWork
from .scene import Fault


class _NeedsNothing(LongWork):
    """What comes into the scene may come into an empty one."""

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT"

    def finish(self, context, made):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "made.glb"
            made.save(file)
            added = _imported(file)
        return f"{self.bl_label}: {made.vertex_count} vertices in {', '.join(each.name for each in added)}"


def _imported(file):
    """The objects that Blender's own importer makes of a .glb."""
    before = set(bpy.data.objects)
    with _numpy_of_the_importer():
        try:
            bpy.ops.import_scene.gltf(filepath=str(file))
        except AttributeError:
            raise Fault("turn on the add-on 'Import-Export: glTF 2.0 format', which reads characters") from None
    return sorted(set(bpy.data.objects) - before, key=lambda each: each.name)


@contextlib.contextmanager
def _numpy_of_the_importer():
    """The importer of some Blenders asks for a name that later versions of NumPy have no longer."""
    missing = "bool" not in vars(np)
    if missing:
        np.bool = bool
    try:
        yield
    finally:
        if missing:
            del np.bool


@table.options("sample")
class Sample(_NeedsNothing, bpy.types.Operator):
    """Add a built-in character with its armature and its clips, to try things on"""

    bl_idname = "pelt.sample"
    bl_label = "Sample"

    def gather(self, context):
        options = table.given(self, context)
        yield 1.0, "read"
        return lambda progress: pelt.sample(progress=progress, **options)


class _WithFile(LongWork):
    """A file is chosen first; the work then shows its progress as that of the others does."""

    _chosen = False

    def invoke(self, context, _event):
        self._chosen = True
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        if not self._chosen or bpy.app.background:
            return super().execute(context)
        self._chosen = False
        return LongWork.invoke(self, context, None)

    def path(self, *endings):
        """The file that was chosen. Throws Fault for another kind."""
        path = pathlib.Path(bpy.path.abspath(self.filepath))
        if not self.filepath or path.suffix.lower() not in endings:
            raise Fault(f"choose a file that ends in {' or '.join(endings)}")
        return path


@table.options("cutout")
class Cutout(_WithFile, _NeedsNothing, bpy.types.Operator):
    """Add the figure of a picture as a flat textured mesh; several pictures of one size are its layers, from the back"""

    bl_idname = "pelt.cutout"
    bl_label = "Cutout"

    filepath: StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    directory: StringProperty(subtype="DIR_PATH", options={"SKIP_SAVE"})
    files: CollectionProperty(type=bpy.types.OperatorFileListElement, options={"SKIP_SAVE"})
    filter_glob: StringProperty(default="*.png;*.jpg;*.jpeg", options={"HIDDEN"})

    def gather(self, context):
        folder, names = pathlib.Path(bpy.path.abspath(self.directory)), [each.name for each in self.files]
        pictures = [str(folder / name) for name in names if name] or [str(self.path(".png", ".jpg", ".jpeg"))]
        options = table.given(self, context)
        yield 1.0, "read"
        return lambda progress: pelt.cutout(pictures, progress=progress, **options)


def _of_armature(verb):
    return [name for name, row in table.rows_of(verb).items() if row["group"] == table.MUSH]


class _ToFile(_WithFile):
    """What the scene has goes into a file; the scene stays as it is."""

    bl_options = {"REGISTER"}
    endings = ()

    filepath: StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})

    def read(self, context):
        """The armature, the skin, its bytes, and the options of a method: those of Direct Delta Mush are the
        armature's."""
        armature, meshes = scene.find(context)
        self.file = self.path(*self.endings)
        options = {"method": "ddm", **table.given(self, context)}
        skin, of_mush = mush.read(armature, meshes)
        if options["method"].startswith(("ddm", "eddm")):
            options = {**of_mush, **options}
        return armature, skin, skins.to_bytes(skin)[0], options


@table.options("deform", without=_of_armature("deform"))
class Deform(_ToFile, bpy.types.Operator):
    """Write the vertices of every frame as a file (.npy or .pc2): y up, in the armature's units and space"""

    bl_idname = "pelt.deform"
    bl_label = "Deform"
    endings = (".npy", ".pc2")

    filter_glob: StringProperty(default="*.npy;*.pc2", options={"HIDDEN"})

    def gather(self, context):
        armature, skin, data, options = self.read(context)
        poses = yield from sampling.poses(context, armature, skin.bones.names, sampling.frames_of(context))
        return lambda progress: _write_frames(self.file, _deformed(skin, data, poses, options, progress))

    def finish(self, _context, shape):
        return f"{self.file.name}: {shape[0]} frames of {shape[1]} vertices"


def _deformed(skin, data, poses, options, progress):
    character = pelt.loads(data, "the character")
    order = [skin.bones.index[name] for name in character.joints]
    return character.deform(skin.skin_matrices(poses)[:, order].astype(np.float32), progress=progress, **options)


def _write_frames(path, frames):
    """(F, V, 3) as NumPy or as PointCache2 at the frames of a clip."""
    if path.suffix.lower() == ".npy":
        np.save(path, frames)
    else:
        head = struct.pack("<12siiffi", b"POINTCACHE2\0", 1, frames.shape[1], 0.0, 1.0, len(frames))
        path.write_bytes(head + np.ascontiguousarray(frames, "<f4").tobytes())
    return frames.shape


@table.options("pack", without=_of_armature("pack"))
class Pack(_ToFile, bpy.types.Operator):
    """Write the character as a packed rig, for engines that link Pelt's runtime"""

    bl_idname = "pelt.pack"
    bl_label = "Pack"
    endings = (".peltrig",)

    filter_glob: StringProperty(default="*.peltrig", options={"HIDDEN"})

    def gather(self, context):
        _, _, data, options = self.read(context)
        yield 1.0, "read"
        return lambda progress: self._write(pelt.loads(data, "the character").pack(progress=progress, **options))

    def _write(self, packed):
        self.file.write_bytes(packed)
        return len(packed)

    def finish(self, _context, size):
        return f"{self.file.name}: {size} bytes"


@table.options("compare")
class Compare(LongWork, bpy.types.Operator):
    """Measure how far the other selected mesh is from the active one over the frames of the scene"""

    bl_idname = "pelt.compare"
    bl_label = "Compare"
    bl_options = {"REGISTER"}  # the scene stays as it is

    def gather(self, context):
        scene.need_object_mode(context)
        active = context.view_layer.objects.active
        others = [each for each in context.selected_objects if each.type == "MESH" and each != active]
        if active.type != "MESH" or len(others) != 1:
            raise Fault("select two meshes: the one to measure, then the one it is compared with")
        shapes = [[], []]

        def note(graph):
            for kept, each in zip(shapes, (active, others[0])):
                kept.append(sampling.world_vertices(each, graph).astype(np.float32))

        yield from sampling.each_frame(context, sampling.frames_of(context), note, "read vertices")
        counts = [{len(points) for points in kept} for kept in shapes]
        if counts[0] != counts[1] or len(counts[0]) != 1:
            raise Fault(f"'{active.name}' and '{others[0].name}' must have the same vertices in every frame")
        a, b = map(np.array, shapes)
        options = table.given(self, context)
        return lambda progress: pelt.compare(a, b, progress=progress, **options)

    def finish(self, context, report):
        lines = [f"{name} {report[key]:.4g}" for name, key in (("RMS", "rms"), ("max", "max"), ("E_RMS", "e_rms"))]
        context.scene.pelt.report = "\n".join(lines)
        return f"{', '.join(lines)} over {len(report['frames'])} frames"


CLASSES = (Sample, Cutout, Deform, Pack, Compare)
