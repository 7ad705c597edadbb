"""Opens .glb files in Blender and measures the distance of its vertices from those deformed by pelt.

    blender -b -P measure_in_blender.py -- JOBS.json RESULTS.json

A job is {"file", "clip", "times", "expected"}: the .npy has one frame of root-space positions for each time. A result is the
largest distance over the diagonal of the first frame.
"""
import json
import struct
import sys

import bpy
import numpy

FPS = 30
if not hasattr(numpy, "bool"):
    numpy.bool = bool  # the importer of Debian's Blender asks for it, and Debian's NumPy has it no longer


def skinned_nodes(path):
    data = open(path, "rb").read()
    document = json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]])
    nodes = [node for node in document["nodes"] if "mesh" in node and "skin" in node]
    return [node.get("name") or document["meshes"][node["mesh"]].get("name", "") for node in nodes]


def play(clip):
    for thing in bpy.data.objects:
        for data in (thing.animation_data, getattr(getattr(thing.data, "shape_keys", None), "animation_data", None)):
            if not data:
                continue
            # The importer's tracks begin a frame late; the actions in them do not.
            data.use_nla = False
            tracks = {track.name: track.strips[0].action for track in data.nla_tracks}
            # A clip without a name is called otherwise there.
            data.action = tracks.get(clip) if len(tracks) > 1 else next(iter(tracks.values()), data.action)


def positions(names):
    graph = bpy.context.evaluated_depsgraph_get()
    rows = []
    for name in names:
        thing = bpy.data.objects[name].evaluated_get(graph)
        mesh = thing.to_mesh()
        flat = numpy.empty(3 * len(mesh.vertices))
        mesh.vertices.foreach_get("co", flat)
        world = numpy.array(thing.matrix_world)
        rows.append(flat.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3])
        thing.to_mesh_clear()
    x, y, z = numpy.concatenate(rows).T
    return numpy.stack([x, z, -y], axis=1)  # Blender's up is z, glTF's is y


def measure(job):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = FPS
    bpy.ops.import_scene.gltf(filepath=job["file"])
    names = skinned_nodes(job["file"])
    play(job["clip"])
    expected = numpy.load(job["expected"])
    size = numpy.linalg.norm(expected[0].max(axis=0) - expected[0].min(axis=0))
    farthest = 0.0
    for time, frame in zip(job["times"], expected):
        whole = int(time * FPS)
        bpy.context.scene.frame_set(whole, subframe=time * FPS - whole)
        found = positions(names)
        if found.shape != frame.shape:
            return f"{found.shape[0]} vertices instead of {frame.shape[0]}"
        farthest = max(farthest, numpy.linalg.norm(found - frame, axis=1).max() / size)
    return farthest


jobs_file, results_file = sys.argv[sys.argv.index("--") + 1 :]
with open(results_file, "w") as out:
    json.dump([measure(job) for job in json.load(open(jobs_file))], out)
