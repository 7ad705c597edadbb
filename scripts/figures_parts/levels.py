"""Pictures of docs/transfer.md and docs/lod.md."""
import math

from .tools import WORK, figure, pelt, render


def jacket(body, out):
    """A loose jacket around the biped: its torso and arms, moved outwards, farthest below the arms."""
    places, faces = [], []
    for line in (WORK / body).read_text().splitlines():
        word, *rest = line.split()[:4] if line else [""]
        if word == "v":
            places.append([float(x) for x in rest])
        elif word == "f":
            faces.append([int(corner.split("/")[0]) - 1 for corner in rest])
    normals = [[0.0, 0.0, 0.0] for _ in places]
    for face in faces:
        a, b, c = (places[v] for v in face)
        u, w = [b[i] - a[i] for i in range(3)], [c[i] - a[i] for i in range(3)]
        for v in face:
            for i in range(3):
                normals[v][i] += u[i - 2] * w[i - 1] - u[i - 1] * w[i - 2]
    worn = [0.86 < y < 1.42 and abs(x) < 0.44 for x, y, z in places]
    moved = []
    for (x, y, z), normal in zip(places, normals):
        nx, ny, nz = (n / math.hypot(*normal) for n in normal)
        sleeve = min(1, max(0, (abs(x) - 0.16) / 0.08))
        gap = 0.008 + 0.03 * sleeve * (1 + 2 * max(0, -ny))
        moved.append((x + gap * nx, y + gap * ny, z + gap * nz))
    kept = [face for face in faces if all(worn[v] for v in face)]
    number = {v: i for i, v in enumerate(sorted({v for face in kept for v in face}))}
    with open(WORK / out, "w") as file:
        for v in number:
            file.write("v {:.6f} {:.6f} {:.6f}\n".format(*moved[v]))
        for face in kept:
            file.write("f " + " ".join(str(number[v] + 1) for v in face) + "\n")


@figure
def transfer_jacket():
    """A jacket with the weights of nearest points and with transferred ones, and what was copied."""
    pelt("sample biped --resolution 12000 --skin smooth -o body.glb")
    pelt("deform body.glb --bind-pose -o body.obj")
    jacket("body.obj", "jacket.obj")
    pelt("transfer body.glb jacket.obj --nearest -o 'nearest points.glb'")
    pelt("transfer body.glb jacket.obj -o transferred.glb")
    render(
        "transfer_weights",
        "'nearest points.glb' transferred.glb --clip range_of_motion --frame 50% --color weights "
        "--camera 20,5 --size 1200x640",
    )
    render("transfer_confidence", "transferred.glb --color confidence --camera 20,-10 --size 640x640")


@figure
def lod_biped():
    """The biped and its levels of detail, in one pose."""
    pelt("sample biped --resolution 12000 --skin smooth -o biped.glb")
    pelt("lod biped.glb -o .")
    render(
        "lod_biped",
        "biped.glb biped_lod1.glb biped_lod2.glb biped_lod3.glb --clip walk --frame 0.3 --camera 25,5 "
        "--size 1400x700",
    )
