"""What the figures share: running pelt, meshes and characters by hand, handles."""
import json
import math
import os
import pathlib
import shlex
import struct
import subprocess
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


WORK = ROOT / "build" / "figures"


IMAGES = ROOT / "docs" / "images"


PROGRAM = pathlib.Path(os.environ.get("PELT", ROOT / "build" / "release" / "apps" / "pelt" / "pelt")).resolve()


FIGURES = {}


def figure(function):
    FIGURES[function.__name__] = function
    return function


def pelt(*arguments):
    """Runs pelt in the work folder; arguments split as a shell splits them."""
    words = [word for argument in arguments for word in shlex.split(argument)]
    print("pelt " + shlex.join(words), flush=True)
    subprocess.run([PROGRAM, *words, "--quiet"], cwd=WORK, check=True)


def render(name, arguments):
    """One picture of the docs."""
    image = (
        f"{name}.png"
        if name.startswith(("bake", "bbw", "decompose", "fit", "lod", "pose", "transfer", "virtual"))
        else f"ddm_{name}.png"
    )
    pelt("render", arguments, f"-o {image}")
    squeeze(WORK / image, IMAGES / image)


def squeeze(source, target):
    """Writes the same picture with a thorough deflate."""
    data, at, chunks, pixels = source.read_bytes(), 8, [], b""
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        at += size + 12
        if kind == b"IDAT":
            pixels += body
        else:
            chunks.append((kind, body))
    chunks.insert(-1, (b"IDAT", zlib.compress(zlib.decompress(pixels), 9)))
    with open(target, "wb") as out:
        out.write(data[:8])
        for kind, body in chunks:
            out.write(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)))


def readObj(path):
    """Vertices and triangles of a mesh that pelt wrote."""
    vertices, triangles = [], []
    for line in path.read_text().splitlines():
        words = line.split()
        if line.startswith("v "):
            vertices.append(tuple(map(float, words[1:4])))
        elif line.startswith("f "):
            triangles.append(tuple(int(word.split("/")[0]) - 1 for word in words[1:4]))
    return vertices, triangles


IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]


