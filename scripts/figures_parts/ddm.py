"""Pictures of docs/ddm.md and docs/eddm.md."""
import json
import struct

from .tools import WORK, figure, pelt, posed, readObj, render


def volume(vertices, triangles):
    total = 0
    for i, j, k in triangles:
        (a, b, c), (d, e, f), (g, h, l) = vertices[i], vertices[j], vertices[k]
        total += a * (e * l - f * h) + b * (f * g - d * l) + c * (d * h - e * g)
    return total / 6


def writeObj(path, vertices, triangles):
    lines = ["v {} {} {}".format(*p) for p in vertices] + ["f {} {} {}".format(*(v + 1 for v in t)) for t in triangles]
    path.write_text("\n".join(lines) + "\n")


def onlyObj(folder):
    """The mesh of a folder that pelt wrote one frame to."""
    return next((WORK / folder).glob("*.obj"))


def narrowest(rest, posed):
    """Of a bar along y: the smallest share of its distance from the axis that a vertex of its sides keeps."""
    sides = [v for v, (x, y, z) in enumerate(rest) if 0.1 < y < 0.9]
    return min((posed[v][0] ** 2 + posed[v][2] ** 2) ** 0.5 / (rest[v][0] ** 2 + rest[v][2] ** 2) ** 0.5 for v in sides)


def payloadCenters(path, count):
    """p_i of a mushed file of one primitive: the mush at rest. docs/payload.md has the layout."""
    data = path.read_bytes()
    (size,) = struct.unpack_from("<I", data, 12)
    document = json.loads(data[20 : 20 + size])
    payload = document["meshes"][0]["primitives"][0]["extensions"]["PELT_direct_delta_mush"]
    view = document["bufferViews"][payload["bufferView"]]
    start = 20 + size + 8 + view.get("byteOffset", 0) + payload["vertexOffset"]
    return [struct.unpack_from("<3f", data, start + 16 * v) for v in range(count)]


def paint(source, target, name, value):
    """A .glb of one primitive with one more attribute, a number for each vertex by its position."""
    data = bytearray(source.read_bytes())
    (size,) = struct.unpack_from("<I", data, 12)
    document, binary = json.loads(data[20 : 20 + size]), data[20 + size + 8 :]
    primitive = document["meshes"][0]["primitives"][0]
    accessor = document["accessors"][primitive["attributes"]["POSITION"]]
    view = document["bufferViews"][accessor["bufferView"]]
    start, step = view.get("byteOffset", 0) + accessor.get("byteOffset", 0), view.get("byteStride", 12)
    count = accessor["count"]
    values = [value(*struct.unpack_from("<3f", binary, start + step * v)) for v in range(count)]
    document["bufferViews"].append({"buffer": 0, "byteOffset": len(binary), "byteLength": 4 * count})
    binary += struct.pack(f"<{count}f", *values)
    document["buffers"][0]["byteLength"] = len(binary)
    primitive["attributes"][name] = len(document["accessors"])
    document["accessors"].append(
        {"bufferView": len(document["bufferViews"]) - 1, "componentType": 5126, "count": count, "type": "SCALAR"}
    )
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    target.write_bytes(
        struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary))
        + struct.pack("<I4s", len(text), b"JSON")
        + text
        + struct.pack("<I4s", len(binary), b"BIN\0")
        + binary
    )


@figure
def fig01():
    """A rigid bind, and what each method makes of it: arms up, a knee up."""
    pelt("sample biped --resolution 20000 -o bind.glb")
    pelt("sample biped --resolution 20000 --skin smooth -o biped.glb")
    pelt("deform bind.glb --clip range_of_motion --frames 88:118:29 -o 'rigid bind.npy'")
    pelt("deform bind.glb --clip range_of_motion --frames 88:118:29 --method ddm -o 'ddm v0.npy'")
    for method in ("lbs", "dqs", "cor"):
        pelt(f"deform biped.glb --clip range_of_motion --frames 88:118:29 --method {method} -o {method}.npy")
    render(
        "fig01",
        "'ddm v0.npy' 'rigid bind.npy' lbs.npy dqs.npy cor.npy --mesh bind.glb --frame 0f,1f "
        "--camera 20,10 --size 1400x960",
    )


