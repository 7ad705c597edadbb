"""Exports a rigged character and what its rig makes of it, frame by frame, as the pair that `pelt fit` reads.

    blender -b file.blend -P export_examples.py -- --output DIR [--armature A] [--mesh M]… [--frames a:b]

DIR/character.glb   the meshes as they were bound, the deforming bones as joints, the vertex groups as weights, and a clip
                    with one key per frame, at k/30 s
DIR/examples.npy    float32 (frames, vertices, 3): the same vertices after all modifiers, shape keys and drivers

Both have Y up, the scene's units, and the vertices in the order of Blender's meshes, one mesh after the other.
Installed as an add-on it is File > Export > Examples for Pelt.
"""
import argparse
import json
import os
import struct
import sys

import bpy

try:
    import numpy as np
except ModuleNotFoundError:
    # Official Blenders bring it; one that uses the system's Python may have found another Python first on the PATH.
    print(f"export_examples: the Python that Blender uses ({sys.prefix}) has no numpy", file=sys.stderr)
    sys.exit(3)

bl_info = {
    "name": "Examples for Pelt",
    "blender": (3, 0, 0),
    "category": "Import-Export",
    "location": "File > Export > Examples for Pelt",
    "description": "A rigged character and its deformed meshes, as pelt fit reads them",
}

FPS = 30
LEAST_WEIGHT = 1e-6
Y_UP = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], dtype=float)


class ExportError(Exception):
    """One line that a user can act on."""


# ---- what is in the scene ------------------------------------------------------------------------------------------


def find_armature(name):
    armatures = [o for o in bpy.context.scene.objects if o.type == "ARMATURE"]
    if name:
        armatures = [o for o in armatures if o.name == name]
        if not armatures:
            raise ExportError(f"there is no armature '{name}' in the scene")
    if not armatures:
        raise ExportError("there is no armature in the scene")
    if len(armatures) > 1:
        raise ExportError(
            "there are several armatures; choose with --armature: " + ", ".join(o.name for o in armatures)
        )
    return armatures[0]


def follows(mesh_object, armature):
    """Whether an armature modifier, or the old way of parenting, lets the armature deform the mesh."""
    return any(m.type == "ARMATURE" and m.object == armature for m in mesh_object.modifiers) or (
        mesh_object.parent == armature and mesh_object.parent_type == "ARMATURE"
    )


def find_meshes(names, armature):
    meshes = [o for o in bpy.context.scene.objects if o.type == "MESH" and follows(o, armature)]
    if names:
        for name in names:
            if name not in [o.name for o in meshes]:
                raise ExportError(f"there is no mesh '{name}' that follows the armature '{armature.name}'")
        meshes = [next(o for o in meshes if o.name == name) for name in names]
    if not meshes:
        raise ExportError(f"no mesh follows the armature '{armature.name}'")
    return meshes


def find_frames(text, scene):
    first, last = scene.frame_start, scene.frame_end
    if text:
        try:
            first, last = (int(word) for word in text.split(":"))
        except ValueError:
            raise ExportError(f"--frames {text}: write the first and the last frame, such as 1:50") from None
    if last < first:
        raise ExportError(f"frames {first} to {last} are none")
    return range(first, last + 1)


def deforming_bones(armature):
    """Parents before children."""
    bones = [bone for bone in armature.data.bones if bone.use_deform]
    if not bones:
        raise ExportError(f"the armature '{armature.name}' has no bone that deforms")
    return sorted(bones, key=lambda bone: len(bone.parent_recursive))


def matrix(blender_matrix):
    return np.array([list(row) for row in blender_matrix], dtype=float)


def moved(points, transform):
    return points @ transform[:3, :3].T + transform[:3, 3]


def positions_of(mesh):
    values = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", values)
    return values.reshape(-1, 3).astype(float)


def triangles_of(mesh):
    mesh.calc_loop_triangles()
    values = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", values)
    return values.reshape(-1, 3)


def weights_of(mesh_object, joints, still):
    """Per vertex, its joints and weights, heaviest first, sum 1. Without any, the joint `still` of the mesh itself: the
    armature leaves such vertices alone."""
    joint_of_group = {g.index: joints[g.name] for g in mesh_object.vertex_groups if g.name in joints}
    rows = []
    for vertex in mesh_object.data.vertices:
        row = {}
        for entry in vertex.groups:
            if entry.group in joint_of_group and entry.weight > LEAST_WEIGHT:
                joint = joint_of_group[entry.group]
                row[joint] = row.get(joint, 0.0) + entry.weight
        row = row or {still: 1.0}
        total = sum(row.values())
        rows.append(sorted(((j, w / total) for j, w in row.items()), key=lambda pair: (-pair[1], pair[0])))
    return rows


