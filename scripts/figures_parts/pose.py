"""Pictures of docs/pose.md: joints that keep their lengths, and energies."""
import json
import math
import struct

from .tools import (
    FEET,
    FIGURES_POSED,
    LIMBS,
    SHARED,
    WORK,
    figure,
    full,
    near,
    pelt,
    pose,
    posed,
    position,
    readObj,
    render,
    restMesh,
    turn,
)


@figure
def pose_drag():
    """One hand dragged along a curve: arm, shoulder and torso follow; a clip of rigid joints."""
    pelt("sample biped --skin smooth -o drag_biped.glb")
    keys = [[0, [0.62, 0.95, 0.05]], [0.5, [0.7, 1.35, 0.3]], [1, [0.3, 1.8, 0.3]], [1.5, [-0.3, 1.5, 0.45]]]
    handles = FEET + [{"joint": "hand_L", "constraint": "position", "targets": keys}]
    (WORK / "drag.json").write_text(json.dumps({"handles": handles}))
    pelt("pose drag_biped.glb --handles drag.json -o drag.glb")
    pelt("pose drag_biped.glb --handles drag.json -o drag.npy")
    render("pose_drag", "drag.glb --frame 0,0.5,1,1.5 --skeleton --columns 4 --size 1400x600")
    render("pose_exact", "drag.npy drag.glb --mesh drag_biped.glb --frame 0.5,1,1.5 --size 900x1100")


@figure
def pose_extra():
    """A bar and an arm held at both ends: without and with extra weights, and without a rig."""
    file, vertices, _ = restMesh("bar", 3000)
    ends = [
        full(region=near(vertices, (0, 0, 0), 0.2)),
        full(turn(-90, (0, 1, 0), (0.35, -0.25, 0)), region=near(vertices, (0, 1, 0), 0.2)),
    ]
    for name, options in (
        ("no extra weights", ""),
        ("15 extra weights", "--extra-weights 15"),
        ("15, volume", "--extra-weights 15 --energy tets"),
        ("full ARAP", "--extra-weights 15 --unreduced --iterations 400"),
    ):
        pose(file, name, ends, options)
    render(
        "pose_extra",
        f"'no extra weights.npy' '15 extra weights.npy' '15, volume.npy' 'full ARAP.npy' --mesh {file} "
        "--camera 20,10 --size 1400x460",
    )


@figure
def pose_volume():
    """Surface against volume: what a thick bar does when it is folded and twisted."""
    file, vertices, _ = restMesh("bar", 3000)
    lower, upper = near(vertices, (0, 0, 0), 0.2), near(vertices, (0, 1, 0), 0.2)
    for name, move in (("folded", turn(-120, (0, 1, 0), (0.42, -0.4, 0))), ("twisted", turn(150, (0, 1, 0), axis=1))):
        for kind, energy in (("surface", "spokes-and-rims"), ("volume", "tets")):
            pose(
                file,
                f"{name}, {kind}",
                [full(region=lower), full(move, region=upper)],
                f"--extra-weights 15 --energy {energy}",
            )
    files = " ".join(f"'{n}, {k}.npy'" for n in ("folded", "twisted") for k in ("surface", "volume"))
    render("pose_volume", f"{files} --mesh {file} --camera 20,10 --size 1400x460")


@figure
def pose_disjoint():
    """Handles that no skeleton joins: head, hands and feet, and 15 extra weights between them."""
    file, vertices, _ = restMesh("biped", 20000)
    low, high = min(v[1] for v in vertices), max(v[1] for v in vertices)
    feet = [[i for i, v in enumerate(vertices) if v[1] < low + 0.06 and v[0] * side > 0] for side in (-1, 1)]
    reach = max(v[0] for v in vertices)
    hands = [[i for i, v in enumerate(vertices) if v[0] * side > reach - 0.16] for side in (-1, 1)]
    head = [i for i, v in enumerate(vertices) if v[1] > high - 0.3]
    top = [0, high, 0]
    for name, extra in (("without", 0), ("with 15", 15)):
        pose(
            file,
            f"{name} extra weights",
            [
                full(region=feet[0]),
                full(region=feet[1]),
                full(turn(25, top, (-0.2, -0.08, 0.1)), region=head),
                full(turn(60, vertices[hands[1][0]], (-0.05, 0.6, 0.1)), region=hands[1]),
                full(turn(20, vertices[hands[0][0]], (0.1, -0.1, 0.15)), region=hands[0]),
            ],
            f"--extra-weights {extra}",
        )
    render(
        "pose_disjoint",
        f"'without extra weights.npy' 'with 15 extra weights.npy' --mesh {file} --camera 15,8 " "--size 1000x640",
    )


