"""Characters go to Pelt as the bytes of a .glb, which carry clips and maps too, and come back the same way."""
import json
import struct

import numpy as np

from . import matrices

FPS = 30  # keys of a clip are at k/30 s, whatever the scene's frame rate: Pelt samples there by default
_TYPES = {np.dtype(np.float32): 5126, np.dtype(np.uint32): 5125, np.dtype(np.uint16): 5123}
_WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Writer:
    """Collects accessors and gives the bytes."""

    def __init__(self):
        self.document = {
            "asset": {"version": "2.0", "generator": "Pelt for Blender"},
            "accessors": [],
            "bufferViews": [],
        }
        self._bytes = bytearray()

    def accessor(self, values, kind, bounds=False):
        self._bytes += b"\0" * (-len(self._bytes) % 4)
        self.document["bufferViews"].append({"buffer": 0, "byteOffset": len(self._bytes), "byteLength": values.nbytes})
        entry = {
            "bufferView": len(self.document["bufferViews"]) - 1,
            "componentType": _TYPES[values.dtype],
            "count": len(values),
            "type": kind,
        }
        if bounds:
            table = values.reshape(len(values), -1)
            entry["min"], entry["max"] = table.min(axis=0).tolist(), table.max(axis=0).tolist()
        self._bytes += np.ascontiguousarray(values).tobytes()
        self.document["accessors"].append(entry)
        return len(self.document["accessors"]) - 1

    def to_bytes(self):
        data = bytes(self._bytes) + b"\0" * (-len(self._bytes) % 4)
        self.document["buffers"] = [{"byteLength": len(data)}]
        text = json.dumps(self.document, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        return b"".join(
            [
                struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data)),
                struct.pack("<I4s", len(text), b"JSON"),
                text,
                struct.pack("<I4s", len(data), b"BIN\0"),
                data,
            ]
        )


class Reader:
    """The document of a .glb and its arrays."""

    def __init__(self, data):
        length = struct.unpack_from("<I", data, 12)[0]
        self.document = json.loads(data[20 : 20 + length])
        self._bytes = data[28 + length :]

    def accessor(self, index):
        entry = self.document["accessors"][index]
        view = self.document["bufferViews"][entry["bufferView"]]
        start = view.get("byteOffset", 0) + entry.get("byteOffset", 0)
        dtype = next(d for d, number in _TYPES.items() if number == entry["componentType"])
        width = _WIDTHS[entry["type"]]
        return np.frombuffer(self._bytes, dtype, entry["count"] * width, start).reshape(entry["count"], width)

    def joints(self):
        """Per joint of the first skin: name, the name of its parent joint or None, its bind matrix (4, 4)."""
        nodes, skin = self.document["nodes"], self.document["skins"][0]
        above = {child: number for number, node in enumerate(nodes) for child in node.get("children", ())}
        binds = np.linalg.inv(self.accessor(skin["inverseBindMatrices"]).reshape(-1, 4, 4).swapaxes(1, 2).astype(float))
        found = []
        for joint, bind in zip(skin["joints"], binds):
            parent = above.get(joint)
            found.append((nodes[joint]["name"], None if parent is None else nodes[parent]["name"], bind))
        return found

    def skinned_meshes(self):
        """Name and number of vertices of each mesh with a skin, in the order of the character's vertices."""
        found = []
        for node in self.document["nodes"]:
            if "mesh" in node and "skin" in node:
                primitives = self.document["meshes"][node["mesh"]]["primitives"]
                counts = [self.document["accessors"][each["attributes"]["POSITION"]]["count"] for each in primitives]
                found.append((node["name"], sum(counts)))
        return found

    def rules(self):
        """The rules of driven joints by name; nodes in them are named, not counted."""
        listed = self.document.get("extensions", {}).get("PELT_driven_joints", {}).get("joints", [])
        names = [node.get("name", "") for node in self.document["nodes"]]
        rules = {}
        for rule in listed:
            named = dict(rule, driver=names[rule["driver"]])
            if "parent" in rule:
                named["parent"] = names[rule["parent"]]
            named["children"] = [names[child] for child in rule.get("children", ())]
            named["inputs"] = [names[entry["node"]] for entry in rule.get("inputs", ())]
            rules[names[rule["node"]]] = named
        return rules


