"""People of many ages and builds, made from MPFB's shape targets and skeletons, as GLB files with their weights."""
import gzip
import json
import pathlib
import random
import struct

import numpy as np

FACES = "makehuman"  # its own skeleton, with a hundred joints in the face and toes
RIGS = ("mixamo", "game_engine", FACES, "cmu_mb", FACES, "game_engine_with_breast")
AGES = ("baby", "child", "young", "old")


def ranges(groups, *names):
    return [range(first, last + 1) for name in names for first, last in groups[name]]


class MakeHuman:
    """The base mesh, its targets and skeletons; `folder` is mpfb2, `base` the OBJ file of MakeHuman's base mesh."""

    def __init__(self, folder, base):
        self.folder, self.own = pathlib.Path(folder), pathlib.Path(base).parent
        self.groups = json.loads((self.folder / "basemesh_vertex_groups.json").read_text())
        points, faces = [], []
        for line in open(base):
            if line.startswith("v "):
                points.append([float(x) for x in line.split()[1:4]])
            elif line.startswith("f "):
                faces.append([int(word.split("/")[0]) - 1 for word in line.split()[1:]])
        self.points = np.array(points)
        self.faces = faces
        self.targets = {}

    def target(self, name):
        if name not in self.targets:
            path = self.folder / "targets" / f"{name}.target.gz"
            moved = np.zeros_like(self.points)
            for line in gzip.open(path, "rt"):
                words = line.split()
                if len(words) == 4 and not line.startswith("#"):
                    moved[int(words[0])] += [float(x) for x in words[1:]]
            self.targets[name] = moved
        return self.targets[name]

    def shape(self, rng):
        """A person: ancestry, sex, age, weight, muscle and height."""
        points = self.points.copy()
        sex, age = rng.choice(("female", "male")), rng.choice(AGES)
        muscle, weight = (
            rng.choice(("minmuscle", "averagemuscle", "maxmuscle")),
            rng.choice(("minweight", "averageweight", "maxweight")),
        )
        mixed = [
            (f"{rng.choice(('african', 'asian', 'caucasian'))}-{sex}-{age}", 1),
            (f"universal-{sex}-{age}-{muscle}-{weight}", 1),
            (f"{sex}-{age}-averagemuscle-averageweight-{rng.choice(('minheight', 'maxheight'))}", rng.random()),
        ]
        for name, share in mixed:
            if (self.folder / "targets" / f"{name}.target.gz").exists():
                points += share * self.target(name)
        return points

    def parts(self, rng):
        """Which vertices exist: the body, and some of what it may wear."""
        names = ["body"]
        if rng.random() < 0.6:
            names += ["helper-l-eye", "helper-r-eye"]
        if rng.random() < 0.4:
            names += ["helper-upper-teeth", "helper-lower-teeth", "helper-tongue"]
        names += rng.choice(
            ([], [], ["helper-tights"], ["helper-skirt"], ["helper-hair"], ["helper-hair", "helper-skirt"])
        )
        kept = np.zeros(len(self.points), bool)
        for span in ranges(self.groups, *names):
            kept[list(span)] = True
        return kept

    def place(self, end, points):
        if end["strategy"] == "CUBE":
            cube = [v for span in ranges(self.groups, end["cube_name"]) for v in span]
            return points[cube].mean(axis=0)
        return points[end["vertex_indices"]].mean(axis=0)

    def skeleton(self, rig, points):
        """Names, parents and places of the joints, parents first."""
        if rig == FACES:
            file = json.loads((self.own / "default.mhskel").read_text())
            bones = {
                name: {
                    "parent": bone["parent"],
                    "head": {"strategy": "MEAN", "vertex_indices": file["joints"][bone["head"]]},
                }
                for name, bone in file["bones"].items()
            }
            return self.ordered(bones, points)
        bones = json.loads((self.folder / "rigs" / f"rig.{rig}.json").read_text())
        return self.ordered(bones.get("bones", bones), points)

    def ordered(self, bones, points):
        ordered = []
        while len(ordered) < len(bones):
            for name, bone in bones.items():
                if name not in ordered and (not bone["parent"] or bone["parent"] in ordered):
                    ordered.append(name)
        parents = [ordered.index(bones[n]["parent"]) if bones[n]["parent"] else -1 for n in ordered]
        return ordered, parents, np.array([self.place(bones[n]["head"], points) for n in ordered])

    def weights(self, rig, names):
        own = self.own / "default_weights.mhw"
        table = json.loads((own if rig == FACES else self.folder / "rigs" / f"weights.{rig}.json").read_text())[
            "weights"
        ]
        full = np.zeros((len(self.points), len(names)))
        for name, rows in table.items():
            if name in names:
                for vertex, weight in rows:
                    full[vertex, names.index(name)] += weight
        return full

    def write(self, path, seed):
        rng = random.Random(seed)
        points, kept = self.shape(rng), self.parts(rng)
        rig = RIGS[seed % len(RIGS)]
        names, parents, places = self.skeleton(rig, points)
        full = self.weights(rig, names)
        kept &= full.sum(axis=1) > 0
        index = np.cumsum(kept) - 1
        triangles = [
            [face[0], face[k], face[k + 1]] for face in self.faces if all(kept[face]) for k in range(1, len(face) - 1)
        ]
        write_glb(path, points[kept] / 10, index[np.array(triangles)], names, parents, places / 10, full[kept])


