"""The Python package against the program (PELT), to the bit, and against the equations written out in NumPy."""
import gc
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

import numpy as np
import pelt

PROGRAM = os.environ["PELT"]
SHARED = pathlib.Path(__file__).resolve().parents[3].parent / "shared" / "data" / "rigged"


class WithFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, *words):
        subprocess.run([PROGRAM, *map(str, words), "--quiet"], check=True, stdout=subprocess.DEVNULL)

    def sample(self, name, **options):
        """A built-in character as a file has it, with transforms in single precision."""
        pelt.sample(name, **options).save(self.folder / "hero.glb")
        return pelt.load(self.folder / "hero.glb")

    def program_deform(self, method, clip, *options):
        """What `pelt deform` writes for that character."""
        self.run_program("deform", self.folder / "hero.glb", "--method", method, "--clip", clip, "-o",
                         self.folder / "x.npy", *options)
        return np.load(self.folder / "x.npy")


class Arrays(unittest.TestCase):
    def test_what_a_character_is_made_of(self):
        hero = pelt.sample("bar", resolution=1000, skin="smooth")
        info = hero.info()
        self.assertEqual(hero.positions.shape, (info["vertices"], 3))
        self.assertEqual(hero.triangles.shape, (info["triangles"], 3))
        self.assertEqual(hero.joints, [joint["name"] for joint in info["joints"]])
        self.assertEqual(hero.parents.tolist(), [joint["parent"] for joint in info["joints"]])
        self.assertEqual(hero.clips, [clip["name"] for clip in info["clips"]])
        np.testing.assert_allclose(hero.weights_dense().sum(axis=1), 1, atol=1e-6)

    def test_views_outlive_the_name_of_their_character(self):
        hero = pelt.sample("bar", resolution=1000)
        positions, copy = hero.positions, hero.positions.copy()
        del hero
        gc.collect()
        np.testing.assert_array_equal(positions, copy)
        with self.assertRaises(ValueError):
            positions[0] = 0

    def test_a_character_from_arrays_is_the_one_they_came_from(self):
        bar = pelt.sample("bar", resolution=1000, skin="smooth")
        bind = np.stack([np.eye(4), np.eye(4)]).astype(np.float32)
        made = pelt.character(bar.positions, bar.triangles, bar.joints, bar.parents, bind, bar.weights_dense())
        np.testing.assert_array_equal(made.positions, bar.positions)
        np.testing.assert_allclose(made.weights_dense(), bar.weights_dense(), atol=1e-7)
        turned = np.stack([np.eye(4), np.eye(4)]).astype(np.float32)
        turned[1, :3, 3] = (0, 0.1, 0)
        moved = made.deform(turned, method="lbs") - made.positions
        np.testing.assert_allclose(moved[:, 1], 0.1 * made.weights_dense()[:, 1], atol=1e-6)


class Deforming(WithFiles):
    def test_every_method_gives_the_bits_of_the_program(self):
        hero = self.sample("bar3", resolution=1500, skin="smooth")
        clip = hero.clips[0]
        matrices = hero.skin_matrices(clip, fps=10)
        for method in ("lbs", "dqs", "ddm", "cor", "eddm"):
            expected = self.program_deform(method, clip, "--fps", "10")
            np.testing.assert_array_equal(hero.deform(matrices, method=method), expected, err_msg=method)

    def test_options_are_those_of_the_program(self):
        hero = self.sample("bar3", resolution=1500)
        matrices = hero.skin_matrices(0, fps=5)
        expected = self.program_deform("ddm", "0", "--fps", "5", "--lambda", "3", "--kappa", "1", "--alpha", "0.8")
        made = hero.deform(matrices, method="ddm", lambda_=3, kappa=1, alpha=0.8)
        np.testing.assert_array_equal(made, expected)

    def test_linear_blending_is_the_sum_of_weighted_transforms(self):
        hero = pelt.sample("bar3", resolution=1500, skin="smooth")
        matrices = hero.skin_matrices(0, fps=5)
        rest = np.concatenate([hero.positions, np.ones((hero.vertex_count, 1), np.float32)], axis=1).astype(np.float64)
        expected = np.einsum("vj,fjrc,vc->fvr", hero.weights_dense().astype(np.float64), matrices.astype(np.float64), rest)
        np.testing.assert_allclose(hero.deform(matrices, method="lbs"), expected[..., :3], atol=1e-5)

    def test_a_deformer_writes_into_the_array_it_is_given(self):
        hero = pelt.sample("bar", resolution=1000)
        matrices = hero.skin_matrices(0, fps=5)
        deformer = hero.deformer("ddm")
        out, normals = np.empty_like(hero.positions), np.empty_like(hero.positions)
        self.assertIs(deformer(matrices[2], out=out, normals=normals), out)
        np.testing.assert_array_equal(out, hero.deform(matrices, method="ddm")[2])
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-5)

    def test_a_real_character_with_props(self):
        file = SHARED / "kaykit" / "Mage.glb"
        if not file.exists():
            self.skipTest(f"{file} is not there")
        hero = pelt.load(file)
        clip = hero.clips[0]
        times = hero.skin_matrices(clip, fps=4)
        self.run_program("deform", file, "--clip", clip, "--fps", "4", "--method", "ddm", "-o", self.folder / "x.npy")
        expected = np.load(self.folder / "x.npy")
        size = np.linalg.norm(np.ptp(hero.positions, axis=0))
        self.assertEqual(expected.shape[1], hero.vertex_count)
        self.assertLess(np.abs(hero.deform(times, method="ddm") - expected).max(), 1e-5 * size)


