"""Makes the files that the import tests read, with Blender 3.4 or later:

    blender -b -P tests/data/import/make_files.py

Each scene is exported as .fbx (and .dae); beside it lies NAME.truth.npy, what Blender itself shows: float32
(frames, vertices, 3), metres, Y up. Only this script needs Blender, the tests read the files.
"""
import math
import os
import struct

import bpy
from mathutils import Euler, Vector

FOLDER = os.path.dirname(os.path.abspath(__file__))
FRAMES = 9
FPS = 24


def clear():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = FPS
    scene.frame_start, scene.frame_end = 1, FRAMES
    return scene


def make_bar(name, rings=7, sides=6, length=3.0, radius=0.3, uvs=False):
    """A closed tube along Z."""
    vertices, faces = [], []
    for ring in range(rings):
        for side in range(sides):
            angle = 2 * math.pi * side / sides
            vertices.append((radius * math.cos(angle), radius * math.sin(angle), length * ring / (rings - 1)))
    for ring in range(rings - 1):
        for side in range(sides):
            a, b = ring * sides + side, ring * sides + (side + 1) % sides
            faces.append((a, b, b + sides, a + sides))
    faces.append(tuple(reversed(range(sides))))
    faces.append(tuple((rings - 1) * sides + side for side in range(sides)))
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    for polygon in mesh.polygons:
        polygon.use_smooth = True
    if uvs:  # one seam along the tube: u of the last column of faces ends at 1, of the first begins at 0
        layer = mesh.uv_layers.new(name="UVMap")
        for polygon in mesh.polygons:
            for loop in polygon.loop_indices:
                vertex = mesh.loops[loop].vertex_index
                side, ring = vertex % sides, vertex // sides
                wraps = len(polygon.vertices) == 4 and polygon.index % sides == sides - 1 and side == 0
                layer.data[loop].uv = (1.0 if wraps else side / sides, ring / (rings - 1))
    mesh.update()
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def make_armature(name, joints=3, length=3.0):
    data = bpy.data.armatures.new(name)
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for j in range(joints):
        bone = data.edit_bones.new("joint%d" % j)
        bone.head, bone.tail = (0, 0, length * j / joints), (0, 0, length * (j + 1) / joints)
        bone.roll = 0.4 * j  # so that local axes differ from one bone to the next
        bone.parent = parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return obj


def bind(mesh, armature, joints=3, length=3.0):
    for j in range(joints):
        mesh.vertex_groups.new(name="joint%d" % j)
    for vertex in mesh.data.vertices:
        at = vertex.co.z / length * joints - 0.5
        low = max(0, min(joints - 1, math.floor(at)))
        high = min(joints - 1, low + 1)
        share = max(0.0, min(1.0, at - low))
        mesh.vertex_groups[low].add([vertex.index], 1 - share, "ADD")
        if high != low and share > 0:
            mesh.vertex_groups[high].add([vertex.index], share, "ADD")
    mesh.parent = armature
    mesh.modifiers.new("Armature", "ARMATURE").object = armature


def animate(armature, scaled=False):
    for frame in range(1, FRAMES + 1):
        u = (frame - 1) / (FRAMES - 1)
        for j, bone in enumerate(armature.pose.bones):
            bone.rotation_mode = "XYZ"
            bone.rotation_euler = Euler((0.5 * u * j, 0.7 * u, -0.3 * u * u * (j + 1)))
            bone.location = (0.1 * u, 0.05 * u * j, 0)
            bone.keyframe_insert("rotation_euler", frame=frame)
            bone.keyframe_insert("location", frame=frame)
            if scaled:
                bone.scale = (1 + 0.5 * u, 1 + 0.5 * u, 1 + 0.5 * u)
                bone.keyframe_insert("scale", frame=frame)