@figure
def pose_crowd():
    """A crowd of bipeds, each posed by three handles of its own."""
    side, lines, base = 7, [], 0
    _, rest, triangles = restMesh("biped", 2500)
    for i in range(side * side):
        a = 2.399963 * i
        hand = (0.45 + 0.2 * math.cos(a), 1.2 + 0.45 * math.sin(1.7 * a), 0.25 + 0.2 * math.sin(a))
        other = (-0.45 - 0.2 * math.cos(1.3 * a), 1.1 + 0.45 * math.cos(0.7 * a), 0.2)
        head = (0.12 * math.sin(a), 1.52 + 0.03 * math.cos(a), 0.1 * math.cos(2 * a))
        handles = FEET + [position(hand, joint="hand_L"), position(other, joint="hand_R"), position(head, joint="head")]
        (WORK / "one.json").write_text(json.dumps({"handles": handles}))
        pelt("pose biped.glb --handles one.json --iterations 60 -o one")
        vertices, _ = readObj(sorted((WORK / "one").iterdir())[0])
        x, z = 1.5 * (i % side) + 0.3 * math.sin(3 * i), 1.3 * (i // side) + 0.3 * math.cos(2 * i)
        lines += [f"v {v[0] + x:.4f} {v[1]:.4f} {v[2] + z:.4f}" for v in vertices]
        lines += ["f {} {} {}".format(*(base + t + 1 for t in triangle)) for triangle in triangles]
        base += len(vertices)
    (WORK / "crowd.obj").write_text("\n".join(lines) + "\n")
    render("pose_crowd", "crowd.obj --camera 20,25 --size 1200x700")


def lowest(sequence):
    """The floor that a character of one frame stands on."""
    data = (WORK / sequence).read_bytes()
    first = 10 + int.from_bytes(data[8:10], "little")
    return min(y for _, y, _ in struct.iter_unpack("<3f", data[first:]))


def kneelFor(at, floor, move):
    """On the other knee, thigh upright above it and shin behind it; the foot in front stands below its knee."""
    thigh, shin = math.dist(at["thigh"], at["knee"]), math.dist(at["knee"], at["foot"])
    back_thigh, back_shin = (
        math.dist(at["other_thigh"], at["other_knee"]),
        math.dist(at["other_knee"], at["other_foot"]),
    )
    thick = max(0.16 * back_shin, 0.9 * (at["other_foot"][1] - floor))  # of a knee
    knee = [at["other_thigh"][0], floor + thick, at["other_thigh"][2]]
    drop = at["other_thigh"][1] - back_thigh - knee[1]
    ankle = [knee[0], knee[1] + 0.2 * back_shin, knee[2] - math.sqrt(1 - 0.2**2) * back_shin]
    rise = at["foot"][1] + shin - (at["thigh"][1] - drop)  # from the hip to the front knee, the shin upright
    rise = max(-0.9 * thigh, min(0.9 * thigh, rise))
    front = [at["foot"][0], at["foot"][1], at["thigh"][2] + math.sqrt(thigh**2 - rise**2)]
    return [
        move("hips", [at["hips"][0], at["hips"][1] - drop, at["hips"][2]]),
        move("foot", front, [0, 0, 0]),
        move("other_foot", ankle, [60, 0, 0]),
        move("other_knee", knee),
    ]


def animatorPoses(at, floor, joints):
    """Squat, two reaches, a look back and a kneel, sized by the figure's own limbs, from where these are at the start."""
    thigh, shin = math.dist(at["thigh"], at["knee"]), math.dist(at["knee"], at["foot"])
    arm = math.dist(at["shoulder"], at["elbow"]) + math.dist(at["elbow"], at["hand"])
    side = 1 if at["hand"][0] > at["other_hand"][0] else -1

    def hold(*limbs):
        return {"joints": [joints[limb] for limb in limbs], "constraint": "hold"}

    def move(limb, target, rotation=None):
        handle = position(target, joint=joints[limb])
        return handle if rotation is None else {**handle, "constraint": "full", "rotation": rotation}

    def reach(dx, dy, dz, limb="shoulder"):
        return move("hand", [at[limb][0] + side * dx * arm, at[limb][1] + dy * arm, at[limb][2] + dz * arm])

    feet = hold("foot", "other_foot")
    hips = at["hips"]
    return {
        "squat": [feet, move("hips", [hips[0], hips[1] - (thigh + shin) / 3, hips[2]])],
        "reach up": [feet, reach(0.45, 0.8, 0.25)],
        "reach across": [feet, reach(0.1, -0.3, 0.75, "other_shoulder")],
        "look back": [
            feet,
            hold("hips"),
            {"joint": joints["chest"], "constraint": "rotation", "rotation": [0, 35, 0]},
            {"joint": joints["head"], "constraint": "rotation", "rotation": [0, 100, 0]},
        ],
        "kneel": kneelFor(at, floor, move),
    }


@figure
def pose_animator():
    """Squat, reach up, reach across, look back and kneel, of every figure there is."""
    for name, (source, options, limbs) in FIGURES_POSED.items():
        if source and not (SHARED / source).exists():
            print(f"# {SHARED / source} is not there: {name} left out")
            continue
        if not source:
            pelt("sample biped --skin smooth -o animated.glb")
        file = str(SHARED / source) if source else "animated.glb"
        joints = dict(zip(LIMBS, limbs.split()))
        start = posed(file, [{"joints": list(joints.values()), "constraint": "hold"}], options, "start.npy")
        places = {place["joint"]: place["start"] for place in start["places"]}
        at = {limb: places[joint] for limb, joint in joints.items()}
        height = max(p[1] for p in at.values()) - min(p[1] for p in at.values())
        files = []
        for title, handles in animatorPoses(at, lowest("start.npy"), joints).items():
            files.append(f"{title}.glb")
            missed = posed(file, handles, options, files[-1])["missed"]
            print(f"# {name}, {title}: missed by {missed:.3g}, {100 * missed / height:.2f} % from feet to head")
        render(
            f"pose_animator_{name.replace(' ', '_')}",
            " ".join(f"'{f}'" for f in files) + " --frame 0f --camera 30,8 --columns 5 --size 1500x440",
        )