def write_glb(path, points, triangles, names, parents, places, weights):
    """One skinned mesh; as many sets of four influences as its weights need."""
    blob, views, accessors = b"", [], []

    def store(array, component, kind, **more):
        nonlocal blob
        data = array.tobytes()
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(data)})
        blob += data + b"\0" * (-len(data) % 4)
        accessors.append(
            {
                "bufferView": len(views) - 1,
                "componentType": component,
                "type": kind,
                "count": array.size // {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[kind],
                **more,
            }
        )
        return len(accessors) - 1

    points = points.astype("<f4")
    attributes = {
        "POSITION": store(points, 5126, "VEC3", min=points.min(axis=0).tolist(), max=points.max(axis=0).tolist())
    }
    order = np.argsort(-weights, axis=1, kind="stable")
    heavy = np.take_along_axis(weights, order, axis=1)
    for k in range(max(1, -(-int((heavy > 0).sum(axis=1).max()) // 4))):
        part = heavy[:, 4 * k : 4 * k + 4] / heavy.sum(axis=1, keepdims=True)
        joints = np.where(part > 0, order[:, 4 * k : 4 * k + 4], 0)
        attributes[f"JOINTS_{k}"] = store(joints.astype("<u2"), 5123, "VEC4")
        attributes[f"WEIGHTS_{k}"] = store(part.astype("<f4"), 5126, "VEC4")
    indices = store(triangles.astype("<u4").ravel(), 5125, "SCALAR")
    matrices = np.tile(np.eye(4, dtype="<f4"), (len(names), 1, 1))
    matrices[:, 3, :3] = -places
    binds = store(matrices, 5126, "MAT4")
    nodes = []
    for j, name in enumerate(names):
        offset = places[j] - (places[parents[j]] if parents[j] >= 0 else 0)
        node = {"name": name, "translation": offset.tolist()}
        children = [k for k, p in enumerate(parents) if p == j]
        nodes.append(node | ({"children": children} if children else {}))
    roots = [j for j, p in enumerate(parents) if p < 0]
    nodes.append({"name": "body", "mesh": 0, "skin": 0})
    gltf = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": roots + [len(names)]}],
        "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": attributes, "indices": indices}]}],
        "skins": [{"joints": list(range(len(names))), "inverseBindMatrices": binds}],
        "buffers": [{"byteLength": len(blob)}],
        "bufferViews": views,
        "accessors": accessors,
    }
    text = json.dumps(gltf).encode()
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as file:
        file.write(struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(blob), len(text), 0x4E4F534A))
        file.write(text + struct.pack("<II", len(blob), 0x004E4942) + blob)
