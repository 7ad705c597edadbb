"""Pictures of docs/bake.md."""
import json
import shlex
import subprocess

from .tools import PROGRAM, WORK, figure, pelt, render


@figure
def bake_biped():
    """Direct Delta Mush, baked without and with helpers, and what is left, in two poses of the range of motion."""
    pelt("sample biped --resolution 55000 -o baked_from.glb")
    pelt("deform baked_from.glb --method ddm-v0 --clip range_of_motion --frames :89 -o 'DDM v0.npy'")
    pelt("deform baked_from.glb --method ddm-v5 --clip range_of_motion --frames :89 -o 'v5.npy'")
    for name, helpers in (("baked", 0), ("baked, 8 helpers", 8)):
        pelt(f"bake baked_from.glb --from ddm-v0 --helpers {helpers} -o '{name}.glb'")
        pelt(f"deform '{name}.glb' --clip range_of_motion --frames :89 -o '{name}.npy'")
    files = "'DDM v0.npy' v5.npy baked.npy 'baked, 8 helpers.npy' --mesh baked_from.glb --frame 88f,43f --camera 20,10"
    render("bake_shapes", f"{files} --size 1400x960")
    render("bake_error", f"{files} --color error --size 1400x960")


@figure
def bake_curve():
    """The error of the 55k biped against the number of helpers."""
    pelt("sample biped --resolution 55000 -o baked_from.glb")
    command = "bake baked_from.glb --from ddm-v0 --helpers 8 -o curve.glb"
    print("pelt " + command, flush=True)
    out = subprocess.run(
        [PROGRAM, *shlex.split(command), "--json"], cwd=WORK, check=True, stdout=subprocess.PIPE
    ).stdout
    for row in json.loads(out)["candidates"]:
        print(
            f"# {row['name']} {row['helpers']}: E_RMS {row['e_rms']:.3f} over the clip, "
            f"{row['range_of_motion']['e_rms']:.3f} over the range of motion"
        )
