"""Pictures of docs/decompose.md."""

from .tools import figure, pelt, render


def biped_motion():
    """A body in many poses, as a sequence that knows no bones."""
    pelt("sample biped --resolution 8000 -o bind.glb")
    pelt("deform bind.glb --method ddm --clip range_of_motion --frames ::4 -o motion.npy")


@figure
def decompose_bones():
    """[LeDeng12] Fig. 3: bones and weights that a sequence alone gives, posed."""
    biped_motion()
    pelt("decompose motion.npy --rest bind.glb --bones 24 -o bones.glb")
    pelt("sample arm --skin smooth -o arm.glb")
    pelt("deform arm.glb --method ddm --clip range_of_motion -o arm.npy")
    pelt("decompose arm.npy --rest arm.glb --bones 6 -o 'six bones.glb'")
    render(
        "decompose_bones", "bones.glb --color weights --frame 0f,22f,30f --camera 20,10 --columns 3 " "--size 1200x500"
    )
    render(
        "decompose_arm",
        "'six bones.glb' --color weights --frame 0,6.5,8.5 --camera 0,15 --columns 3 " "--size 1200x420",
    )


@figure
def decompose_error():
    """[LeDeng12] Figs. 5 and 6: what few bones leave, rigid and flexible."""
    biped_motion()
    files = []
    for kind in ("rigid", "flexible"):
        for bones in (12, 24):
            files.append(f"'{bones} {kind}.glb'")
            pelt(f"decompose motion.npy --rest bind.glb --bones {bones} --bones-kind {kind} -o {files[-1]}")
    render(
        "decompose_error",
        f"motion.npy {' '.join(files)} --mesh bind.glb --color error --frame 22f,29f " "--camera 20,10 --size 1500x760",
    )


@figure
def decompose_joints():
    """[LeDeng12] Fig. 7: joints between bones that turn about a common center."""
    biped_motion()
    pelt("decompose motion.npy --rest bind.glb --bones 20 --skeleton -o joints.glb")
    render(
        "decompose_joints",
        "joints.glb --color weights --skeleton --frame 0f,22f,30f --camera 20,10 --columns 3 " "--size 1200x500",
    )