@figure
def fig03():
    """Weights diffused more and more: every method but v0 leaves the bones."""
    pelt("sample bar --resolution 6000 -o bar.glb")
    files = []
    for name, lam in (("narrow", 3), ("medium", 27), ("wide", 110)):
        pelt(f"mush bar.glb --alpha 0 --lambda {lam} --variant v5 -o {name}.glb")
        files.append(f"{name}.glb")
    render(
        "fig03",
        f"{' '.join(files)} --method lbs,dqs,cor,ddm-v0 --clip bend_and_twist --frame 1 --skeleton "
        "--camera 0,5,0.95 --columns 4 --size 1100x800",
    )


@figure
def fig04():
    """Rotations (rows) and translations (columns) smoothed apart; the last column is Delta Mush."""
    pelt("sample bar --resolution 6000 -o bar.glb")
    files = []
    for lam in (1, 10, 50):
        for kappa in (1, 10, 50):
            files.append(f"'λ {lam}, κ {kappa}.glb'")
            pelt(f"mush bar.glb --lambda {lam} --kappa {kappa} --alpha 0.9 -o {files[-1]}")
        files.append(f"'λ {lam}, α 0.glb'")
        pelt(f"mush bar.glb --lambda {lam} --alpha 0 -o {files[-1]}")
    sheet = "--method ddm-v0 --clip bend_and_twist --columns 4"
    render("fig04", f"{' '.join(files)} {sheet} --frame 1 --skeleton --camera 0,5,0.95 --size 1100x800")
    render("fig04_twist", f"{' '.join(files[8:])} {sheet} --frame 2.35 --camera 25,10,0.95 --size 1100x380")


@figure
def fig05():
    """The variants where a bone slides without turning, and in a twist."""
    pelt("sample bar --resolution 6000 -o bar.glb")
    methods = "ddm-v0,ddm-v1,ddm-v2,ddm-v3,ddm-v4,ddm-v5"
    render(
        "fig05",
        f"bar.glb --method {methods} --clip slide --frame 1 --skeleton --camera 0,5 --columns 6 " "--size 1400x430",
    )
    pelt("mush bar.glb --lambda 50 -o wide.glb")
    render(
        "fig05_twist",
        f"wide.glb --method {methods} --clip bend_and_twist --frame 3 --camera 25,10 --columns 6 " "--size 1400x430",
    )


@figure
def fig06():
    """A bar in two parts, smoothed apart and together."""
    pelt("sample bar-parts --resolution 6000 -o parts.glb")
    pelt("mush parts.glb --connect-parts off -o apart.glb")
    pelt("mush parts.glb --connect-parts auto -o connected.glb")
    render(
        "fig06",
        "apart.glb connected.glb --method ddm --clip bend_and_twist --frame 0,1 --camera 15,10 " "--size 800x760",
    )


@figure
def fig07():
    """One width for all skin against widths that follow the limbs."""
    pelt("sample biped --resolution 20000 -o bind.glb")
    pelt("mush bind.glb --iterations 5 --lambda 0.5 --kappa 0.5 -o 'p 5, λ 0.5.glb'")
    pelt("mush bind.glb --iterations 100 --lambda 0.5 --kappa 0.5 -o 'p 100, λ 0.5.glb'")
    pelt("mush bind.glb -o default.glb")
    sheet = "'p 5, λ 0.5.glb' 'p 100, λ 0.5.glb' default.glb --method ddm --clip range_of_motion"
    render("fig07", f"{sheet} --frame 5.9 --focus forearm_L --camera 20,10,7 --size 1100x440")
    render("fig07_hand", f"{sheet} --frame 1.93 --focus middle_1_L --camera 75,-5,10 --size 1100x440")


