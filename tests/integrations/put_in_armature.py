"""Puts the skeleton of a .glb under an armature node that scales and turns, as exporters do whose figures are modelled in
other units or lying: bones, keys and mesh are stored in the armature's space, and the posed figure stays where it was.

    put_in_armature.py IN.glb OUT.glb SCALE DEGREES_ABOUT_X

For the files that `pelt sample` writes: one buffer, plain accessors, nodes with translation, rotation and scale.
"""
import json
import math
import struct
import sys


def read(path):
    data = open(path, "rb").read()
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + length]), bytearray(data[28 + length :])


def write(path, document, binary):
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    size = 28 + len(text) + len(binary)
    with open(path, "wb") as out:
        out.write(struct.pack("<4sIIII", b"glTF", 2, size, len(text), 0x4E4F534A) + text)
        out.write(struct.pack("<II", len(binary), 0x004E4942) + binary)


def multiply(p, q):
    (a, b, c, d), (e, f, g, h) = p, q
    return [
        d * e + a * h + b * g - c * f,
        d * f - a * g + b * h + c * e,
        d * g + a * f - b * e + c * h,
        d * h - a * e - b * f - c * g,
    ]


def turned(q, v):
    x, y, z, _ = multiply(multiply(q, [*v, 0]), [-q[0], -q[1], -q[2], q[3]])
    return [x, y, z]


class Armature:
    def __init__(self, scale, degrees):
        self.scale = scale
        half = math.radians(degrees) / 2
        self.rotation = [math.sin(half), 0, 0, math.cos(half)]
        self.back = [-self.rotation[0], 0, 0, self.rotation[3]]

    def point(self, v):
        return [x / self.scale for x in turned(self.back, v)]

    def put(self, document, binary):
        nodes = document["nodes"]
        children = {c for node in nodes for c in node.get("children", [])}
        skinned = {j for skin in document["skins"] for j in skin["joints"]}
        roots = [n for n in range(len(nodes)) if n not in children and "mesh" not in nodes[n]]
        for n, node in enumerate(nodes):
            if "mesh" in node:
                continue
            place = node.get("translation", [0, 0, 0])
            node["translation"] = self.point(place) if n in roots else [x / self.scale for x in place]
            if n in roots:
                node["rotation"] = multiply(self.back, node.get("rotation", [0, 0, 0, 1]))
        for animation in document.get("animations", []):
            for channel in animation["channels"]:
                node, path = channel["target"].get("node"), channel["target"]["path"]
                if node in children | set(roots):
                    self.keys(document, binary, animation["samplers"][channel["sampler"]], path, node in roots)
        for mesh in document["meshes"]:
            for primitive in mesh["primitives"]:
                self.shape(document, binary, primitive["attributes"])
        for skin in document["skins"]:
            self.binds(document, binary, skin["inverseBindMatrices"])
        assert skinned <= children | set(roots)
        nodes.append({"name": "Armature", "children": roots, "scale": [self.scale] * 3, "rotation": self.rotation})
        for scene in document["scenes"]:
            scene["nodes"] = [n for n in scene["nodes"] if n not in roots] + [len(nodes) - 1]

    def rows(self, document, binary, accessor, width, change):
        view = document["bufferViews"][accessor["bufferView"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", 4 * width)
        for i in range(accessor["count"]):
            row = struct.unpack_from(f"<{width}f", binary, start + i * stride)
            struct.pack_into(f"<{width}f", binary, start + i * stride, *change(list(row)))

    def keys(self, document, binary, sampler, path, root):
        accessor = document["accessors"][sampler["output"]]
        if path == "translation":
            self.rows(document, binary, accessor, 3, self.point if root else lambda v: [x / self.scale for x in v])
        if path == "rotation" and root:
            self.rows(document, binary, accessor, 4, lambda q: multiply(self.back, q))

    def shape(self, document, binary, attributes):
        positions = document["accessors"][attributes["POSITION"]]
        self.rows(document, binary, positions, 3, self.point)
        for key in ("min", "max"):
            positions.pop(key)
        low, high = [math.inf] * 3, [-math.inf] * 3

        def bound(v):
            low[:], high[:] = map(min, low, v), map(max, high, v)
            return v

        self.rows(document, binary, positions, 3, bound)
        positions.update(min=low, max=high)
        if "NORMAL" in attributes:
            self.rows(document, binary, document["accessors"][attributes["NORMAL"]], 3, lambda v: turned(self.back, v))

    def binds(self, document, binary, index):
        """B' = (C^-1)' with C' = [R^-1 A, R^-1 t / s]: the columns of B turn, its translation shrinks."""

        def change(m):
            columns = [m[0:3], m[4:7], m[8:11]]
            # B' = [B R, B_t / s]: linear part times R.
            axes = [turned(self.rotation, e) for e in ([1, 0, 0], [0, 1, 0], [0, 0, 1])]
            linear = [[sum(columns[k][r] * axis[k] for k in range(3)) for r in range(3)] for axis in axes]
            place = [x / self.scale for x in m[12:15]]
            return [*linear[0], 0, *linear[1], 0, *linear[2], 0, *place, 1]

        self.rows(document, binary, document["accessors"][index], 16, change)


def main():
    source, target, scale, degrees = sys.argv[1:5]
    document, binary = read(source)
    Armature(float(scale), float(degrees)).put(document, binary)
    write(target, document, binary)


if __name__ == "__main__":
    main()
