"""Figures of docs/check.md."""
from .tools import IMAGES, WORK, figure, pelt, squeeze


@figure
def check():
    """check: an arm whose vertices follow one bone each, and its repair"""
    pelt("sample arm --resolution 2000 -o arm.glb")
    pelt("check arm.glb --sheet check_arm.png --size 1500x760")
    pelt("fix arm.glb -o fixed.glb --sheet fix_arm.png --size 900x1950")
    for name in ("check_arm", "fix_arm"):
        squeeze(WORK / f"{name}.png", IMAGES / f"{name}.png")
