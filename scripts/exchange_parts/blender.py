"""Plays an FBX file in Blender: blender -b -P blender.py -- IN.fbx OUT.npy SECONDS…, or python blender.py … with bpy."""
import sys

import bpy
import numpy as np

words = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
source, target, clip, times = words[0], words[1], words[2], [float(word) for word in words[3:]]
bpy.ops.wm.read_factory_settings(use_empty=True)
if bpy.app.version >= (4, 5):
    bpy.ops.wm.fbx_import(filepath=source)
else:
    bpy.ops.preferences.addon_enable(module="io_scene_fbx")
    bpy.ops.import_scene.fbx(filepath=source)
scene = bpy.context.scene
rate = scene.render.fps / scene.render.fps_base


def belongs(action):
    """Importers name actions "object|clip|layer"."""
    return clip in action.name.split("|") or action.name.endswith("|" + clip) or action.name == clip


for holder in [*bpy.data.objects, *(key for key in bpy.data.shape_keys)]:
    if not holder.animation_data or not clip:
        continue
    mine = [
        a
        for a in bpy.data.actions
        if belongs(a) and a.name.split("|")[0] in (holder.name, getattr(getattr(holder, "user", None), "name", None))
    ]
    holder.animation_data.action = mine[0] if mine else holder.animation_data.action
    if mine and hasattr(holder.animation_data, "action_slot") and mine[0].slots:
        slots = [s for s in mine[0].slots if s.name_display == holder.name] or list(mine[0].slots)
        holder.animation_data.action_slot = slots[0]
frames = []
for time in times:
    at = time * rate + 1
    scene.frame_set(int(np.floor(at)), subframe=float(at - np.floor(at)))
    graph, points = bpy.context.evaluated_depsgraph_get(), []
    for item in scene.objects:
        if item.type != "MESH":
            continue
        shown = item.evaluated_get(graph)
        mesh = shown.to_mesh()
        flat = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", flat)
        world = np.array(shown.matrix_world)
        points.append(flat.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3])
        shown.to_mesh_clear()
    frames.append(np.concatenate(points))
z_up = np.stack(frames)
np.save(target, np.stack([z_up[..., 0], z_up[..., 2], -z_up[..., 1]], -1).astype(np.float32))