def deformed(mesh_object, depsgraph):
    """Where the rig puts the mesh's vertices now, in the scene."""
    evaluated = mesh_object.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    try:
        if len(mesh.vertices) != len(mesh_object.data.vertices):
            raise ExportError(
                f"the modifiers of '{mesh_object.name}' make {len(mesh.vertices)} vertices of "
                f"{len(mesh_object.data.vertices)}; turn off or apply those that change the mesh: "
                + ", ".join(m.name for m in mesh_object.modifiers if m.type != "ARMATURE" and m.show_viewport)
            )
        return moved(positions_of(mesh), Y_UP @ matrix(evaluated.matrix_world))
    finally:
        evaluated.to_mesh_clear()


# ---- glTF ----------------------------------------------------------------------------------------------------------


class Glb:
    """A small glTF writer: Blender's own splits vertices at seams, and then the order is no longer ours."""

    def __init__(self):
        self.document = {
            "asset": {"version": "2.0", "generator": "Pelt export_examples"},
            "accessors": [],
            "bufferViews": [],
        }
        self.bytes = bytearray()

    def accessor(self, values, kind, bounds=False, target=None):
        types = {np.dtype(np.float32): 5126, np.dtype(np.uint32): 5125, np.dtype(np.uint16): 5123}
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        view = {"buffer": 0, "byteOffset": len(self.bytes), "byteLength": values.nbytes}
        if target:
            view["target"] = target
        self.document["bufferViews"].append(view)
        entry = {
            "bufferView": len(self.document["bufferViews"]) - 1,
            "componentType": types[values.dtype],
            "count": len(values),
            "type": kind,
        }
        if bounds:
            table = values.reshape(len(values), -1)
            entry["min"], entry["max"] = table.min(axis=0).tolist(), table.max(axis=0).tolist()
        self.bytes += np.ascontiguousarray(values).tobytes()
        self.document["accessors"].append(entry)
        return len(self.document["accessors"]) - 1

    def write(self, path):
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        self.document["buffers"] = [{"byteLength": len(self.bytes)}]
        text = json.dumps(self.document, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        with open(path, "wb") as file:
            file.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(self.bytes)))
            file.write(struct.pack("<I4s", len(text), b"JSON") + text)
            file.write(struct.pack("<I4s", len(self.bytes), b"BIN\0") + self.bytes)


def quaternion(rotation):
    """x, y, z, w; the largest of the four is found first, so that nothing is divided by next to nothing."""
    m = rotation
    squares = np.array(
        [
            1 + m[0, 0] - m[1, 1] - m[2, 2],
            1 - m[0, 0] + m[1, 1] - m[2, 2],
            1 - m[0, 0] - m[1, 1] + m[2, 2],
            1 + m[0, 0] + m[1, 1] + m[2, 2],
        ]
    )
    k = int(squares.argmax())
    products = np.array(
        [
            [squares[0], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]],
            [m[0, 1] + m[1, 0], squares[1], m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]],
            [m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], squares[2], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], squares[3]],
        ]
    )
    return products[k] / np.linalg.norm(products[k])


def decomposed(local):
    """Translation, rotation, scale, and how far they are from the whole: what shears cannot be written."""
    linear = local[:3, :3]
    scale = np.linalg.norm(linear, axis=0)
    if np.linalg.det(linear) < 0:
        scale[0] = -scale[0]
    rotation = linear / np.where(scale == 0, 1, scale)
    u, _, v = np.linalg.svd(rotation)
    straight = u @ np.diag([1, 1, np.linalg.det(u @ v)]) @ v
    return local[:3, 3], quaternion(straight), scale, np.abs(straight * scale - linear).max()


class Joint:
    """A node of the file: what moves it, and what it hangs from."""

    def __init__(self, name, parent, rest, world_now):
        self.name, self.parent, self.rest, self.world_now = name, parent, rest, world_now
        self.worlds = []  # one per frame


