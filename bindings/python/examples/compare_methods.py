"""Loads a character, deforms it by several methods and compares them: python3 compare_methods.py [FILE.glb] [CLIP]"""
import sys

import numpy as np
import pelt

hero = pelt.load(sys.argv[1]) if len(sys.argv) > 1 else pelt.sample("biped", resolution=6000, skin="smooth")
clip = sys.argv[2] if len(sys.argv) > 2 else "@range"
print(hero)

matrices = hero.skin_matrices(clip, fps=3)  # (F, J, 4, 4)
shapes = {method: hero.deform(matrices, method=method, threads=0) for method in ("lbs", "dqs", "cor", "ddm")}


def volume(x):
    """Of a closed mesh in each frame: sums of tetrahedra to the origin, (F,)."""
    a, b, c = (x[:, hero.triangles[:, k]].astype(np.float64) for k in range(3))
    return np.einsum("fti,fti->f", a, np.cross(b, c)) / 6


rest = volume(hero.positions[np.newaxis])[0]
loss = {method: 100 * (volume(x) / rest - 1) for method, x in shapes.items()}  # percent
for method, x in shapes.items():
    report = pelt.compare(shapes["lbs"], x, rest=hero.positions)
    low, high = loss[method].min(), loss[method].max()
    print(f"{method}: volume {low:+.2f} % to {high:+.2f} %, E_RMS to lbs {report['e_rms']:.2f}")

try:
    import matplotlib
except ImportError:
    sys.exit("matplotlib is not installed: no plot")
matplotlib.use("agg")
from matplotlib import pyplot as plt

figure, axes = plt.subplots(figsize=(8, 3), constrained_layout=True)
for method in shapes:
    axes.plot(loss[method], label=method)
axes.set(xlabel=f"frame of {clip}", ylabel="change of volume (%)")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
figure.savefig("compare_methods.png", dpi=120)
print("compare_methods.png")