def _node(name, local):
    translation, turn, scale, _ = matrices.decomposed(local)
    return {
        "name": name,
        "translation": translation.tolist(),
        "rotation": np.roll(turn, -1).tolist(),
        "scale": scale.tolist(),
    }


def _locals(worlds, parents):
    """Of (…, J, 4, 4), each relative to its parent."""
    parents = np.asarray(parents)
    above = np.where((parents < 0)[:, np.newaxis, np.newaxis], np.eye(4), worlds[..., np.maximum(parents, 0), :, :])
    return np.linalg.inv(above) @ worlds


def add_skeleton(glb, names, parents, rests):
    """Joints with their bind matrices."""
    local = _locals(rests, parents)
    glb.document["nodes"] = [_node(name, local[j]) for j, name in enumerate(names)]
    for j, parent in enumerate(parents):
        if parent >= 0:
            glb.document["nodes"][parent].setdefault("children", []).append(j)
    binds = np.linalg.inv(rests).swapaxes(1, 2).reshape(-1, 16).astype(np.float32)
    glb.document["skins"] = [{"joints": list(range(len(names))), "inverseBindMatrices": glb.accessor(binds, "MAT4")}]


def add_clip(glb, name, parents, worlds):
    """One key per frame; `worlds` (F, J, 4, 4). Gives the largest shear that was left out."""
    moves, turns, scales, shear = matrices.decomposed(_locals(worlds, parents))
    time = glb.accessor((np.arange(len(worlds)) / FPS).astype(np.float32), "SCALAR", bounds=True)
    channels, samplers = [], []
    for j in range(len(parents)):
        turned = np.roll(matrices.continuous(turns[:, j]), -1, axis=-1)
        for path, values, kind in (
            ("translation", moves[:, j], "VEC3"),
            ("rotation", turned, "VEC4"),
            ("scale", scales[:, j], "VEC3"),
        ):
            channels.append({"sampler": len(samplers), "target": {"node": j, "path": path}})
            samplers.append({"input": time, "output": glb.accessor(values.astype(np.float32), kind)})
    glb.document["animations"] = [{"name": name, "channels": channels, "samplers": samplers}]
    return shear


def add_mesh(glb, name, positions, triangles, rows=None, maps=None):
    """rows: offsets, joints, values of the weights, or None; maps: arrays of a number per vertex, by attribute."""
    attributes = {"POSITION": glb.accessor(positions.astype(np.float32), "VEC3", bounds=True)}
    if rows is not None:
        _add_weights(glb, attributes, len(positions), *rows)
    for attribute, values in (maps or {}).items():
        attributes[attribute] = glb.accessor(values.astype(np.float32), "SCALAR")
    indices = glb.accessor(triangles.astype(np.uint32).ravel(), "SCALAR")
    meshes = glb.document.setdefault("meshes", [])
    meshes.append({"name": name, "primitives": [{"attributes": attributes, "indices": indices}]})
    # A mesh that no vertex of which has weights yet is still skinned: its weights are to be found.
    glb.document["nodes"].append({"name": name, "mesh": len(meshes) - 1, "skin": 0})


def _add_weights(glb, attributes, count, offsets, joints, values):
    counts = np.diff(offsets)
    sets = max(1, (int(counts.max(initial=0)) + 3) // 4)
    table = np.zeros((count, 4 * sets), np.uint16), np.zeros((count, 4 * sets), np.float32)
    rows = np.repeat(np.arange(count), counts)
    columns = np.arange(len(joints)) - np.repeat(offsets[:-1], counts)
    table[0][rows, columns], table[1][rows, columns] = joints, values
    for s in range(sets):
        part = slice(4 * s, 4 * s + 4)
        attributes[f"JOINTS_{s}"] = glb.accessor(np.ascontiguousarray(table[0][:, part]), "VEC4")
        attributes[f"WEIGHTS_{s}"] = glb.accessor(np.ascontiguousarray(table[1][:, part]), "VEC4")
