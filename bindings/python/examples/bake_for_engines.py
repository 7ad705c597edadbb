"""Bakes Direct Delta Mush to plain weights and helper joints, which every engine plays: python3 bake_for_engines.py"""
import numpy as np
import pelt

try:
    from tqdm import tqdm
except ImportError:
    tqdm = None

hero = pelt.sample("biped", resolution=4000).mush()
if tqdm:
    with tqdm(total=1, bar_format="{desc:12} {bar} {percentage:3.0f} %") as bar:

        def show(fraction, stage):
            bar.set_description(stage, refresh=False)
            bar.update(fraction - bar.n)

        baked = hero.bake(influences=4, helpers=6, progress=show)
else:
    baked = hero.bake(influences=4, helpers=6)

for candidate in baked.report["candidates"]:
    print(f"{candidate['name']:8} {candidate['helpers']} helpers: E_RMS {candidate['e_rms']:.3f}")
matrices = hero.skin_matrices(0, fps=5)
wanted = hero.deform(matrices, method="ddm")
made = baked.deform(baked.skin_matrices(0, fps=5), method="lbs")  # helpers follow their drivers
rms, height = pelt.compare(wanted, made)["rms"], np.ptp(hero.positions[:, 1])
print(f"played by linear blending: RMS {rms:.2e} of a height of {height:.2f}")
baked.save("baked.glb")