@figure
def fig08():
    """An elbow that bends and twists, for several λ, κ, α, beside the other methods."""
    pelt("sample arm --skin smooth -o arm.glb")
    files = []
    for lam, kappa, alpha in ((2, 2, 0), (30, 30, 0), (30, 2, 0.5), (30, 2, 0.9)):
        name = f"'⟨{lam}, {kappa}, {alpha}⟩.glb'"
        pelt(f"mush arm.glb --lambda {lam} --kappa {kappa} --alpha {alpha} -o {name}")
        files.append(name)
    render(
        "fig08",
        f"{' '.join(files)} --method ddm --clip range_of_motion --frame 6.5,8.5 --focus elbow "
        "--camera 0,15,2.6 --size 1200x600",
    )
    render(
        "fig08_others",
        "arm.glb --method lbs,dqs,cor,dm --clip range_of_motion --frame 6.5,8.5 --focus elbow "
        "--camera 0,15,2.6 --size 1200x600",
    )
    biharmonic("arm")
    render(
        "fig08_bbw",
        "'biharmonic arm.glb' --method lbs,dqs,cor --clip range_of_motion --frame 6.5,8.5 --focus elbow "
        "--camera 0,15,2.6 --size 900x600",
    )


def biharmonic(name):
    """The character with bounded biharmonic weights in place of its smooth ones."""
    pelt(f"bind {name}.glb --method bbw -o 'biharmonic {name}.glb'")


@figure
def translations():
    """A shoulder whose translations follow smooth weights: everywhere, and where it is painted."""
    pelt("sample biped --resolution 20000 --skin smooth -o biped.glb")
    paint(
        WORK / "biped.glb",
        WORK / "shoulder.glb",
        "_SHOULDER",
        lambda x, y, z: max(0.0, 1 - (abs(abs(x) - 0.2) / 0.14) ** 2) if y > 1.15 else 0.0,
    )
    pelt("mush shoulder.glb --bind keep --lambda 0 --alpha 0 -o LBS.glb")  # nothing is smoothed
    for name, options in (("bind", ""), ("_SHOULDER", "--translations _SHOULDER"), ("file", "--translations file")):
        pelt(f"mush shoulder.glb --alpha 0.9 {options} -o {name}.glb")
    render(
        "translations",
        "LBS.glb bind.glb _SHOULDER.glb file.glb --method ddm --clip range_of_motion --frame 2.93 "
        "--focus upper_arm_L --camera 25,12,3.4 --columns 4 --size 1300x450",
    )


@figure
def fig09():
    """Arms up, the upper body near."""
    pelt("sample biped --resolution 20000 --skin smooth -o biped.glb")
    render(
        "fig09",
        "biped.glb --method lbs,dqs,cor,ddm --clip range_of_motion --frame 2.93 --focus upper_chest "
        "--camera 25,5,3 --size 1300x520",
    )
    biharmonic("biped")
    render(
        "fig09_bbw",
        "'biharmonic biped.glb' --method lbs,dqs,cor --clip range_of_motion --frame 2.93 --focus upper_chest "
        "--camera 25,5,3 --size 980x520",
    )


@figure
def fig10():
    """The hip, every method."""
    pelt("sample biped --resolution 20000 --skin smooth -o biped.glb")
    render(
        "fig10",
        "biped.glb --method lbs,dqs,cor,dm,ddm-v0,ddm-v1,ddm-v2,ddm-v3,ddm-v4,ddm-v5 "
        "--clip range_of_motion --frame 3.9 --focus thigh_R --camera 25,28,4.5 --columns 5 --size 1150x760",
    )
    biharmonic("biped")
    render(
        "fig10_bbw",
        "'biharmonic biped.glb' --method lbs,dqs,cor --clip range_of_motion --frame 3.9 --focus thigh_R "
        "--camera 25,28,4.5 --columns 3 --size 690x380",
    )
    pelt("mush biped.glb -o 'default.glb'")
    pelt("mush biped.glb --joint-alpha pelvis=0 --joint-alpha thigh_L=0.1 --joint-alpha thigh_R=0.1 -o 'hips 0.1.glb'")
    pelt("mush biped.glb --alpha 0.9 -o 'α 0.9.glb'")
    render(
        "fig10_alpha",
        "'α 0.9.glb' default.glb 'hips 0.1.glb' --method ddm --clip range_of_motion --frame 3.9 "
        "--focus thigh_R --camera 25,28,4.5 --size 800x420",
    )


