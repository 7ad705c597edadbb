"""Makes bones, weights and a clip of a mesh sequence alone: python3 decompose_sequence.py [FRAMES.npy REST.glb]"""
import sys

import numpy as np
import pelt

if len(sys.argv) > 2:
    frames, source = np.load(sys.argv[1]), pelt.load(sys.argv[2])
else:  # a cloth-like sequence: waves that run along a bar
    source = pelt.sample("bar", resolution=1500)
    time = np.linspace(0, 2 * np.pi, 24, endpoint=False)[:, np.newaxis]
    along = source.positions[:, 1] / np.ptp(source.positions[:, 1])
    frames = np.repeat(source.positions[np.newaxis], len(time), axis=0)
    frames[..., 0] += 0.1 * along * np.sin(time + 4 * along)

for bones in (2, 4, 8):
    made = pelt.decompose(frames, rest=(source.positions, source.triangles), bones=bones)
    again = made.deform(made.skin_matrices(0, fps=30), method="lbs")
    report = pelt.compare(frames, again, rest=source.positions)
    print(f"{bones} bones: E_RMS {report['e_rms']:.3f}, {made}")
made.save("decomposed.glb")
