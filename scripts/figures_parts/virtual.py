"""Pictures of docs/virtual_bones.md."""
import json
import math
import shlex
import struct
import subprocess
import time

from .tools import FIGURES_POSED, IMAGES, LIMBS, PROGRAM, SHARED, WORK, figure, pelt, render


@figure
def virtual_biped():
    """Direct Delta Mush, plain weights and 128 virtual joints, in two poses of the range of motion."""
    pelt("sample biped --resolution 55000 -o baked_from.glb")
    pelt("deform baked_from.glb --method ddm-v0 --clip range_of_motion --frames :89 -o 'DDM v0.npy'")
    for name, options in (("baked", ""), ("128 virtual joints", "--virtual 128")):
        pelt(f"bake baked_from.glb --from ddm-v0 --clip range_of_motion {options} -o '{name}.glb'")
        pelt(f"deform '{name}.glb' --clip range_of_motion --frames :89 -o '{name}.npy'")
    files = "'DDM v0.npy' baked.npy '128 virtual joints.npy' --mesh baked_from.glb --frame 88f,43f --camera 20,10"
    render("virtual_shapes", f"{files} --size 1200x960")
    render("virtual_error", f"{files} --color error --size 1200x960")


def withScaledClips(source, target, joints, clips):
    """A copy of a .glb with its first clip once more for each of `clips`, in which these joints grow to a scale."""
    data = source.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    document, binary = json.loads(data[20 : 20 + size]), bytearray(data[28 + size :])
    nodes = [n for n, node in enumerate(document["nodes"]) if node.get("name") in joints]
    assert len(nodes) == len(joints), joints
    first = document["animations"][0]
    accessors = document["accessors"]
    times = [accessors[sampler["input"]] for sampler in first["samplers"]]
    begin, end = min(a["min"][0] for a in times), max(a["max"][0] for a in times)

    def accessor(numbers, kind, **bounds):
        binary.extend(bytes(-len(binary) % 4))
        document["bufferViews"].append({"buffer": 0, "byteOffset": len(binary), "byteLength": 4 * len(numbers)})
        binary.extend(struct.pack(f"<{len(numbers)}f", *numbers))
        accessors.append(
            {"bufferView": len(document["bufferViews"]) - 1, "componentType": 5126, "count": 2, "type": kind, **bounds}
        )
        return len(accessors) - 1

    for name, scale in clips.items():
        clip = json.loads(json.dumps({**first, "name": name}))
        clip["channels"] = [
            c for c in clip["channels"] if c["target"]["path"] != "scale" or c["target"].get("node") not in nodes
        ]
        clip["samplers"].append(
            {
                "input": accessor([begin, end], "SCALAR", min=[begin], max=[end]),
                "output": accessor([1, 1, 1, *scale], "VEC3"),
            }
        )
        clip["channels"] += [
            {"sampler": len(clip["samplers"]) - 1, "target": {"node": n, "path": "scale"}} for n in nodes
        ]
        document["animations"].append(clip)
    binary.extend(bytes(-len(binary) % 4))
    document["buffers"][0]["byteLength"] = len(binary)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    target.write_bytes(
        struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(binary), len(text), 0x4E4F534A)
        + text
        + struct.pack("<II", len(binary), 0x004E4942)
        + binary
    )


def measured(words):
    run = subprocess.run([PROGRAM, *shlex.split(words), "--json"], cwd=WORK, check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


SCALED = {"biped": 128, "knight": 64, "mannequiny": 64, "cesium man": 64}  # and the number of virtual joints


SCALES = {"as it is": (1, 1, 1), "uniform": (1.3, 1.3, 1.3), "stretched": (1.3, 0.8, 0.8)}


@figure
def virtual_scaled():
    """Not a picture: the errors of docs/virtual_bones.md under joints that scale, which were not baked."""
    for name, count in SCALED.items():
        file, _, joints = FIGURES_POSED[name]
        source, scaled = WORK / "scaled_from.glb", WORK / "scaled.glb"
        if file:
            source = SHARED / file
        else:
            pelt("sample biped --resolution 55000 -o scaled_from.glb")
        if not source.exists():
            print(f"# {name}: there is no {source}")
            continue
        limbs = [joint for role, joint in zip(LIMBS, joints.split()) if role in ("elbow", "other_knee")]
        withScaledClips(source, scaled, limbs, SCALES)
        low, high = measured("info scaled.glb")["bounds"]
        diagonal = math.dist(low, high)
        for what, options in (("plain", ""), ("virtual", f"--virtual {count}")):
            pelt(f"bake scaled.glb --clip 0 {options} -o {what}.glb")
        for clip in SCALES:
            pelt(f"deform scaled.glb --method eddm --no-props --clip '{clip}' -o exact.npy")
            row = []
            for what in ("plain", "virtual"):
                pelt(f"deform {what}.glb --method lbs --no-props --clip '{clip}' -o {what}.npy")
                error = measured(f"compare exact.npy {what}.npy --mesh scaled.glb")
                row.append(f"{what} E_RMS {error['e_rms']:.3f}, largest {100 * error['max'] / diagonal:.2f} %")
            print(f"# {name}, {clip}: {'; '.join(row)}", flush=True)


def drawCurve(rows, target):
    """Errors against the number of joints, both logarithmic, as SVG: { label: [(joints, error)] }."""
    width, height, left, top, right, bottom = 720, 420, 60, 20, 150, 50
    counts, errors = (1, 256), (0.08, 2)

    def at(count, error):
        x = (math.log(count / counts[0])) / math.log(counts[1] / counts[0])
        y = (math.log(error / errors[0])) / math.log(errors[1] / errors[0])
        return left + x * (width - left - right), height - bottom - y * (height - top - bottom)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for count in (1, 2, 4, 8, 16, 32, 64, 128, 256):
        x, y = at(count, errors[0])
        out.append(
            f'<path d="M{x:.1f} {top}V{y:.1f}" stroke="#ddd"/>'
            f'<text x="{x:.1f}" y="{y + 18:.1f}" text-anchor="middle">{count}</text>'
        )
    for error in (0.1, 0.2, 0.5, 1, 2):
        x, y = at(counts[0], error)
        out.append(
            f'<path d="M{x:.1f} {y:.1f}H{width - right}" stroke="#ddd"/>'
            f'<text x="{x - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">{error}</text>'
        )
    out.append(
        f'<text x="{(left + width - right) / 2}" y="{height - 12}" text-anchor="middle">joints added</text>'
        f'<text x="16" y="{(top + height - bottom) / 2}" text-anchor="middle" '
        f'transform="rotate(-90 16 {(top + height - bottom) / 2})">E_RMS over walk</text>'
    )
    colors = ["#c0392b", "#2471a3", "#7f8c8d", "#7f8c8d", "#7f8c8d", "#7f8c8d"]
    for (label, points), color in zip(rows.items(), colors):
        line = [at(*point) for point in points]
        if len(line) == 1:  # a method without added joints
            line.append(at(counts[1], points[0][1]))
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in line)
        x, y = line[-1]
        dash = "" if len(points) > 1 else ' stroke-dasharray="5 4"'
        out.append(
            f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"{dash}/>'
            f'<text x="{x + 6:.1f}" y="{y + 4:.1f}" fill="{color}">{label}</text>'
        )
        if len(points) > 1:
            out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"/>' for x, y in line]
    target.write_text("\n".join(out) + "\n</svg>\n")