@figure
def fig11():
    """What a twist by 170° leaves: bars, and their mush at rest."""
    pelt("sample bar --resolution 6000 -o bar.glb")
    pelt("deform bar.glb --bind-pose -o rest")
    rest, triangles = readObj(onlyObj("rest"))
    shown = []
    for name, options in (("low λ", "--lambda 1 --alpha 0"), ("default", ""), ("high λ", "--lambda 50 --alpha 0")):
        pelt(f"mush bar.glb {options} -o 'mushed, {name}.glb'")
        mush = payloadCenters(WORK / f"mushed, {name}.glb", len(rest))
        writeObj(WORK / f"mush, {name}.obj", mush, triangles)
        for method, label in (("ddm-v0", "v0"), ("ddm-v5", "LBS")):
            pelt(
                f"deform 'mushed, {name}.glb' --method {method} --clip range_of_motion --frames 315 -o '{label}, {name}'"
            )
        twisted, lbs = (readObj(onlyObj(f"{label}, {name}"))[0] for label in ("v0", "LBS"))
        writeObj(WORK / f"v0, {name}.obj", twisted, triangles)
        shares = [f"{volume(v, triangles) / volume(rest, triangles):.0%}" for v in (mush, twisted, lbs)]
        print(
            f"# {name}: volume of the mush at rest {shares[0]}, twisted by v0 {shares[1]}, by LBS {shares[2]}; "
            f"narrowest v0 {narrowest(rest, twisted):.0%}, LBS {narrowest(rest, lbs):.0%}"
        )
        shown += [f"'mush, {name}.obj'", f"'v0, {name}.obj'"]
    render("fig11", f"{' '.join(shown)} --camera 25,10 --columns 6 --size 1300x430")


@figure
def fig12():
    """Skin that slides on the back: how far each method is from LBS, and how far the back goes up."""
    pelt("sample biped --resolution 20000 --skin smooth -o biped.glb")
    pelt("deform biped.glb --bind-pose -o back")
    rest, _ = readObj(onlyObj("back"))
    for method in ("lbs", "dqs", "cor", "ddm"):
        pelt(f"deform biped.glb --clip range_of_motion --frames 88 --method {method} -o 'back {method}'")
        posed, _ = readObj(onlyObj(f"back {method}"))
        rises = []
        for low in (1.00, 1.08, 1.16, 1.24):
            band = [v for v, (x, y, z) in enumerate(rest) if low <= y < low + 0.08 and abs(x) < 0.12 and z < -0.04]
            rises.append(f"{1000 * sum(posed[v][1] - rest[v][1] for v in band) / len(band):.1f}")
        print(f"# {method}: skin of the back between 1.00, 1.08, 1.16, 1.24 and 1.32 m rises by {', '.join(rises)} mm")
    render(
        "fig12",
        "biped.glb --method lbs,dqs,cor,ddm --clip range_of_motion --frame 2.93 --color error "
        "--focus chest --camera 180,5,2.6 --size 1300x560",
    )


@figure
def eddm():
    """The first joint twice as long, the second half as large."""
    pelt("sample bar --resolution 6000 --skin smooth -o bar.glb")
    render("eddm", "bar.glb --method ddm-v0,lbs,eddm --clip stretch --frame 1 --camera 20,8 --size 800x620")
