"""Numbers and pictures of free poses in docs/pose.md."""
import json
import math
import shlex
import subprocess

from . import flat_pictures
from .tools import FEET, PROGRAM, WORK, figure, full, gingerbread, near, pelt, position, render, restMesh, turn


def free(**what):
    return {**what, "constraint": "free"}


def write_grid(name, across, along, place, closed=False):
    """A grid of points as .obj, closed around its first direction or not; gives the file and its vertices."""
    vertices = [place(i / across, j / along) for j in range(along + 1) for i in range(across + (not closed))]
    width, faces = across + (not closed), []
    for j in range(along):
        for i in range(across):
            a, b = j * width + i, j * width + (i + 1) % width
            faces += [(a, b, b + width), (a, b + width, a + width)]
    if closed:  # round caps are fans about a point
        for j, up in ((0, False), (along, True)):
            center = tuple(sum(vertices[j * width + i][c] for i in range(width)) / width for c in range(3))
            vertices.append(center)
            for i in range(across):
                a, b = j * width + i, j * width + (i + 1) % width
                faces.append((len(vertices) - 1, a, b) if up else (len(vertices) - 1, b, a))
    lines = ["v {:.6f} {:.6f} {:.6f}".format(*v) for v in vertices]
    lines += ["f {} {} {}".format(*(v + 1 for v in face)) for face in faces]
    (WORK / f"{name}.obj").write_text("\n".join(lines) + "\n")
    return f"{name}.obj", vertices


def cylinder():
    def place(u, v):
        return 0.12 * math.cos(math.tau * u), v, -0.12 * math.sin(math.tau * u)

    return write_grid("cylinder", 32, 64, place, True)


def bumpy_plane():
    def place(u, v):
        bumps = math.sin(5 * math.tau * u) * math.sin(5 * math.tau * v)
        return u - 0.5, 0.03 * bumps, 0.5 - v

    return write_grid("bumpy_plane", 72, 72, place)


