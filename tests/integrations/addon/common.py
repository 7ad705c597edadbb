"""Scenes for the tests, and what the program says about them."""
import contextlib
import hashlib
import json
import math
import struct
import subprocess
import unittest

import bpy
import numpy as np
from mathutils import Matrix
from pelt_blender import matrices, mush, sampling, scene, skin as skins
from pelt_blender.library import pelt

PELT = SHARED = FOLDER = None  # set by run_tests.py
FPS = 30


def program(*words):
    """Runs `pelt`; gives its JSON."""
    run = subprocess.run([str(PELT), *map(str, words), "--json"], capture_output=True, text=True)
    if run.returncode != 0:
        raise AssertionError(f"pelt {' '.join(map(str, words))}: {run.stderr}")
    return json.loads(run.stdout)


def sample(name="arm", *options, resolution=600):
    """A built-in character as a file."""
    file = FOLDER / f"{name}_{resolution}{''.join(map(str, options)).replace('-', '_')}.glb"
    if not file.exists():
        program("sample", name, "--resolution", resolution, *options, "-o", file)
    return file


def deformed(file, *words):
    """(F, V, 3): what `pelt deform` says, y up."""
    output = FOLDER / "deformed.npy"
    program("deform", file, *words, "-o", output)
    return np.load(output)


def new_scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module="pelt_blender")
    bpy.context.scene.render.fps = FPS
    return bpy.context.scene


def skinned_names(file):
    """The nodes with a skin, in the order of the program's vertices."""
    data = open(file, "rb").read()
    document = json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]])
    nodes = [node for node in document["nodes"] if "mesh" in node and "skin" in node]
    return [node.get("name") or document["meshes"][node["mesh"]].get("name", "") for node in nodes]


def play(clip=None):
    """Lets the actions of one clip move everything. The importer's tracks begin a frame late; the actions do not."""
    for thing in bpy.data.objects:
        for data in (thing.animation_data, getattr(getattr(thing.data, "shape_keys", None), "animation_data", None)):
            if not data:
                continue
            data.use_nla = False
            tracks = {track.name: track.strips[0].action for track in data.nla_tracks}
            data.action = tracks.get(clip) if len(tracks) > 1 else next(iter(tracks.values()), data.action)


def opened(file, clip=None):
    """A scene with a character of a .glb: the armature and its meshes in the program's order; the first is active."""
    new_scene()
    bpy.ops.import_scene.gltf(filepath=str(file))
    meshes = [bpy.data.objects[name] for name in skinned_names(file)]
    play(clip or next((each["name"] for each in program("info", file)["clips"]), None))
    choose(*meshes)
    return scene.armature_of(meshes[0]), meshes


def choose(*objects):
    bpy.ops.object.select_all(action="DESELECT")
    for each in objects:
        each.select_set(True)
    bpy.context.view_layer.objects.active = objects[0]


def at(time):
    """Goes to a time in seconds."""
    whole = math.floor(time * FPS + 1e-6)
    bpy.context.scene.frame_set(whole, subframe=max(0.0, time * FPS - whole))


def shown(*meshes):
    """What Blender shows: the evaluated vertices (V, 3) in the scene, y up."""
    graph = bpy.context.evaluated_depsgraph_get()
    return matrices.moved(np.concatenate([sampling.world_vertices(each, graph) for each in meshes]), matrices.Y_UP)


def told(armature, meshes, method, *words):
    """What the program says of the pose of now: the character of the scene is saved and deformed, (V, 3) as `shown`."""
    file = FOLDER / "told.glb"
    skin = save(armature, meshes, file)
    return placed(skin, armature, deformed(file, "--method", method, *words)[0])


def save(armature, meshes, file, frames=None, maps=None):
    """The character of the scene with the poses of the frames, or of now, as a file."""
    skin = skins.read(armature, meshes, maps, own_vertices=False)
    poses = []
    for frame in frames if frames is not None else [None]:
        if frame is not None:
            bpy.context.scene.frame_set(frame)
        poses.append(scene.pose_matrices(armature, skin.bones.names, bpy.context.evaluated_depsgraph_get()))
    weights = all(len(part.rows[1]) for part in skin.parts)
    file.write_bytes(skins.to_bytes(skin, np.array(poses), weights=weights)[0])
    return skin


def placed(skin, armature, points):
    """Points of character space in the scene, y up."""
    now = matrices.of(armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)
    return matrices.moved(points.astype(float), matrices.Y_UP @ now @ np.linalg.inv(skin.space))


def bend(armature, angle=0.9):
    """A pose that every bone takes part in."""
    for number, bone in enumerate(armature.pose.bones):
        bone.rotation_mode = "XYZ"
        bone.rotation_euler = (
            angle * math.sin(1 + number),
            0.3 * angle * math.cos(2 * number),
            0.5 * angle * (number % 3 - 1),
        )
    bpy.context.view_layer.update()