def make_joints(armature, meshes, depsgraph):
    """One a deforming bone, under the nearest bone above it that deforms; then one a mesh, for vertices that no bone
    holds."""
    place = Y_UP @ matrix(armature.evaluated_get(depsgraph).matrix_world)
    joints, index = [], {}
    for bone in deforming_bones(armature):
        parent = next((index[b.name] for b in bone.parent_recursive if b.name in index), -1)
        index[bone.name] = len(joints)

        def world(graph, name=bone.name):
            posed = armature.evaluated_get(graph)
            return Y_UP @ matrix(posed.matrix_world) @ matrix(posed.pose.bones[name].matrix)

        joints.append(Joint(bone.name, parent, place @ matrix(bone.matrix_local), world))
    for mesh in meshes:

        def world(graph, mesh=mesh):
            return Y_UP @ matrix(mesh.evaluated_get(graph).matrix_world)

        joints.append(Joint(mesh.name + " (no bone)", -1, world(depsgraph), world))
    return joints, index


def drop_unused(joints, bone_count, rows):
    """Mesh joints that hold no vertex go, and the others move up."""
    used = {joint for mesh_rows in rows for row in mesh_rows for joint, _ in row}
    kept = [j for j in range(len(joints)) if j < bone_count or j in used]
    place = {old: new for new, old in enumerate(kept)}
    return [joints[j] for j in kept], [[[(place[j], w) for j, w in row] for row in mesh_rows] for mesh_rows in rows]


def add_skeleton(glb, joints, times):
    """Nodes, inverse binds and the clip; gives the largest shear that was left out."""
    nodes, channels, samplers, sheared = [], [], [], 0.0
    time = glb.accessor(times, "SCALAR", bounds=True)

    def locals_of(joint, worlds, parents):
        return [w if joint.parent < 0 else np.linalg.inv(p) @ w for w, p in zip(worlds, parents)]

    for number, joint in enumerate(joints):
        parent = joints[joint.parent] if joint.parent >= 0 else joint
        t, r, s, _ = decomposed(locals_of(joint, [joint.rest], [parent.rest])[0])
        nodes.append({"name": joint.name, "translation": t.tolist(), "rotation": r.tolist(), "scale": s.tolist()})
        if joint.parent >= 0:
            nodes[joint.parent].setdefault("children", []).append(number)
        keys = [decomposed(local) for local in locals_of(joint, joint.worlds, parent.worlds)]
        sheared = max([sheared] + [shear for _, _, _, shear in keys])
        turns = np.array([r for _, r, _, _ in keys])
        for k in range(1, len(turns)):
            if turns[k] @ turns[k - 1] < 0:
                turns[k] = -turns[k]
        for path, values, kind in (
            ("translation", np.array([t for t, _, _, _ in keys]), "VEC3"),
            ("rotation", turns, "VEC4"),
            ("scale", np.array([s for _, _, s, _ in keys]), "VEC3"),
        ):
            channels.append({"sampler": len(samplers), "target": {"node": number, "path": path}})
            samplers.append({"input": time, "output": glb.accessor(values.astype(np.float32), kind)})
    binds = np.array([np.linalg.inv(joint.rest).T.ravel() for joint in joints], dtype=np.float32)
    glb.document["nodes"] = nodes
    glb.document["skins"] = [{"joints": list(range(len(joints))), "inverseBindMatrices": glb.accessor(binds, "MAT4")}]
    glb.document["animations"] = [{"name": "examples", "channels": channels, "samplers": samplers}]
    return sheared


def add_mesh(glb, name, positions, triangles, rows):
    count = max(len(row) for row in rows)
    sets = (count + 3) // 4
    joints = np.zeros((len(rows), 4 * sets), dtype=np.uint16)
    weights = np.zeros((len(rows), 4 * sets), dtype=np.float32)
    for v, row in enumerate(rows):
        for k, (joint, weight) in enumerate(row):
            joints[v, k], weights[v, k] = joint, weight
    attributes = {"POSITION": glb.accessor(positions.astype(np.float32), "VEC3", bounds=True, target=34962)}
    for s in range(sets):
        columns = slice(4 * s, 4 * s + 4)
        attributes[f"JOINTS_{s}"] = glb.accessor(np.ascontiguousarray(joints[:, columns]), "VEC4", target=34962)
        attributes[f"WEIGHTS_{s}"] = glb.accessor(np.ascontiguousarray(weights[:, columns]), "VEC4", target=34962)
    indices = glb.accessor(triangles.astype(np.uint32).ravel(), "SCALAR", target=34963)
    meshes = glb.document.setdefault("meshes", [])
    meshes.append({"name": name, "primitives": [{"attributes": attributes, "indices": indices}]})
    glb.document["nodes"].append({"name": name, "mesh": len(meshes) - 1, "skin": 0})