@figure
def virtual_curve():
    """The error of the 55k biped against the number of virtual joints and helpers, which are made for another clip."""
    clips = ("walk", "range_of_motion")
    pelt("sample biped --resolution 55000 -o curve_from.glb")
    low, high = measured("info curve_from.glb")["bounds"]
    diagonal = math.dist(low, high)
    for clip in clips:
        pelt(f"deform curve_from.glb --method ddm-v0 --clip {clip} -o exact_{clip}.npy")

    def errorsOf(name, file, method):
        row = []
        for clip in clips:
            pelt(f"deform {file} --method {method} --clip {clip} -o curve.npy")
            error = measured(f"compare exact_{clip}.npy curve.npy --mesh curve_from.glb")
            row.append(error["e_rms"])
            print(
                f"# {name}, {clip}: E_RMS {error['e_rms']:.3f}, largest {100 * error['max'] / diagonal:.2f} %",
                flush=True,
            )
        return row

    methods = {name: errorsOf(name, "curve_from.glb", f"ddm-{name}") for name in ("v5", "v4", "v3", "v2")}
    for clip in clips:
        pelt(f"bake curve_from.glb --from ddm-v0 --clip {clip} -o curve.glb")
        methods.setdefault("plain bake", errorsOf(f"plain, made for {clip}", "curve.glb", "lbs"))  # that of `walk`
    curves = {"virtual joints": [], "helpers": []}
    for label, option, counts in (
        ("helpers", "helpers", (1, 2, 4, 8, 16)),
        ("virtual joints", "virtual", (8, 16, 32, 64, 128, 256)),
    ):
        for count in counts:
            start = time.monotonic()
            pelt(f"bake curve_from.glb --from ddm-v0 --clip range_of_motion --{option} {count} -o curve.glb")
            seconds = time.monotonic() - start
            walk, _ = errorsOf(f"{count} {label} ({seconds:.0f} s)", "curve.glb", "lbs")
            curves[label].append((count, walk))
    drawCurve(
        {**curves, **{name: [(1, row[0])] for name, row in methods.items() if name in ("v5", "plain bake", "v3")}},
        IMAGES / "virtual_curve.svg",
    )


@figure
def virtual_characters():
    """Direct Delta Mush, the plain bake and 64 virtual joints on real characters."""
    for name, clip, frame in (("knight", "0", 14), ("mannequiny", "fight_kick", 14), ("cesium man", "0", 20)):
        source = SHARED / FIGURES_POSED[name][0]
        if not source.exists():
            print(f"# {source} is not there: {name} left out")
            continue
        exact, plain, made = (f"{what}.npy" for what in ("DDM v0", "plain bake", "64 virtual joints"))
        at = f"--clip {clip} --frames {frame}:{frame + 1}"
        pelt(f"deform {source} --method ddm-v0 {at} -o '{exact}'")
        for what, options in ((plain, ""), (made, "--virtual 64")):
            pelt(f"bake {source} --from ddm-v0 {options} -o virtual_of.glb")
            pelt(f"deform virtual_of.glb --method lbs {at} -o '{what}'")
        render(
            f"virtual_{name.replace(' ', '_')}",
            f"'{exact}' '{plain}' '{made}' --mesh {source} --color error --frame 0f --camera 30,8 --columns 3 "
            "--size 1200x420",
        )