def make_bar(scaled=(1, 1, 1), name="bar"):
    """A bar on three bones and a bone that does not deform, all made in Blender. Gives the armature and the mesh."""
    data = bpy.data.armatures.new("rig")
    rig = bpy.data.objects.new("rig", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    above = None
    for part in ("control", "low", "middle", "high"):
        bone = data.edit_bones.new(part)
        level = ("control", "low", "middle", "high").index(part) - 1
        bone.head, bone.tail, bone.parent = (0, 0, level), (0, 0, level + 1), above
        above = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    data.bones["control"].use_deform = False
    bar = add_tube(rig, name)
    rig.scale = scaled
    bpy.context.view_layer.update()
    choose(bar)
    return rig, bar


def add_tube(rig, name, radius=0.3, sides=12, rings=31):
    """A tube with weights for the bar's bones that follows `rig`."""
    angles = 2 * np.pi * np.arange(sides) / sides
    points = [
        (radius * math.cos(a), radius * math.sin(a), 3 * ring / (rings - 1)) for ring in range(rings) for a in angles
    ]
    faces = [
        (r * sides + k, r * sides + (k + 1) % sides, (r + 1) * sides + (k + 1) % sides, (r + 1) * sides + k)
        for r in range(rings - 1)
        for k in range(sides)
    ]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces + [tuple(range(sides))[::-1]])
    tube = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(tube)
    tube.parent = rig
    groups = [tube.vertex_groups.new(name=part) for part in ("low", "middle", "high")]
    for number, (_, _, z) in enumerate(points):
        for level, group in enumerate(groups):
            weight = max(0.0, 1 - max(0.0, abs(z - level - 0.5) - 0.3) / 0.4)
            if weight > 0:
                group.add([number], weight, "REPLACE")
    tube.modifiers.new("armature", "ARMATURE").object = rig
    return tube


def animate(armature, frames=12):
    """Keys from rest to a bent pose over the frames 1 to `frames`."""
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, frames
    for frame, angle in ((1, 0.0), (frames, 0.9)):
        bend(armature, angle)
        for bone in armature.pose.bones:
            bone.keyframe_insert("rotation_euler", frame=frame)


def fingerprint():
    """Everything of the scene that an operator might change, as text."""
    lines = [f"frame {bpy.context.scene.frame_current} {bpy.context.view_layer.objects.active.name} {bpy.context.mode}"]
    for kind in ("objects", "meshes", "armatures", "actions", "node_groups"):
        lines.append(f"{kind} {[each.name for each in getattr(bpy.data, kind)]}")
    for each in bpy.data.objects:
        lines.append(f"{each.name} {each.parent and each.parent.name} {each.hide_viewport} {each.select_get()}")
        lines.append(str(list(map(list, each.matrix_world))))
        lines.append(
            str(
                [
                    (m.name, m.type, m.show_viewport, getattr(getattr(m, "object", None), "name", None))
                    for m in each.modifiers
                ]
            )
        )
        if each.type == "MESH":
            groups = [(g.group, round(g.weight, 6)) for v in each.data.vertices for g in v.groups]
            text = f"{[g.name for g in each.vertex_groups]} {groups}".encode()
            lines.append(hashlib.sha1(text + scene.vectors(each.data.vertices).tobytes()).hexdigest())
        if each.type == "ARMATURE":
            lines.append(str([(b.name, tuple(b.head_local), tuple(b.tail_local)) for b in each.data.bones]))
            lines.append(str([list(map(list, b.matrix_basis)) for b in each.pose.bones]))
            drivers = each.animation_data.drivers if each.animation_data else ()
            lines.append(str([d.data_path for d in drivers]))
    return "\n".join(lines)


class SceneTest(unittest.TestCase):
    """Distances are relative to the diagonal of what is expected."""

    TOLERANCE = 1e-5

    def assert_same(self, found, expected, what="", tolerance=None):
        self.assertEqual(found.shape, expected.shape, what)
        size = np.linalg.norm(np.ptp(expected.reshape(-1, 3), axis=0))
        away = np.linalg.norm(found - expected, axis=-1).max() / size
        self.assertLess(away, tolerance or self.TOLERANCE, what)

    def assert_far(self, found, expected, least=1e-3):
        """That a test would notice: the two differ by much more than the tolerance."""
        size = np.linalg.norm(np.ptp(expected, axis=0))
        self.assertGreater(np.linalg.norm(found - expected, axis=1).max() / size, least)

    def assert_refused(self, operator, *words):
        """One sentence with these words, and nothing is changed."""
        before = fingerprint()
        with self.assertRaises(RuntimeError) as caught:
            operator()
        said = str(caught.exception).strip()
        self.assertEqual(said.count("\n"), 0, said)
        for word in words:
            self.assertIn(word, said)
        self.assertEqual(fingerprint(), before)

    @contextlib.contextmanager
    def undoable(self):
        """What happens within is undone by one undo, and comes back by one redo."""
        bpy.ops.ed.undo_push(message="before")
        before = fingerprint()
        yield
        after = fingerprint()
        self.assertNotEqual(before, after)
        bpy.ops.ed.undo_push(message="after")
        bpy.ops.ed.undo()
        self.assertEqual(fingerprint(), before)
        bpy.ops.ed.redo()
        self.assertEqual(fingerprint(), after)
