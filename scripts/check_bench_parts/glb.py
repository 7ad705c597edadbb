"""The skin of a .glb as arrays over all primitives, and the file with another one."""
import json
import struct

import numpy

_TYPES = {5121: numpy.uint8, 5123: numpy.uint16, 5125: numpy.uint32, 5126: numpy.float32}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class SkinnedGlb:
    """positions (V, 3) at bind, triangles (T, 3), weights (V, J) over the nodes that skins name."""

    def __init__(self, data):
        (length,) = struct.unpack_from("<I", data, 12)
        self.json = json.loads(data[20 : 20 + length])
        start = 20 + length
        size = struct.unpack_from("<I", data, start)[0] if len(data) > start else 0
        self.binary = bytearray(data[start + 8 : start + 8 + size])
        self.nodes = self.json["nodes"]
        self.parents = [-1] * len(self.nodes)
        for n, node in enumerate(self.nodes):
            for child in node.get("children", []):
                self.parents[child] = n
        self.primitives = []  # (primitive, skin, first vertex)
        positions, faces, rows, cols, values, first = [], [], [], [], [], 0
        seen = set()
        for node in self.nodes:
            if "mesh" not in node or "skin" not in node or node["mesh"] in seen:
                continue
            seen.add(node["mesh"])
            skin = self.json["skins"][node["skin"]]
            for primitive in self.json["meshes"][node["mesh"]]["primitives"]:
                attributes = primitive["attributes"]
                if "JOINTS_0" not in attributes or primitive.get("mode", 4) != 4:
                    continue
                place = self.read(attributes["POSITION"])
                positions.append(place @ self._to_world(skin).T[:3, :3] + self._to_world(skin)[:3, 3])
                face = (
                    self.read(primitive["indices"]).reshape(-1, 3)
                    if "indices" in primitive
                    else numpy.arange(len(place)).reshape(-1, 3)
                )
                faces.append(face.astype(int) + first)
                k = 0
                while f"JOINTS_{k}" in attributes:
                    joints, weights = self.read(attributes[f"JOINTS_{k}"]), self.read(attributes[f"WEIGHTS_{k}"])
                    rows.append(numpy.repeat(numpy.arange(len(place)) + first, 4))
                    cols.append(numpy.array(skin["joints"])[joints.astype(int).ravel()])
                    values.append(weights.astype(float).ravel())
                    k += 1
                self.primitives.append((primitive, skin, first, len(place)))
                first += len(place)
        self.positions = numpy.concatenate(positions)
        self.triangles = numpy.concatenate(faces)
        self.weights = numpy.zeros((first, len(self.nodes)))
        numpy.add.at(self.weights, (numpy.concatenate(rows), numpy.concatenate(cols)), numpy.concatenate(values))
        self.weights /= numpy.maximum(self.weights.sum(1, keepdims=True), 1e-9)
        self.joints = sorted({j for _, skin, _, _ in self.primitives for j in skin["joints"]})
        self.places = {j: self.world(j)[:3, 3] for j in self.joints}

    def world(self, node):
        made = numpy.eye(4)
        while node >= 0:
            made = self._local(self.nodes[node]) @ made
            node = self.parents[node]
        return made

    def _local(self, node):
        if "matrix" in node:
            return numpy.array(node["matrix"]).reshape(4, 4).T
        made = numpy.eye(4)
        x, y, z, w = node.get("rotation", [0, 0, 0, 1])
        made[:3, :3] = numpy.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )
        made[:3, :3] *= numpy.array(node.get("scale", [1, 1, 1]))
        made[:3, 3] = node.get("translation", [0, 0, 0])
        return made

    def _to_world(self, skin):
        if "inverseBindMatrices" not in skin:
            return numpy.eye(4)
        inverse = self.read(skin["inverseBindMatrices"]).reshape(-1, 4, 4).swapaxes(1, 2)
        return self.world(skin["joints"][0]) @ inverse[0]

    def read(self, index):
        accessor = self.json["accessors"][index]
        width, kind = _WIDTHS[accessor["type"]], _TYPES[accessor["componentType"]]
        view = self.json["bufferViews"][accessor["bufferView"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        item = numpy.dtype(kind).itemsize * width
        stride, count = view.get("byteStride", item), accessor["count"]
        raw = numpy.frombuffer(
            self.binary, numpy.uint8, start and (count - 1) * stride + item or (count - 1) * stride + item, start
        )
        rows = numpy.lib.stride_tricks.as_strided(raw, (count, item), (stride, 1))
        made = numpy.ascontiguousarray(rows).view(kind).reshape(count, width)
        if accessor.get("normalized"):
            return made.astype(float) / numpy.iinfo(kind).max
        return made[:, 0] if width == 1 else made

    def with_weights(self, weights):
        """The bytes of the file with other weights, (V, nodes)."""
        document, binary = json.loads(json.dumps(self.json)), bytearray(self.binary)

        def add(array):
            while len(binary) % 4:
                binary.append(0)
            document["bufferViews"].append({"buffer": 0, "byteOffset": len(binary), "byteLength": array.nbytes})
            binary.extend(array.tobytes())
            document["accessors"].append(
                {
                    "bufferView": len(document["bufferViews"]) - 1,
                    "count": len(array),
                    "type": "VEC4",
                    "componentType": 5123 if array.dtype == numpy.uint16 else 5126,
                }
            )
            return len(document["accessors"]) - 1

        flat = iter(self.primitives)
        seen = set()
        for node in document["nodes"]:
            if "mesh" not in node or "skin" not in node or node["mesh"] in seen:
                continue
            seen.add(node["mesh"])
            for primitive in document["meshes"][node["mesh"]]["primitives"]:
                attributes = primitive["attributes"]
                if "JOINTS_0" not in attributes or primitive.get("mode", 4) != 4:
                    continue
                _, skin, first, count = next(flat)
                own = weights[first : first + count][:, skin["joints"]]
                sets = max(1, -(-int((own > 1e-6).sum(1).max()) // 4))
                order = numpy.argsort(-own, axis=1, kind="stable")[:, : 4 * sets]
                order = numpy.pad(order, ((0, 0), (0, max(0, 4 * sets - order.shape[1]))))
                value = numpy.take_along_axis(own, order, 1)
                value[:, own.shape[1] :] = 0
                value[value <= 1e-6] = 0
                for k in list(attributes):
                    if k.startswith(("JOINTS_", "WEIGHTS_")):
                        del attributes[k]
                for k in range(sets):
                    part = slice(4 * k, 4 * k + 4)
                    attributes[f"JOINTS_{k}"] = add(numpy.where(value > 0, order, 0)[:, part].astype(numpy.uint16))
                    attributes[f"WEIGHTS_{k}"] = add(value[:, part].astype(numpy.float32))
        document["buffers"][0]["byteLength"] = len(binary)
        text = json.dumps(document).encode()
        text += b" " * (-len(text) % 4)
        binary += b"\0" * (-len(binary) % 4)
        total = 12 + 8 + len(text) + 8 + len(binary)
        return (
            struct.pack("<4sII", b"glTF", 2, total)
            + struct.pack("<I4s", len(text), b"JSON")
            + text
            + struct.pack("<I4s", len(binary), b"BIN\0")
            + bytes(binary)
        )
