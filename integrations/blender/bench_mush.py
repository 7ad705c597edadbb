"""Measures the live mush: updates of the scene per second while a bone turns, beside Blender's own armature modifier.

    scripts/blender_addon
    blender -b --factory-startup -P integrations/blender/bench_mush.py -- dist/pelt_blender-*.zip

The character has 20k vertices. "custom normals" is how Blender imports glTF files: it then computes the normals of all
corners with every update, whatever deforms the mesh.
"""
import pathlib
import sys
import tempfile
import time

import bpy
import numpy

if not hasattr(numpy, "bool"):
    numpy.bool = bool  # the importer of Debian's Blender asks for it, and Debian's NumPy has it no longer
UPDATES, ROUNDS = 40, 6  # the best round counts: other work on the machine only slows them down


def rate(bone):
    bone.rotation_mode = "XYZ"
    start = None
    for number in range(UPDATES + 5):
        if number == 5:
            start = time.perf_counter()  # after what the first updates prepare
        bone.rotation_euler.x = 0.01 * number
        bpy.context.view_layer.update()
    return UPDATES / (time.perf_counter() - start)


def main(archive):
    bpy.ops.preferences.addon_install(filepath=archive)
    bpy.ops.preferences.addon_enable(module="pelt_blender")
    from pelt_blender.library import pelt

    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module="pelt_blender")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "biped.glb"
        pelt.sample("biped", resolution=20000, skin="smooth").save(file)
        bpy.ops.import_scene.gltf(filepath=str(file))
    body = next(o for o in bpy.data.objects if o.type == "MESH" and o.modifiers)
    armature = body.modifiers[0].object
    armature.animation_data_clear()
    bpy.context.view_layer.objects.active = body
    print(f"{len(body.data.vertices)} vertices, {len(armature.data.bones)} bones; updates per second")
    for normals in (False, True):
        if hasattr(body.data, "use_auto_smooth"):
            body.data.use_auto_smooth = normals
        found = {"armature modifier": 0.0, "mush": 0.0}
        for _ in range(ROUNDS):
            for name, switch in zip(found, (bpy.ops.pelt.unmush, bpy.ops.pelt.mush)):
                switch()
                found[name] = max(found[name], rate(armature.pose.bones["forearm_L"]))
        print(
            f"{'custom normals' if normals else 'plain normals'}: "
            + ", ".join(f"{name} {value:.0f}" for name, value in found.items())
            + f"; ratio {found['mush'] / found['armature modifier']:.2f}"
        )


main(sys.argv[sys.argv.index("--") + 1])