class Making(WithFiles):
    def test_mush_and_bake_write_what_the_program_writes(self):
        hero = pelt.sample("bar3", resolution=1500, skin="smooth")
        hero.save(self.folder / "hero.glb")
        self.run_program("mush", self.folder / "hero.glb", "--kappa", "0.5", "-o", self.folder / "mushed.glb")
        again = pelt.load(self.folder / "hero.glb")
        again.mush(kappa=0.5).save(self.folder / "ours.glb")
        self.assertEqual((self.folder / "ours.glb").read_bytes(), (self.folder / "mushed.glb").read_bytes())
        self.run_program("bake", self.folder / "hero.glb", "--influences", "2", "-o", self.folder / "baked.glb")
        baked, report = again.bake(influences=2)
        self.assertEqual(report["influences"], 2)
        baked.save(self.folder / "ours.glb")
        self.assertEqual((self.folder / "ours.glb").read_bytes(), (self.folder / "baked.glb").read_bytes())

    def test_bind_fit_and_decompose(self):
        hero = pelt.sample("bar3", resolution=800, skin="smooth")
        self.assertTrue(((hero.bind("rigid").weights_dense() > 0).sum(axis=1) == 1).all())
        frames = hero.deform(hero.skin_matrices(0, fps=10), method="dqs")
        fitted, report = hero.fit(frames, clip=0, fps=10)
        self.assertEqual(report["verb"], "fit")
        self.assertIn(hero.clips[0], fitted.clips)
        made, report = pelt.decompose(frames, rest=(hero.positions, hero.triangles), bones=4)
        self.assertEqual(len(made.joints), report["bones"])
        self.assertLess(report["e_rms"], 5)

    def test_a_sequence_compared_with_itself_has_no_error(self):
        hero = pelt.sample("bar", resolution=500)
        frames = hero.deform(hero.skin_matrices(0, fps=5), method="lbs")
        self.assertEqual(pelt.compare(frames, frames)["max"], 0)
        moved = frames + np.float32([0.5, 0, 0])
        self.assertAlmostEqual(pelt.compare(frames, moved, rest=hero.positions)["rms"], 0.5, places=5)

    def test_handles_pull_the_body_along(self):
        hero = pelt.sample("bar3", resolution=800, skin="smooth")
        poser = hero.poser(energy="spokes-and-rims")
        end = hero.joints[-1]
        poser.set_handles([{"joint": hero.joints[0], "constraint": "hold"},
                           {"joint": end, "constraint": "position", "offset": [0.3, 0, 0]}])
        place = np.append(hero.info()["joints"][-1]["position"], 1)
        matrices = poser.step(100)
        start = hero.skin_matrices(hero.clips[0], times=[0])[0]
        self.assertEqual(matrices.shape, start.shape)
        np.testing.assert_allclose((matrices[-1] @ place)[:3] - place[:3], [0.3, 0, 0], atol=1e-3)


class Refusing(unittest.TestCase):
    def refuses(self, words, call, code=None):
        with self.assertRaises(pelt.Error) as caught:
            call()
        self.assertIn(words, str(caught.exception))
        self.assertIsInstance(caught.exception, ValueError)
        if code:
            self.assertEqual(caught.exception.code, code)

    def test_every_fault_is_a_sentence(self):
        hero = pelt.sample("bar", resolution=500)
        matrices = hero.skin_matrices(0, fps=5)
        self.refuses("no-such.glb", lambda: pelt.load("no-such.glb"), "bad_input")
        self.refuses("matrices: has shape", lambda: hero.deform(matrices[:, :1]))
        self.refuses("not affine", lambda: hero.deform(matrices * 2), "bad_input")
        self.refuses("not finite", lambda: hero.deform(matrices * np.nan), "bad_input")
        self.refuses("no method 'dmm'", lambda: hero.deform(matrices, method="dmm"), "bad_usage")
        self.refuses("did you mean", lambda: hero.mush(kapa=1), "bad_usage")
        self.refuses("out: is", lambda: hero.deformer("lbs")(matrices[0], out=np.empty((3, 3))))
        self.refuses("examples: has shape", lambda: hero.fit(np.zeros((2, 3, 3))))
        self.refuses("no clip", lambda: hero.skin_matrices("dance"), "bad_input")

    def test_progress_is_told_and_may_cancel(self):
        hero = pelt.sample("bar", resolution=3000)
        told = []
        hero.mush(progress=lambda fraction, stage: told.append(fraction))
        self.assertTrue(told and all(-1 <= f <= 1 for f in told))
        self.refuses("cancelled", lambda: hero.mush(progress=lambda fraction, stage: False), "cancelled")

        def fails(fraction, stage):
            raise RuntimeError("from the callback")

        with self.assertRaisesRegex(RuntimeError, "from the callback"):
            hero.mush(progress=fails)

    def test_two_threads_have_their_own_errors_and_results(self):
        heroes = [pelt.sample("bar", resolution=800), pelt.sample("bar3", resolution=800)]
        expected = [h.deform(h.skin_matrices(0, fps=5)) for h in heroes]
        same = [True, True]

        def work(i):
            for _ in range(5):
                same[i] &= bool((heroes[i].deform(heroes[i].skin_matrices(0, fps=5)) == expected[i]).all())

        threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(same, [True, True])


if __name__ == "__main__":
    unittest.main()
