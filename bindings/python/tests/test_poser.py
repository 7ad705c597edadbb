"""Posers: the free pose of characters and of meshes without joints, as the program finds it."""
import json
import os
import subprocess
import sys
import time
import unittest

import numpy as np
import pelt

from common import Refusals, WithFiles

COUNTER = os.environ.get("PELT_COUNT_ALLOCATIONS", "")

ON_THE_BAR = [
    {"point": [0, 0, 0], "constraint": "hold", "name": "foot"},
    {"segment": [[0, 0.4, 0], [0, 0.6, 0]], "constraint": "rotation", "rotation": [0, 0, 30]},
    {"region": [0, 1, 2], "constraint": "position", "offset": [0.05, 0, 0.1]},
    {"point": [0, 1, 0], "constraint": "position", "target": [0.4, 0.8, 0.1]},
]
ON_THE_BIPED = [
    {"joint": "foot_L", "constraint": "hold"},
    {"joint": "foot_R", "constraint": "hold"},
    {"joint": "head", "constraint": "rotation", "rotation": [0, 30, 0]},
    {"joint": "hand_L", "constraint": "position", "offset": [-0.2, 0.3, 0.2]},
]

COUNT = """
import ctypes, gc
import numpy as np, pelt
count = ctypes.CDLL(None).allocation_count
count.restype = ctypes.c_size_t
lib = pelt._library.lib
hero = pelt.sample("biped", resolution=1500, skin="smooth")
out = np.empty_like(hero.positions)
poser = hero.poser(free=True, extra_weights=8)
poser.set_handles([{"joint": "foot_L", "constraint": "hold"},
                   {"joint": "hand_L", "constraint": "position", "offset": [0, 0.1, 0]}])
handle, target, energy = poser._handle.pointer, np.array([0, 1.2, 0.1]), ctypes.c_double()
target_at, out_at, energy_at = target.ctypes.data, out.ctypes.data, ctypes.byref(energy)

def drag(i):
    target[0] = -0.5 + 0.01 * i
    lib.pelt_poser_set_target(handle, 1, target_at)
    lib.pelt_poser_step(handle, 30, energy_at)
    lib.pelt_poser_positions(handle, out_at)

gc.disable()
for i in range(50):
    drag(i)
before = count()
for i in range(50):
    drag(i)
dragged = count() - before
hero.poser()
print(dragged, count() - before)
"""


class FreePoses(WithFiles, Refusals):
    def bar(self):
        """A mesh without joints as a file."""
        self.run_program("sample", "bar", "--resolution", "500", "-o", self.folder / "bar.glb")
        self.run_program("deform", self.folder / "bar.glb", "--bind-pose", "-o", self.folder / "bar.obj")
        return self.folder / "bar.obj"

    def same_as_program(self, hero, file, handles, **options):
        poser = hero.poser(free=True, **options)
        poser.set_handles(handles)
        poser.step(30)
        self.assertEqual(len(poser.energies), 30)
        self.assertEqual(poser.energies[-1], poser.energy)
        (self.folder / "h.json").write_text(json.dumps({"handles": handles}))
        words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        self.run_program(
            "pose",
            file,
            "--handles",
            self.folder / "h.json",
            "--free",
            "--iterations=30",
            "--no-cache",
            "-o",
            self.folder / "posed.npy",
            *words,
        )
        posed, seen = np.load(self.folder / "posed.npy")[0], poser.positions()
        diagonal = np.linalg.norm(np.ptp(hero.positions, axis=0))
        self.assertLess(np.linalg.norm(seen - posed, axis=1).max() / diagonal, 2e-6, str(options))
        self.assertGreater(np.linalg.norm(seen - hero.positions, axis=1).max() / diagonal, 0.05)
        return poser

    def test_they_are_those_of_the_program(self):
        hero, file = self.sample("biped", resolution=1500, skin="smooth"), self.folder / "hero.glb"
        for options in ({}, {"extra_weights": 15}, {"energy": "tets", "extra_weights": 15, "clusters": 60}):
            self.same_as_program(hero, file, ON_THE_BIPED, **options)

    def test_meshes_without_joints_have_them_too(self):
        bar = pelt.load(self.bar())
        self.assertEqual(bar.joint_count, 0)
        for options in ({}, {"extra_weights": 15}):
            poser = self.same_as_program(bar, self.folder / "bar.obj", ON_THE_BAR, **options)
            transforms = poser.transforms()
            self.assertEqual(transforms.shape, (len(ON_THE_BAR) + options.get("extra_weights", 0), 4, 4))
        self.assertEqual(pelt.loads(self.bar().read_bytes()).vertex_count, bar.vertex_count)

    def test_handles_are_prepared_while_others_are_dragged(self):
        bar = pelt.load(self.bar())
        poser, straight = bar.poser(), bar.poser()
        poser.set_handles(ON_THE_BAR[:2])
        poser.step(10)
        self.assertEqual(poser.prepared, 1)
        poser.prepare(ON_THE_BAR)
        while poser.prepared < 1:
            poser.set_rotation(1, [0, 0, 20])
            poser.step(1)
            time.sleep(0.001)
        poser.set_handles(ON_THE_BAR)
        straight.set_handles(ON_THE_BAR)
        for each in (poser, straight):
            each.step(3000)
        np.testing.assert_allclose(poser.positions(), straight.positions(), atol=2e-3)
        poser.prepare(ON_THE_BAR[:3])
        poser.prepare(None)
        self.assertEqual(poser.prepared, 1)

    def test_wrong_handles_are_refused_in_one_line(self):
        bar = pelt.load(self.bar())
        poser = bar.poser()
        hold = {"constraint": "hold"}
        wrong = [
            ("outside the mesh", [{"point": [9, 0, 0], **hold}]),
            ("outside the mesh", [{"segment": [[0, 0, 0], [0, 9, 0]], **hold}]),
            ("place of handle 0", [{"point": [0, 1, 0], **hold}] * 2),
            ("at most 500", [{"region": [v], **hold} for v in range(502)]),
            ("not finite", [{"point": [float("nan"), 0, 0], **hold}]),
            ("no joints", [{"joint": "hand", **hold}]),
            ("one place", [{"segment": [[0, 0, 0], [0, 0, 0]], **hold}]),
        ]
        for words, handles in wrong:
            self.refuses(words, lambda handles=handles: poser.set_handles(handles), "bad_input")
        two = pelt.loads(b"v 0 0 0\nv 1 0 0\n", "two.obj").poser()
        self.refuses("", lambda: two.set_handles([{"point": [0, 0, 0], **hold}]), "bad_input")
        hero = pelt.sample("bar", resolution=300)
        self.refuses(
            "without joints",
            lambda: hero.poser().set_handles([{"segment": [[0, 0, 0], [0, 1, 0]], **hold}]),
            "bad_input",
        )

    @unittest.skipIf(not COUNTER, "PELT_COUNT_ALLOCATIONS is not set")
    def test_a_drag_allocates_nothing(self):
        told = subprocess.run(
            [sys.executable, "-c", COUNT],
            env={**os.environ, "LD_PRELOAD": COUNTER},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
        self.assertEqual(int(told[0]), 0)
        self.assertGreater(int(told[1]), 50)  # the count sees what is allocated


if __name__ == "__main__":
    unittest.main()