def write_npy(path, frames):
    count = len(frames[0])
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, 3), }" % (len(frames), count)
    header = header.ljust((len(header) + 10) // 64 * 64 + 64 - 10 - 1) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for frame in frames:
            out.write(b"".join(struct.pack("<3f", *p) for p in frame))


def write_truth(name, objects):
    """World positions of the evaluated meshes, Z up turned to Y up."""
    scene, frames = bpy.context.scene, []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        points = []
        for obj in objects:
            shown = obj.evaluated_get(graph)
            mesh = shown.to_mesh()
            for vertex in mesh.vertices:
                p = shown.matrix_world @ vertex.co
                points.append((p.x, p.z, -p.y))
            shown.to_mesh_clear()
        frames.append(points)
    write_npy(os.path.join(FOLDER, name + ".truth.npy"), frames)


def export_fbx(name, **options):
    settings = dict(
        add_leaf_bones=False,
        bake_anim=True,
        bake_anim_simplify_factor=0.0,
        bake_anim_use_nla_strips=False,
        bake_anim_use_all_actions=False,
        embed_textures=False,
        path_mode="STRIP",
    )
    settings.update(options)
    bpy.ops.export_scene.fbx(filepath=os.path.join(FOLDER, name + ".fbx"), **settings)


def export_dae(name):
    bpy.ops.wm.collada_export(
        filepath=os.path.join(FOLDER, name + ".dae"),
        apply_modifiers=False,
        include_animations=True,
        include_all_actions=False,
        keep_keyframes=False,
        export_mesh_type_selection="view",
        export_animation_type_selection="sample",
        sampling_rate=1,
    )


def smooth_bar():
    """Three joints, no UVs: one vertex per control point."""
    clear()
    mesh, armature = make_bar("bar"), make_armature("rig")
    bind(mesh, armature)
    animate(armature)
    write_truth("smooth_bar", [mesh])
    export_fbx("smooth_bar")
    export_dae("smooth_bar")


def placed_bars():
    """Two meshes on one armature that is itself moved, turned and scaled; UV seams, two materials, scaled joints and
    a mesh without a skin; other axes and units."""
    clear()
    armature = make_armature("rig")
    first, second = make_bar("bar", uvs=True), make_bar("sleeve", radius=0.45)
    for n in range(2):
        first.data.materials.append(bpy.data.materials.new("material%d" % n))
    for polygon in first.data.polygons:
        polygon.material_index = 1 if polygon.index >= 18 else 0
    loose = make_bar("loose", rings=2, sides=3)
    loose.location = (2, 0, 0)
    second.location = (0.2, -0.1, 0)
    armature.location, armature.rotation_euler = (0.5, 1, -0.25), Euler((0.3, -0.2, 1.0))
    armature.scale = (1.5, 1.5, 1.5)
    bind(first, armature)
    bind(second, armature)
    animate(armature, scaled=True)
    write_truth("placed_bars", [first, second])
    export_fbx("placed_bars", axis_forward="Y", axis_up="Z", apply_scale_options="FBX_SCALE_UNITS")
    export_dae("placed_bars")


def morphing_bar():
    """Two blend shapes with animated weights on top of a skin."""
    clear()
    mesh, armature = make_bar("bar", rings=4), make_armature("rig")
    bind(mesh, armature)
    mesh.shape_key_add(name="Basis")
    wide, tall = mesh.shape_key_add(name="wide"), mesh.shape_key_add(name="tall")
    for vertex in mesh.data.vertices:
        wide.data[vertex.index].co = Vector((vertex.co.x * 1.5, vertex.co.y * 1.5, vertex.co.z))
        if vertex.co.z > 1.5:
            tall.data[vertex.index].co = vertex.co + Vector((0, 0, 0.5))
    tall.value = 0.25
    for frame in range(1, FRAMES + 1):
        wide.value = ((frame - 1) / (FRAMES - 1)) ** 2
        wide.keyframe_insert("value", frame=frame)
    animate(armature)
    write_truth("morphing_bar", [mesh])
    export_fbx("morphing_bar", use_mesh_modifiers=False)


def static_bar():
    """No skin and no skeleton."""
    clear()
    mesh = make_bar("bar", rings=3)
    mesh.location, mesh.rotation_euler = (1, 2, 3), Euler((0.1, 0.2, 0.3))
    bpy.context.scene.frame_end = 1
    bpy.context.view_layer.update()
    write_truth("static_bar", [mesh])
    export_fbx("static_bar", bake_anim=False)
    export_dae("static_bar")


def empty_scene():
    clear()
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("nothing", None))
    export_fbx("no_mesh", bake_anim=False)


smooth_bar()
placed_bars()
morphing_bar()
static_bar()
empty_scene()
