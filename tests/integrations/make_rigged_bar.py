"""Makes a rigged bar inside Blender and saves it: two bones and a bone that only steers, smooth weights, objects that are
moved and turned, a clip.

    blender -b -P make_rigged_bar.py -- FILE.blend [smooth] [subdivide]
"""
import math
import sys

import bpy

arguments = sys.argv[sys.argv.index("--") + 1 :]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene

data = bpy.data.armatures.new("rig")
rig = bpy.data.objects.new("rig", data)
scene.collection.objects.link(rig)
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode="EDIT")
for name, head, tail, parent in (
    ("control", (0, 0, -1), (0, 0, 0), None),
    ("lower", (0, 0, 0), (0, 0, 2), "control"),
    ("upper", (0, 0, 2), (0, 0, 4), "lower"),
):
    bone = data.edit_bones.new(name)
    bone.head, bone.tail = head, tail
    bone.parent = data.edit_bones[parent] if parent else None
bpy.ops.object.mode_set(mode="OBJECT")
data.bones["control"].use_deform = False

sides, rings, vertices, faces = 8, 17, [], []
for ring in range(rings):
    for side in range(sides):
        angle = 2 * math.pi * side / sides
        vertices.append((0.5 * math.cos(angle), 0.5 * math.sin(angle), 4 * ring / (rings - 1)))
for ring in range(rings - 1):
    for side in range(sides):
        a, b = ring * sides + side, ring * sides + (side + 1) % sides
        faces.append((a, b, b + sides, a + sides))
mesh = bpy.data.meshes.new("bar")
mesh.from_pydata(vertices, [], faces)
bar = bpy.data.objects.new("bar", mesh)
scene.collection.objects.link(bar)
bar.parent = rig
lower, upper = bar.vertex_groups.new(name="lower"), bar.vertex_groups.new(name="upper")
for number, (_, _, z) in enumerate(vertices):
    share = min(1, max(0, (z - 1.5) / 1.0))
    if z == 0:
        continue  # the lowest ring is held by no bone
    lower.add([number], 3 * (1 - share), "REPLACE")
    upper.add([number], 3 * share, "REPLACE")
modifier = bar.modifiers.new("armature", "ARMATURE")
modifier.object = rig
if "smooth" in arguments:
    bar.modifiers.new("corrective", "CORRECTIVE_SMOOTH").iterations = 10
if "subdivide" in arguments:
    bar.modifiers.new("finer", "SUBSURF")

rig.location, rig.rotation_euler, rig.scale = (1, 2, 0.5), (0.3, 0.2, 0.7), (1.5, 1.5, 1.5)
scene.frame_start, scene.frame_end = 1, 12
for frame in (1, 12):
    bend = 0 if frame == 1 else 1.6
    for name, angles in (("upper", (bend, 0, 0.3 * bend)), ("control", (0, 0.4 * bend, 0))):
        pose = rig.pose.bones[name]
        pose.rotation_mode = "XYZ"
        pose.rotation_euler = angles
        pose.keyframe_insert("rotation_euler", frame=frame)
bpy.ops.wm.save_as_mainfile(filepath=arguments[0])