def turn(degrees, center=(0, 0, 0), shift=(0, 0, 0), axis=2):
    """A rotation about a main axis through a point, then a shift; 16 numbers by columns."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    columns = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    a, b = (axis + 1) % 3, (axis + 2) % 3
    columns[a][a], columns[a][b], columns[b][a], columns[b][b] = c, s, -s, c
    moved = [center[i] - sum(columns[k][i] * center[k] for k in range(3)) + shift[i] for i in range(3)]
    return [*columns[0], 0, *columns[1], 0, *columns[2], 0, *moved, 1]


def full(transform=IDENTITY, **what):
    return {**what, "constraint": "full", "transform": list(transform)}


def position(target, **what):
    return {**what, "constraint": "position", "target": list(target)}


def pose(character, name, handles, options=""):
    """Poses into NAME.npy."""
    (WORK / f"{name}.json").write_text(json.dumps({"handles": handles}))
    pelt(f"pose {character} --handles '{name}.json' {options} -o '{name}.npy'")


def restMesh(scene, resolution):
    """The bare mesh of a built-in character: its file, vertices and triangles."""
    pelt(f"sample {scene} --resolution {resolution} --skin smooth -o {scene}.glb")
    pelt(f"deform {scene}.glb --bind-pose -o {scene}_rest")
    file = sorted((WORK / f"{scene}_rest").iterdir())[0]
    return (f"{scene}_rest/{file.name}", *readObj(file))


def near(vertices, center, radius):
    return [i for i, v in enumerate(vertices) if math.dist(v, center) < radius]


FEET = [full(joint="pelvis"), full(joint="foot_L"), full(joint="foot_R")]


def gingerbread(n=180):
    """A flat figure: grid points inside a few capsules, as .obj; gives the file."""
    capsules = [
        ((0, 0.1), (0, 0.55), 0.17),
        ((0, 0.9), (0, 0.9), 0.17),
        ((0, 0.5), (0, 0.9), 0.07),
        ((0, 0.5), (-0.5, 0.55), 0.09),
        ((0, 0.5), (0.5, 0.55), 0.09),
        ((0, 0.1), (-0.25, -0.5), 0.11),
        ((0, 0.1), (0.25, -0.5), 0.11),
    ]

    def inside(x, y):
        for (ax, ay), (bx, by), r in capsules:
            length = (bx - ax) ** 2 + (by - ay) ** 2
            t = 0 if length == 0 else min(1, max(0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length))
            if math.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay)) < r:
                return True
        return False

    step, points, faces, names = 1.8 / n, {}, [], []

    def point(i, j):
        if (i, j) not in points:
            points[i, j] = len(points) + 1
            names.append((-0.9 + i * step, -0.7 + j * step))
        return points[i, j]

    for i in range(n):
        for j in range(n):
            if all(inside(-0.9 + (i + a) * step, -0.7 + (j + b) * step) for a in (0, 1) for b in (0, 1)):
                a, b, c, d = point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)
                faces += [(a, b, c), (a, c, d)]
    lines = [f"v {x} {y} 0" for x, y in names] + ["f {} {} {}".format(*f) for f in faces]
    (WORK / "gingerbread.obj").write_text("\n".join(lines) + "\n")
    return "gingerbread.obj"


SHARED = ROOT.parent / "shared" / "data" / "rigged"


LIMBS = (
    "hips",
    "thigh",
    "knee",
    "foot",
    "other_thigh",
    "other_knee",
    "other_foot",
    "shoulder",
    "elbow",
    "hand",
    "other_shoulder",
    "other_elbow",
    "other_hand",
    "head",
    "chest",
)


FIGURES_POSED = {
    "biped": (
        None,
        "",
        "pelvis thigh_L shin_L foot_L thigh_R shin_R foot_R upper_arm_L forearm_L hand_L "
        "upper_arm_R forearm_R hand_R head chest",
    ),
    "knight": (
        "kaykit/Knight.glb",
        "",
        "hips upperleg.l lowerleg.l foot.l upperleg.r lowerleg.r foot.r upperarm.l lowerarm.l "
        "wrist.l upperarm.r lowerarm.r wrist.r head chest",
    ),
    "mage": (
        "kaykit/Mage.glb",
        "",
        "hips upperleg.l lowerleg.l foot.l upperleg.r lowerleg.r foot.r upperarm.l lowerarm.l "
        "wrist.l upperarm.r lowerarm.r wrist.r head chest",
    ),
    "mannequiny": (
        "mannequiny/godot/assets/3d/mannequiny/mannequiny-0.3.0.glb",
        "--clip idle",
        "pelvis thigh.l calf.l foot.l thigh.r calf.r foot.r upperarm.l lowerarm.l hand.l upperarm.r "
        "lowerarm.r hand.r head spine_02",
    ),
    "cesium man": (
        "khronos/CesiumMan/glTF-Binary/CesiumMan.glb",
        "",
        "Skeleton_torso_joint_1 leg_joint_L_1 leg_joint_L_2 leg_joint_L_3 leg_joint_R_1 leg_joint_R_2 "
        "leg_joint_R_3 Skeleton_arm_joint_L__4_ Skeleton_arm_joint_L__3_ Skeleton_arm_joint_L__2_ "
        "Skeleton_arm_joint_R Skeleton_arm_joint_R__2_ Skeleton_arm_joint_R__3_ Skeleton_neck_joint_2 Skeleton_torso_joint_2",
    ),
    "robot": (
        "raylib/robot.glb",
        "",
        "Body UpperLeg.L LowerLeg.L Foot.L UpperLeg.R LowerLeg.R Foot.R UpperArm.L LowerArm.L "
        "Palm2.L UpperArm.R LowerArm.R Palm2.R Head Torso",
    ),
    "robot expressive": (
        "RobotExpressive/RobotExpressive.glb",
        "",
        "Body UpperLeg.L LowerLeg.L Foot.L UpperLeg.R LowerLeg.R Foot.R UpperArm.L LowerArm.L Palm2.L "
        "UpperArm.R LowerArm.R Palm2.R Head Torso",
    ),
}


def posed(file, handles, options, output):
    """Poses a character; what it says of that."""
    (WORK / "animator.json").write_text(json.dumps({"handles": handles}))
    command = ["pose", file, "--handles", "animator.json", *options.split(), "-o", output, "--json", "--quiet"]
    print("pelt " + shlex.join(command), flush=True)
    return json.loads(subprocess.run([PROGRAM, *command], cwd=WORK, check=True, stdout=subprocess.PIPE).stdout)
