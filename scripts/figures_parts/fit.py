"""Pictures of docs/fit.md and docs/bind.md."""
import json
import shlex
import subprocess

from .tools import PROGRAM, WORK, figure, pelt, render


def fit(character, examples, output, options=""):
    """Fits through the program and prints what it says."""
    words = shlex.split(f"fit {character} {examples} {options} -o {output}")
    print("pelt " + shlex.join(words), flush=True)
    made = json.loads(subprocess.run([PROGRAM, *words, "--json"], cwd=WORK, check=True, stdout=subprocess.PIPE).stdout)
    own, plain = made["rms_own_weights"], made["rms_without_extra_joints"]
    print(
        f"# {output}: RMS {made['rms']:.4g}; {100 * made['rms'] / own:.1f} % of the weights it came with, "
        f"{100 * made['rms'] / plain:.1f} % of the best without extra joints; affine {made['rms_affine']:.4g}; "
        f"extra joints {' '.join(joint['name'] for joint in made['extra_joints'])}"
    )


@figure
def fit_twist():
    """[MohrGleicher03] Fig. 3: a twisting box, and one joint that turns half-way."""
    pelt("sample bar --resolution 3000 --skin smooth -o LBS.glb")
    pelt("deform LBS.glb --method dqs --frames 60: -o examples.npy")
    fit("LBS.glb", "examples.npy", "'LBS, fitted.glb'", "--frames 60: --extra-joints none")
    fit("LBS.glb", "examples.npy", "'one half-way joint.glb'", "--frames 60: --extra-joints rotation")
    pelt("deform LBS.glb --frames 60: -o LBS.npy")
    render(
        "fit_twist",
        "examples.npy LBS.npy 'LBS, fitted.glb' 'one half-way joint.glb' --mesh LBS.glb --color error "
        "--frame 30f --camera 20,8 --columns 4 --size 1300x460",
    )


@figure
def fit_limbs():
    """[MohrGleicher03] Figs. 4 and 5: the wrist of an arm, and its elbow."""
    pelt("sample arm --skin smooth -o LBS.glb")
    pelt("deform LBS.glb --method dqs --frames ::5 -o examples.npy")
    fit("LBS.glb", "examples.npy", "fitted.glb", "--frames ::5")
    pelt("deform LBS.glb --frames ::5 -o LBS.npy")
    pelt("deform fitted.glb --fps 6 -o fitted.npy")
    for name, frame in (("wrist", "23f"), ("elbow", "9f")):
        render(
            f"fit_{name}",
            f"examples.npy LBS.npy fitted.npy --mesh LBS.glb --color error --frame {frame} "
            "--camera 0,15 --columns 3 --size 1300x330",
        )


@figure
def fit_arm():
    """[MohrGleicher03] Fig. 8: a muscular arm."""
    pelt("sample arm --skin smooth -o LBS.glb --examples examples.npy")
    pelt("deform LBS.glb -o LBS.npy")
    fit("LBS.glb", "examples.npy", "'LBS, fitted.glb'", "--extra-joints none")
    fit("LBS.glb", "examples.npy", "'with extra joints.glb'")
    for options in ("--influences 6", "--influences 8", "--scale-k 16"):
        fit("LBS.glb", "examples.npy", "more.glb", options)
    render(
        "fit_arm",
        "examples.npy LBS.npy 'LBS, fitted.glb' 'with extra joints.glb' --mesh LBS.glb --color error "
        "--frame 45f --camera 0,15 --columns 2 --size 1300x900",
    )


@figure
def fit_signed():
    """The muscular arm by weights of any sign, with the plain skin of the same file, and with learned joints."""
    pelt("sample arm --skin smooth -o LBS.glb --examples examples.npy")
    fit("LBS.glb", "examples.npy", "signed.glb", "--influences 8 --signed")
    fit("LBS.glb", "examples.npy", "learned.glb", "--helpers 8")
    pelt("deform signed.glb --clip 1 -o 'its plain skin.npy'")
    pelt("deform signed.glb --clip 1 --method ddm -o signed.npy")
    pelt("deform learned.glb --clip 1 -o 'learned joints.npy'")
    render(
        "fit_signed",
        "examples.npy 'its plain skin.npy' signed.npy 'learned joints.npy' --mesh LBS.glb --color error "
        "--frame 45f --camera 0,15 --columns 2 --size 1300x900",
    )


@figure
def fit_body():
    """[MohrGleicher03] Figs. 1 and 9: a body fitted to a range of motion, then in a walk it was not fitted to."""
    pelt("sample biped --resolution 8000 --skin smooth -o LBS.glb")
    pelt("deform LBS.glb --method ddm --clip range_of_motion --frames ::4 -o examples.npy")
    fit("LBS.glb", "examples.npy", "fitted.glb", "--clip range_of_motion --frames ::4")
    for method, name in (("ddm", "walk"), ("lbs", "LBS")):
        pelt(f"deform LBS.glb --method {method} --clip walk -o {name}.npy")
    render(
        "fit_body",
        "walk.npy LBS.npy fitted.glb --clip walk --mesh LBS.glb --color error --frame 6f,24f "
        "--camera 30,10 --columns 3 --size 1300x1100",
    )


@figure
def bbw_weights():
    """Each vertex on one bone, and bounded biharmonic weights; below, both as linear skins."""
    pelt("sample biped --resolution 20000 -o bind.glb")
    pelt("bind bind.glb --method rigid -o rigid.glb")
    pelt("bind bind.glb --method bbw -o 'biharmonic.glb'")
    render("bbw_weights", "rigid.glb biharmonic.glb --bind-pose --color weights --camera 25,8 --size 1100x620")
    render("bbw_posed", "rigid.glb biharmonic.glb --clip range_of_motion --frame 3.5 --camera 25,8 " "--size 1100x520")