def posed_energy(file, name, handles, options):
    """Poses into NAME.npy; gives the energy."""
    (WORK / f"{name}.json").write_text(json.dumps({"handles": handles}))
    words = [f"pose {file} --handles '{name}.json' {options} -o '{name}.npy'"]
    print("pelt " + words[0], flush=True)
    done = subprocess.run(
        [PROGRAM, *shlex.split(words[0]), "--json"],
        cwd=WORK,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    return json.loads(done.stdout)["energy"][-1]


def apart(first, second, rest):
    """The largest distance between two poses, of the diagonal of the rest pose."""
    a, b = (flat_pictures.read_frames(WORK / f"{name}.npy")[0] for name in (first, second))
    low, high = ([side(v[c] for v in rest) for c in range(3)] for side in (min, max))
    return max(math.dist(p, q) for p, q in zip(a, b)) / math.dist(low, high)


@figure
def pose_variational():
    """A cylinder and a bumpy plane, bent and twisted: the reduced pose beside that of all vertices."""
    tube, plane = cylinder(), bumpy_plane()
    ends = [[i for i, v in enumerate(tube[1]) if (v[1] < 0.13 if low else v[1] > 0.87)] for low in (True, False)]
    rim = [i for i, v in enumerate(plane[1]) if max(abs(v[0]), abs(v[2])) > 0.46]
    middle = [i for i, v in enumerate(plane[1]) if math.hypot(v[0], v[2]) < 0.12]
    bend = turn(-120, (0, 1, 0), (0.42, -0.42, 0))
    cases = (
        ("bent by 120°", tube, ends, bend),
        ("twisted by 135°", tube, ends, turn(135, (0, 1, 0), axis=1)),
        ("lifted", plane, [rim, middle], turn(0, (0, 0, 0), (0, 0.3, 0))),
        ("lifted and turned by 90°", plane, [rim, middle], turn(90, (0, 0, 0), (0, 0.25, 0), axis=1)),
    )
    for shape in (tube, plane):
        files = []
        for name, of, (still, moved), move in cases:
            if of is not shape:
                continue
            handles = [full(region=still), full(move, region=moved)]
            both = [f"{name}, 15 extra weights", f"{name}, all vertices"]
            energies = [
                posed_energy(of[0], both[0], handles, "--free --extra-weights 15"),
                posed_energy(of[0], both[1], handles, "--free --extra-weights 15 --unreduced --iterations 400"),
            ]
            print(f"# {name}: energy {energies[0] / energies[1]:.3f}, distance {apart(*both, of[1]):.4f}")
            files += both
        names = " ".join(f"'{name}.npy'" for name in files)
        view = "20,12" if shape is tube else "25,25"
        which = "cylinder" if shape is tube else "plane"
        render(f"pose_variational_{which}", f"{names} --mesh {shape[0]} --camera {view} --columns 4 --size 1400x460")


def full_minimum(name, of, handles):
    """The better of two minima over all vertices: its energy and the name of its file."""
    found = []
    for extra in (15, 60):
        file = f"{name}, all vertices from {extra}"
        options = f"--free --unreduced --extra-weights {extra} --iterations 4000"
        found.append((posed_energy(of[0], file, handles, options), file))
    return min(found)


@figure
def pose_optimum():
    """The table of variational modeling: energy relative to the full minimum, distance in hundredths of the diagonal."""
    tube, plane = cylinder(), bumpy_plane()
    ends = [[i for i, v in enumerate(tube[1]) if (v[1] < 0.13 if low else v[1] > 0.87)] for low in (True, False)]
    rim = [i for i, v in enumerate(plane[1]) if max(abs(v[0]), abs(v[2])) > 0.46]
    middle = [i for i, v in enumerate(plane[1]) if math.hypot(v[0], v[2]) < 0.12]
    cases = []
    for degrees in (90, 120, 180):
        angle = math.radians(degrees)
        along = ((1 - math.cos(angle)) / angle, math.sin(angle) / angle - 1, 0)
        cases.append((f"bent by {degrees}°", tube, ends, turn(-degrees, (0, 1, 0), along)))
    for degrees in (90, 135):
        cases.append((f"twisted by {degrees}°", tube, ends, turn(degrees, (0, 1, 0), axis=1)))
    cases.append(("lifted", plane, [rim, middle], turn(0, (0, 0, 0), (0, 0.3, 0))))
    cases.append(("lifted and turned by 90°", plane, [rim, middle], turn(90, (0, 0, 0), (0, 0.25, 0), axis=1)))
    for name, of, (still, moved), move in cases:
        handles = [full(region=still), full(move, region=moved)]
        least, optimum = full_minimum(name, of, handles)
        row = []
        for options in ("15", "15 --clusters 100000", "60", "60 --clusters 4000"):
            energy = posed_energy(of[0], name, handles, f"--free --iterations 3000 --extra-weights {options}")
            row.append(f"{energy / least:.2f}, {100 * apart(name, optimum, of[1]):.1f}")
        print(f"# | {name} | {' | '.join(row)} |", flush=True)


@figure
def pose_clusters():
    """A bar bent by 90°, whose edges share 2, 4 and 64 rotations."""
    file, vertices, _ = restMesh("bar", 3000)
    ends = [
        full(region=near(vertices, (0, 0, 0), 0.2)),
        full(turn(-90, (0, 1, 0), (0.35, -0.25, 0)), region=near(vertices, (0, 1, 0), 0.2)),
    ]
    names = []
    for count in (2, 4, 64):
        names.append(f"{count} rotations")
        energy = posed_energy(file, names[-1], ends, f"--extra-weights 15 --energy tets --clusters {count}")
        print(f"# {names[-1]}: {energy:.4g}")
    files = " ".join(f"'{name}.npy'" for name in names)
    render("pose_clusters", f"{files} --mesh {file} --camera 20,10 --columns 3 --size 1100x460")


@figure
def pose_given():
    """A bar on five regions, bent by 120°. Those between the ends are free, then given one by one, moved but not turned:
    with all of them it is plain skinning."""
    file, vertices, _ = restMesh("bar", 3000)

    def bent(height):
        radius, angle = 3 / math.tau, math.tau / 3 * height
        place = (radius * (1 - math.cos(angle)), radius * math.sin(angle) - height, 0)
        return turn(-120 if height == 1 else 0, (0, height, 0), place)

    def ring(height):
        return [i for i, v in enumerate(vertices) if abs(v[1] - height) < 0.04]

    heights, names = (0, 0.25, 0.5, 0.75, 1), []
    for given in ((0, 4), (0, 2, 4), (0, 1, 2, 4), (0, 1, 2, 3, 4)):
        handles = [full(bent(h), region=ring(h)) if i in given else free(region=ring(h)) for i, h in enumerate(heights)]
        names.append(f"{len(given)} of 5 given")
        energy = posed_energy(file, names[-1], handles, "--energy tets")
        print(f"# {names[-1]}: {energy:.4g}")
    files = " ".join(f"'{name}.npy'" for name in names)
    render("pose_given", f"{files} --mesh {file} --camera 20,10 --columns 4 --size 1400x460")


@figure
def pose_plain():
    """What free poses cost as plain files: the poses of the other pictures, with 0, 15 and 60 extra weights."""
    bar, vertices, _ = restMesh("bar", 3000)
    lower, upper = near(vertices, (0, 0, 0), 0.2), near(vertices, (0, 1, 0), 0.2)
    pelt("sample biped --skin smooth -o drag_biped.glb")
    biped, points, _ = restMesh("biped", 20000)
    low, high = min(v[1] for v in points), max(v[1] for v in points)
    reach = max(v[0] for v in points)
    feet = [[i for i, v in enumerate(points) if v[1] < low + 0.06 and v[0] * side > 0] for side in (-1, 1)]
    hands = [[i for i, v in enumerate(points) if v[0] * side > reach - 0.16] for side in (-1, 1)]
    regions = [full(region=feet[0]), full(region=feet[1])]
    regions += [
        full(turn(25, [0, high, 0], (-0.2, -0.08, 0.1)), region=[i for i, v in enumerate(points) if v[1] > high - 0.3])
    ]
    regions += [full(turn(60, points[hands[1][0]], (-0.05, 0.6, 0.1)), region=hands[1])]
    flat = gingerbread()
    lean = [position((x, -0.5, 0), point=[x, -0.5, 0]) for x in (-0.25, 0.25)]
    lean += [
        position(to, point=at) for at, to in (([-0.5, 0.55, 0], [-0.75, 0.55, 0]), ([0.5, 0.55, 0], [0.2, 0.2, 0]))
    ]
    keys = [[0, [0.62, 0.95, 0.05]], [0.5, [0.7, 1.35, 0.3]], [1, [0.3, 1.8, 0.3]], [1.5, [-0.3, 1.5, 0.45]]]
    cases = (
        (
            "a hand dragged",
            "drag_biped.glb",
            FEET + [{"joint": "hand_L", "constraint": "position", "targets": keys}],
            "",
        ),
        (
            "a bar bent by 90°",
            bar,
            [full(region=lower), full(turn(-90, (0, 1, 0), (0.35, -0.25, 0)), region=upper)],
            "",
        ),
        (
            "folded by 120°",
            bar,
            [full(region=lower), full(turn(-120, (0, 1, 0), (0.42, -0.4, 0)), region=upper)],
            "--energy tets",
        ),
        (
            "twisted by 150°",
            bar,
            [full(region=lower), full(turn(150, (0, 1, 0), axis=1), region=upper)],
            "--energy tets",
        ),
        ("a flat figure", flat, lean, "--energy triangles"),
        ("regions of a biped", biped, regions, ""),
    )
    for name, file, handles, options in cases:
        (WORK / "plain.json").write_text(json.dumps({"handles": handles}))
        row = []
        for extra in (0, 15, 60):
            words = f"pose {file} --handles plain.json {options} --free --extra-weights {extra} -o plain.glb --json"
            print("pelt " + words, flush=True)
            done = subprocess.run(
                [PROGRAM, *shlex.split(words)], cwd=WORK, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            row.append(f"{json.loads(done.stdout)['e_rms']:.2f}")
        print(f"# | {name} | {' | '.join(row)} |")
