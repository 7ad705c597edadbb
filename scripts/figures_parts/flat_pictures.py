"""Pictures of flat figures for scripts/figures: a drawing, its triangles with the drawing on them, and short films."""
import json
import math
import struct
import zlib

WHITE = (255, 255, 255)


class Canvas:
    """An RGB picture, and drawing on it."""

    def __init__(self, width, height, color=WHITE):
        self.width, self.height = width, height
        self.pixels = bytearray(bytes(color) * (width * height))

    def blend(self, x, y, color, alpha):
        if alpha <= 0 or not (0 <= x < self.width and 0 <= y < self.height):
            return
        at = 3 * (y * self.width + x)
        for c in range(3):
            self.pixels[at + c] = round(self.pixels[at + c] * (1 - alpha) + color[c] * alpha)

    def capsule(self, a, b, radius, color):
        """A line with round ends, or a disc where both ends are one."""
        (ax, ay), (bx, by) = a, b
        squared = (bx - ax) ** 2 + (by - ay) ** 2
        for y in range(math.floor(min(ay, by) - radius) - 1, math.ceil(max(ay, by) + radius) + 2):
            for x in range(math.floor(min(ax, bx) - radius) - 1, math.ceil(max(ax, bx) + radius) + 2):
                px, py = x + 0.5, y + 0.5
                t = 0 if squared == 0 else min(1, max(0, ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / squared))
                distance = math.hypot(px - ax - t * (bx - ax), py - ay - t * (by - ay))
                self.blend(x, y, color, min(1, max(0, radius + 0.5 - distance)))

    def paste(self, other, left, top=0):
        for y in range(other.height):
            row = other.pixels[3 * y * other.width : 3 * (y + 1) * other.width]
            at = 3 * ((top + y) * self.width + left)
            self.pixels[at : at + len(row)] = row

    def textured(self, triangles, corners, uvs, picture):
        """Triangles at `corners` in pixels, with a picture of straight alpha on them."""
        wide, high, texels = picture
        for triangle in triangles:
            (ax, ay), (bx, by), (cx, cy) = (corners[v] for v in triangle)
            twice = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
            if abs(twice) < 1e-9:
                continue
            (au, av), (bu, bv), (cu, cv) = (uvs[v] for v in triangle)
            for y in range(max(0, math.floor(min(ay, by, cy))), min(self.height, math.ceil(max(ay, by, cy)))):
                for x in range(max(0, math.floor(min(ax, bx, cx))), min(self.width, math.ceil(max(ax, bx, cx)))):
                    px, py = x + 0.5, y + 0.5
                    s = ((bx - px) * (cy - py) - (by - py) * (cx - px)) / twice
                    t = ((cx - px) * (ay - py) - (cy - py) * (ax - px)) / twice
                    if s < 0 or t < 0 or s + t > 1:
                        continue
                    u, v = s * au + t * bu + (1 - s - t) * cu, s * av + t * bv + (1 - s - t) * cv
                    i, j = min(wide - 1, max(0, int(u * wide))), min(high - 1, max(0, int(v * high)))
                    at = 4 * (j * wide + i)
                    self.blend(x, y, texels[at : at + 3], texels[at + 3] / 255)

    def edges(self, triangles, corners, color=(60, 60, 60)):
        lines = {tuple(sorted((t[k], t[k - 1]))) for t in triangles for k in range(3)}
        for a, b in lines:
            self.capsule(corners[a], corners[b], 0.2, color)


def _chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _rows(canvas):
    size = 3 * canvas.width
    return b"".join(b"\0" + canvas.pixels[y * size : (y + 1) * size] for y in range(canvas.height))


def write_png(path, canvas):
    write_film(path, [canvas], 1)


def write_film(path, frames, fps):
    """An animated PNG; a plain one of a single frame. After the first frame only the part that changes is stored."""
    first = frames[0]
    out = [_chunk(b"IHDR", struct.pack(">IIBBBBB", first.width, first.height, 8, 2, 0, 0, 0))]
    if len(frames) > 1:
        out.append(_chunk(b"acTL", struct.pack(">II", len(frames), 0)))
    number, before = 0, None
    for frame in frames:
        left, top, part = _changed(before, frame)
        if len(frames) > 1:
            size = (part.width, part.height, left, top)
            out.append(_chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, *size, 1, fps, 0, 0)))
            number += 1
        data = zlib.compress(_rows(part), 9)
        if before is None:
            out.append(_chunk(b"IDAT", data))
        else:
            out.append(_chunk(b"fdAT", struct.pack(">I", number) + data))
            number += 1
        before = frame
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(out) + _chunk(b"IEND", b""))