# ---- the export ----------------------------------------------------------------------------------------------------


def record(scene, frames, joints, meshes):
    """Goes through the frames; gives the deformed vertices of each and notes where the joints are."""
    examples = []
    for frame in frames:
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for joint in joints:
            joint.worlds.append(joint.world_now(depsgraph))
        examples.append(np.concatenate([deformed(mesh, depsgraph) for mesh in meshes]))
    return np.array(examples, dtype=np.float32)


def export(folder, armature_name=None, mesh_names=None, frame_text=None):
    """Writes the pair into the folder; gives lines for the user."""
    scene = bpy.context.scene
    armature = find_armature(armature_name)
    meshes = find_meshes(mesh_names, armature)
    frames = find_frames(frame_text, scene)
    frame_before = scene.frame_current
    try:
        scene.frame_set(frames[0])
        depsgraph = bpy.context.evaluated_depsgraph_get()
        joints, index = make_joints(armature, meshes, depsgraph)
        places = [Y_UP @ matrix(mesh.evaluated_get(depsgraph).matrix_world) for mesh in meshes]
        rows = [weights_of(mesh, index, len(index) + k) for k, mesh in enumerate(meshes)]
        if not any(rows):
            raise ExportError("the meshes have no vertices")
        joints, rows = drop_unused(joints, len(index), rows)
        examples = record(scene, frames, joints, meshes)
    finally:
        scene.frame_set(frame_before)

    glb = Glb()
    sheared = add_skeleton(glb, joints, (np.arange(len(frames)) / FPS).astype(np.float32))
    for mesh, place, mesh_rows in zip(meshes, places, rows):
        if mesh_rows:
            add_mesh(glb, mesh.name, moved(positions_of(mesh.data), place), triangles_of(mesh.data), mesh_rows)
    roots = [k for k, joint in enumerate(joints) if joint.parent < 0]
    glb.document["scenes"] = [{"nodes": roots + list(range(len(joints), len(glb.document["nodes"])))}]
    glb.document["scene"] = 0

    os.makedirs(folder, exist_ok=True)
    character, sequence = os.path.join(folder, "character.glb"), os.path.join(folder, "examples.npy")
    glb.write(character)
    np.save(sequence, examples)
    lines = [f"{character}: {len(joints)} joints, {examples.shape[1]} vertices", f"{sequence}: {len(frames)} examples"]
    if sheared > 1e-4:
        lines.append(f"warning: some bones shear (by up to {sheared:.2g}), which joints in a file cannot")
    return lines


class ExportExamples(bpy.types.Operator):
    """A rigged character and its deformed meshes, as pelt fit reads them"""

    bl_idname = "export_scene.pelt_examples"
    bl_label = "Export examples"
    directory: bpy.props.StringProperty(subtype="DIR_PATH")
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    def invoke(self, context, _event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        active = context.object
        try:
            name = active.name if active and active.type == "ARMATURE" else None
            for line in export(self.directory, name):
                self.report({"INFO"}, line)
        except (ExportError, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


def show_in_menu(menu, _context):
    menu.layout.operator(ExportExamples.bl_idname, text="Examples for Pelt")


def register():
    bpy.utils.register_class(ExportExamples)
    bpy.types.TOPBAR_MT_file_export.append(show_in_menu)


def unregister():
    bpy.types.TOPBAR_MT_file_export.remove(show_in_menu)
    bpy.utils.unregister_class(ExportExamples)


def main(arguments):
    parser = argparse.ArgumentParser(prog="export_examples.py", description=__doc__.splitlines()[0])
    parser.add_argument("--output", required=True, metavar="DIR", help="folder for character.glb and examples.npy")
    parser.add_argument("--armature", metavar="A", help="the armature, where there are several")
    parser.add_argument(
        "--mesh", metavar="M", action="append", help="a mesh, may be repeated (default: all that follow it)"
    )
    parser.add_argument("--frames", metavar="a:b", help="first and last frame (default: those of the scene)")
    options = parser.parse_args(arguments)
    try:
        print("\n".join(export(options.output, options.armature, options.mesh, options.frames)))
    except ExportError as error:
        print(f"export_examples: {error}", file=sys.stderr)
        sys.exit(3)
    except OSError as error:
        print(f"export_examples: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    if "--" in sys.argv:
        main(sys.argv[sys.argv.index("--") + 1 :])
    else:
        register()
