"""Pictures of flat figures: docs/cutout.md and docs/pose.md."""
import json
import math

from . import flat_pictures
from .tools import IMAGES, WORK, figure, gingerbread, pelt, pose, position, render


@figure
def pose_flat():
    """A flat figure held by points alone."""
    file = gingerbread()
    feet = [position((x, -0.5, 0), point=[x, -0.5, 0]) for x in (-0.25, 0.25)]
    hands = [[-0.5, 0.55, 0], [0.5, 0.55, 0]]
    head = [0, 0.9, 0]
    poses = {
        "rest": (hands, head),
        "wave": ([[-0.5, 0.35, 0], [0.35, 0.95, 0]], [-0.1, 0.9, 0]),
        "lean": ([[-0.75, 0.55, 0], [0.2, 0.2, 0]], [-0.35, 0.85, 0]),
    }
    for name, (to, top) in poses.items():
        pose(
            file,
            name,
            feet + [position(t, point=h) for h, t in zip(hands, to)] + [position(top, point=head)],
            "--extra-weights 15 --energy triangles",
        )
    render("pose_flat", f"rest.npy wave.npy lean.npy --mesh {file} --camera front --size 1200x460")


def puppet(name, keys, options=""):
    """The drawing, cut out and posed by points: its picture, UVs, triangles and frames."""
    picture = flat_pictures.hero()
    flat_pictures.write_picture(WORK / "hero.png", picture)
    pelt("cutout hero.png --triangles 700 -o hero.glb")
    (WORK / f"{name}.json").write_text(json.dumps({"handles": keys}))
    pelt(f"pose hero.glb --handles {name}.json {options} -o {name}.npy")
    _, uvs, triangles = flat_pictures.read_glb(WORK / "hero.glb")
    return picture, uvs, triangles, flat_pictures.read_frames(WORK / f"{name}.npy")


def on_canvas(points, size):
    """Where points of the figure, 1 unit high, are in a picture."""
    scale = 0.8 * size
    return [(size / 2 + scale * p[0], 0.93 * size - scale * p[1]) for p in points]


#: Points of the drawing, in its own units.
SHOULDERS, FEET_OF_HERO = [[-0.1, 0.66, 0], [0.1, 0.66, 0]], [[-0.17, 0.03, 0], [0.17, 0.03, 0]]


HANDS_OF_HERO, HEAD_OF_HERO, HIP_OF_HERO = [[-0.4, 0.515, 0], [0.4, 0.515, 0]], [0, 0.88, 0], [0, 0.4, 0]


def held(point):
    return {"point": point, "constraint": "hold"}


def dragged(point, offsets):
    return {"point": point, "constraint": "position", "offsets": offsets}


@figure
def pose_film():
    """A film: a hand of a drawing is dragged in a circle, then its head; feet and the other hand are held."""
    hand = [
        [t / 2, [0.11 * (math.cos(a) - 1), 0.24 * math.sin(a) + 0.09 * (1 - math.cos(a)), 0]]
        for t, a in ((k / 8, math.tau * k / 16) for k in range(17))
    ]
    head = [[0, [0, 0, 0]], [1, [0, 0, 0]], [1.5, [-0.16, -0.03, 0]], [2, [0, 0, 0]]]
    keys = [held(p) for p in FEET_OF_HERO] + [held(HIP_OF_HERO), held(HANDS_OF_HERO[0])]
    keys += [dragged(HANDS_OF_HERO[1], hand), dragged(HEAD_OF_HERO, head)]
    picture, uvs, triangles, frames = puppet("film", keys, "--fps 16 --extra-weights 8 --energy triangles")
    rest, _, _ = flat_pictures.read_glb(WORK / "hero.glb")
    places = [min(range(len(rest)), key=lambda v: math.dist(rest[v], key["point"])) for key in keys]
    film, size = [], 330
    for frame in frames[:-1]:
        canvas, corners = flat_pictures.Canvas(size, size), on_canvas(frame, size)
        canvas.textured(triangles, corners, uvs, picture)
        for place, key in zip(places, keys):
            canvas.capsule(corners[place], corners[place], 6, (255, 255, 255))
            canvas.capsule(corners[place], corners[place], 4.5, (20, 120, 220) if "offsets" in key else (60, 60, 60))
        film.append(canvas)
    flat_pictures.write_film(IMAGES / "pose_film.png", film, 16)


@figure
def pose_bones():
    """Bones in a drawing that are connected to nothing: arms, legs and head turn, the rest follows."""
    bones = {
        "arm_R": ([[-0.13, 0.64, 0], [-0.36, 0.53, 0]], 55),
        "arm_L": ([[0.13, 0.64, 0], [0.36, 0.53, 0]], 75),
        "leg_R": ([[-0.06, 0.36, 0], [-0.12, 0.1, 0]], -18),
        "leg_L": ([[0.06, 0.36, 0], [0.12, 0.1, 0]], 14),
        "head": ([[0, 0.76, 0], [0, 0.94, 0]], 16),
        "body": ([[0, 0.42, 0], [0, 0.62, 0]], 0),
    }
    keys = [
        {"segment": ends, "name": name, "constraint": "rotation", "rotation": [0, 0, degrees]}
        for name, (ends, degrees) in bones.items()
    ]
    keys[-1] = {"segment": bones["body"][0], "name": "body", "constraint": "hold"}
    picture, uvs, triangles, frames = puppet("bones", keys, "--extra-weights 15 --energy triangles")
    rest, _, _ = flat_pictures.read_glb(WORK / "hero.glb")
    size = 400
    sheet = flat_pictures.Canvas(2 * size, size)
    for i, points in enumerate((rest, frames[0])):
        canvas, corners = flat_pictures.Canvas(size, size), on_canvas(points, size)
        canvas.textured(triangles, corners, uvs, picture)
        for ends, _ in bones.values():
            a, b = (corners[min(range(len(rest)), key=lambda v: math.dist(rest[v], end))] for end in ends)
            canvas.capsule(a, b, 4, (255, 255, 255))
            canvas.capsule(a, b, 2.5, (20, 120, 220))
            canvas.capsule(a, a, 5, (20, 120, 220))
        sheet.paste(canvas, i * size)
    flat_pictures.write_png(IMAGES / "pose_bones.png", sheet)


@figure
def cutout():
    """A drawing, its triangles, and the figure posed by points."""
    keys = [held(p) for p in FEET_OF_HERO] + [held(HIP_OF_HERO), dragged(HEAD_OF_HERO, [[0, [-0.1, 0, 0]]])]
    keys += [dragged(HANDS_OF_HERO[0], [[0, [0.02, -0.2, 0]]]), dragged(HANDS_OF_HERO[1], [[0, [-0.08, 0.34, 0]]])]
    picture, uvs, triangles, frames = puppet("cutout", keys, "--extra-weights 8 --energy triangles")
    rest, _, _ = flat_pictures.read_glb(WORK / "hero.glb")
    size = 400
    sheet = flat_pictures.Canvas(3 * size, size)
    for i, points in enumerate((rest, rest, frames[0])):
        canvas, corners = flat_pictures.Canvas(size, size), on_canvas(points, size)
        canvas.textured(triangles, corners, uvs, picture)
        if i == 1:
            canvas.edges(triangles, corners)
        sheet.paste(canvas, i * size)
    flat_pictures.write_png(IMAGES / "cutout.png", sheet)