def _changed(before, frame):
    """The rectangle of a frame that differs from the one before it."""
    if before is None:
        return 0, 0, frame
    size = 3 * frame.width
    rows = [
        y
        for y in range(frame.height)
        if frame.pixels[y * size : y * size + size] != before.pixels[y * size : y * size + size]
    ]
    if not rows:
        rows = [0]
    top, bottom = rows[0], rows[-1] + 1
    columns = [
        x
        for x in range(frame.width)
        if any(
            frame.pixels[y * size + 3 * x : y * size + 3 * x + 3]
            != before.pixels[y * size + 3 * x : y * size + 3 * x + 3]
            for y in range(top, bottom)
        )
    ] or [0]
    left, right = columns[0], columns[-1] + 1
    part = Canvas(right - left, bottom - top)
    for y in range(top, bottom):
        part.pixels[3 * (y - top) * part.width : 3 * (y - top + 1) * part.width] = frame.pixels[
            y * size + 3 * left : y * size + 3 * right
        ]
    return left, top, part


def read_glb(path):
    """Positions, UVs and triangles of all primitives of a .glb that pelt wrote."""
    data = path.read_bytes()
    (size,) = struct.unpack_from("<I", data, 12)
    document, binary = json.loads(data[20 : 20 + size]), data[28 + size :]

    def numbers(index):
        accessor = document["accessors"][index]
        view = document["bufferViews"][accessor["bufferView"]]
        kind = {5121: "B", 5123: "H", 5125: "I", 5126: "f"}[accessor["componentType"]]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}[accessor["type"]]
        at = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        flat = struct.unpack_from(f"<{accessor['count'] * width}{kind}", binary, at)
        return flat if width == 1 else [flat[i : i + width] for i in range(0, len(flat), width)]

    positions, uvs, triangles = [], [], []
    for mesh in document["meshes"]:
        for primitive in mesh["primitives"]:
            base, corners = len(positions), numbers(primitive["indices"])
            positions += numbers(primitive["attributes"]["POSITION"])
            uvs += numbers(primitive["attributes"]["TEXCOORD_0"])
            triangles += [tuple(base + v for v in corners[i : i + 3]) for i in range(0, len(corners), 3)]
    return positions, uvs, triangles


def read_frames(path):
    """The frames of a .npy of (F, V, 3) float32."""
    data = path.read_bytes()
    header = data[10 : 10 + struct.unpack_from("<H", data, 8)[0]].decode()
    frames, vertices = (int(n) for n in header.split("(")[1].split(")")[0].split(",")[:2])
    flat = struct.unpack_from(f"<{frames * vertices * 3}f", data, 10 + len(header))
    points = [flat[i : i + 3] for i in range(0, len(flat), 3)]
    return [points[f * vertices : (f + 1) * vertices] for f in range(frames)]


SKIN, SHIRT, SLEEVE, TROUSERS, HAIR, INK = (
    (246, 206, 170),
    (222, 92, 62),
    (198, 76, 52),
    (62, 84, 150),
    (110, 66, 40),
    (36, 34, 44),
)

#: Limbs of the drawing, from the back to the front: ends, radius, color; 440 x 440 pixels.
HERO = [
    ((200, 262), (172, 396), 21, TROUSERS),
    ((240, 262), (268, 396), 21, TROUSERS),
    ((166, 408), (146, 412), 15, INK),
    ((274, 408), (294, 412), 15, INK),
    ((180, 150), (88, 196), 17, SLEEVE),
    ((88, 196), (62, 208), 15, SKIN),
    ((260, 150), (352, 196), 17, SLEEVE),
    ((352, 196), (378, 208), 15, SKIN),
    ((220, 150), (220, 258), 42, SHIRT),
    ((220, 108), (220, 112), 16, SKIN),
    ((220, 64), (220, 62), 51, HAIR),
    ((220, 72), (220, 76), 45, SKIN),
    ((203, 68), (203, 72), 5, INK),
    ((237, 68), (237, 72), 5, INK),
    ((206, 98), (234, 98), 3, (170, 60, 60)),
    ((220, 178), (220, 178), 5, (250, 230, 190)),
    ((220, 206), (220, 206), 5, (250, 230, 190)),
    ((220, 234), (220, 234), 5, (250, 230, 190)),
]


def hero():
    """The drawing: width, height and RGBA."""
    wide, high = 440, 440
    colors, covers = Canvas(wide, high, INK), Canvas(wide, high, (0, 0, 0))
    for a, b, radius, color in HERO:
        colors.capsule(a, b, radius + 1, color)
    for a, b, radius, _ in HERO:
        covers.capsule(a, b, radius, WHITE)
    texels = bytearray()
    for i in range(wide * high):
        texels += colors.pixels[3 * i : 3 * i + 3] + covers.pixels[3 * i : 3 * i + 1]
    return wide, high, texels


def write_picture(path, picture):
    """A picture with alpha as .png."""
    wide, high, texels = picture
    rows = b"".join(b"\0" + texels[4 * y * wide : 4 * (y + 1) * wide] for y in range(high))
    header = struct.pack(">IIBBBBB", wide, high, 8, 6, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in chunks))
