"""Every line of the package gives what the program (PELT) gives, to the bit."""
import base64
import json
import subprocess
import unittest

import numpy as np
import pelt

from common import PROGRAM, ROOT, WithFiles, real_character

METHODS = ("lbs", "dqs", "cor", "dm", "dm-tangent", "ddm", "ddm-v1", "ddm-v2", "ddm-v3", "ddm-v4", "ddm-v5", "eddm")


class Contents(WithFiles):
    def test_a_character_consists_of_what_info_lists(self):
        hero = self.sample("biped", resolution=3000, skin="smooth")
        told = json.loads(
            subprocess.run(
                [PROGRAM, "info", self.folder / "hero.glb", "--json"], check=True, capture_output=True
            ).stdout
        )
        self.assertEqual(hero.positions.shape, (told["vertices"], 3))
        self.assertEqual(hero.triangles.shape, (told["triangles"], 3))
        self.assertEqual((hero.positions.dtype, hero.triangles.dtype), (np.float32, np.uint32))
        self.assertEqual(hero.joints, [joint["name"] for joint in told["joints"]])
        self.assertEqual(hero.parents.tolist(), [joint["parent"] for joint in told["joints"]])
        self.assertEqual(hero.clips, [clip["name"] for clip in told["clips"]])
        self.assertEqual(int((hero.weights_dense() > 0).sum(axis=1).max()), told["max_influences"])
        ours = hero.info()
        for key in ("vertices", "triangles", "joints", "clips", "problems"):
            self.assertEqual(ours[key], told[key], key)

    def test_samples_are_those_of_the_program(self):
        told = json.loads(
            subprocess.run([PROGRAM, "sample", "--list", "--json"], check=True, capture_output=True).stdout
        )
        self.assertEqual(pelt.samples(), told["samples"])
        self.run_program("sample", "bar3", "--resolution", "900", "-o", self.folder / "theirs.glb")
        self.assertTrue(self.same_file(pelt.sample("bar3", resolution=900), "theirs.glb"))


class Deforming(WithFiles):
    def test_every_method_gives_the_bits_of_the_program(self):
        hero = self.sample("bar3", resolution=700, skin="smooth")
        matrices = hero.skin_matrices(hero.clips[0], fps=10)
        for method in METHODS:
            expected = self.program_deform(method, hero.clips[0], "--fps", "10")
            np.testing.assert_array_equal(hero.deform(matrices, method=method), expected, err_msg=method)

    def test_any_number_of_threads_gives_the_same_bits(self):
        hero = self.sample("biped", resolution=9000, skin="smooth")
        matrices = hero.skin_matrices("@range", fps=1)
        one = hero.deform(matrices, method="dqs")
        for threads in (0, 1, 2, 5):
            np.testing.assert_array_equal(hero.deform(matrices, method="dqs", threads=threads), one)

    def test_options_are_those_of_the_program(self):
        hero = self.sample("bar3", resolution=1500)
        matrices = hero.skin_matrices(0, fps=5)
        expected = self.program_deform("ddm", "0", "--fps", "5", "--lambda", "3", "--kappa", "1", "--alpha", "0.8")
        made = hero.deform(matrices, method="ddm", lambda_=3, kappa=1, alpha=0.8)
        np.testing.assert_array_equal(made, expected)

    def test_normals_come_with_the_positions(self):
        hero = self.sample("bar3", resolution=900, skin="smooth")
        expected = self.program_deform("dqs", "0", "--fps", "5", "--normals", self.folder / "n.npy")
        positions, normals = hero.deform(hero.skin_matrices(0, fps=5), method="dqs", normals=True)
        np.testing.assert_array_equal(positions, expected)
        np.testing.assert_array_equal(normals, np.load(self.folder / "n.npy"))

    def test_a_deformer_writes_into_the_array_it_is_given(self):
        hero = pelt.sample("bar", resolution=1000)
        matrices = hero.skin_matrices(0, fps=5)
        deformer = hero.deformer("ddm")
        out, normals = np.empty_like(hero.positions), np.empty_like(hero.positions)
        self.assertIs(deformer(matrices[2], out=out, normals=normals), out)
        np.testing.assert_array_equal(out, hero.deform(matrices, method="ddm")[2])
        np.testing.assert_array_equal(out, deformer(np.ascontiguousarray(matrices[2])))  # whatever the layout
        np.testing.assert_array_equal(out, deformer(matrices[2].astype(np.float64)))
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-5)

    def test_the_range_of_motion_and_clips_of_other_files(self):
        hero = self.sample("biped", resolution=2000)
        expected = self.program_deform("lbs", "@range", "--fps", "2")
        np.testing.assert_array_equal(hero.deform(hero.skin_matrices("@range", fps=2), method="lbs"), expected)
        pelt.sample("biped", resolution=500).save(self.folder / "other.glb")
        lent = hero.with_clips(self.folder / "other.glb")
        self.assertEqual(len(lent.clips), 2 * len(hero.clips))
        expected = self.program_deform("lbs", "0", "--fps", "5", "--clips", self.folder / "other.glb")
        np.testing.assert_array_equal(lent.deform(lent.skin_matrices(0, fps=5), method="lbs"), expected)

    def test_virtual_joints_follow_in_poses_that_no_clip_has(self):
        hero, file = self.sample("bar3", resolution=700, skin="smooth"), self.folder / "hero.glb"
        self.run_program("bake", file, "--virtual", "8", "--fps", "5", "-o", self.folder / "baked.glb")
        baked = hero.bake(virtual=8, fps=5)
        self.assertEqual(baked.report["chosen"], "virtual")
        self.assertTrue(self.same_file(baked, "baked.glb"))
        self.run_program(
            "deform",
            self.folder / "baked.glb",
            "--clip",
            "@range",
            "--fps",
            "2",
            "--method",
            "lbs",
            "-o",
            self.folder / "x.npy",
        )
        expected = np.load(self.folder / "x.npy")
        loaded = pelt.load(self.folder / "baked.glb")
        np.testing.assert_array_equal(loaded.deform(loaded.skin_matrices("@range", fps=2), method="lbs"), expected)
        frames = baked.deform(baked.skin_matrices("@range", fps=2), method="lbs")  # not rounded to a file's numbers yet
        np.testing.assert_allclose(frames, expected, rtol=0, atol=1e-6)
        exact = hero.deform(hero.skin_matrices("@range", fps=2), method="ddm")
        plain = hero.bake(fps=5)
        left = plain.deform(plain.skin_matrices("@range", fps=2), method="lbs") - exact
        self.assertLess(np.linalg.norm(frames - exact), 0.5 * np.linalg.norm(left))

    def test_morph_targets_are_another_rest(self):
        hero = pelt.load(ROOT / "tests" / "data" / "import" / "morphing_bar.fbx")
        hero.save(self.folder / "hero.glb")
        hero = pelt.load(self.folder / "hero.glb")
        expected = self.program_deform("lbs", "0", "--fps", "10")
        matrices, shapes = hero.skin_matrices(0, fps=10), hero.morphed(0, fps=10)
        np.testing.assert_array_equal(hero.deform(matrices, method="lbs", rest=shapes), expected)
        self.assertGreater(np.abs(hero.deform(matrices, method="lbs") - expected).max(), 1e-3)
        deformer = hero.deformer("lbs")
        deformer.set_rest(shapes[3])
        np.testing.assert_array_equal(deformer(matrices[3]), expected[3])
        deformer.set_rest()
        np.testing.assert_array_equal(deformer(matrices[3]), hero.deform(matrices[3], method="lbs"))
        np.testing.assert_array_equal(deformer.at(0, 0.3), expected[3])

    def test_a_prepared_method_travels_as_bytes(self):
        hero = pelt.sample("bar", resolution=1000)
        pose = hero.skin_matrices(0, fps=5)[2]
        for method in ("lbs", "dqs", "cor", "ddm", "ddm-v2", "ddm-v5", "eddm"):
            prepared = hero.deformer(method)
            np.testing.assert_array_equal(hero.deformer_of(prepared.to_bytes())(pose), prepared(pose), err_msg=method)
        with self.assertRaisesRegex(pelt.Error, "no rig to save"):
            hero.deformer("dm").to_bytes()
        with self.assertRaisesRegex(pelt.Error, "another character"):
            pelt.sample("bar", resolution=500).deformer_of(hero.deformer("lbs").to_bytes())
        for damaged in (b"", b"x" * 64, hero.deformer("ddm").to_bytes()[:-9]):
            with self.assertRaises(pelt.Error):
                hero.deformer_of(damaged)

    def test_real_characters(self):
        for name in ("khronos/CesiumMan", "khronos/Fox", "mannequiny"):
            file = sorted(real_character(self, name).rglob("*.gl[bt]*"))[0]
            hero = pelt.load(file)
            self.run_program("deform", file, "--fps", "3", "--method", "ddm", "-o", self.folder / "x.npy")
            made = hero.deform(hero.skin_matrices(0, fps=3))
            np.testing.assert_array_equal(made, np.load(self.folder / "x.npy"), err_msg=name)

    def test_props_follow_their_joint(self):
        """Their node's transform is in double precision in the program: equal within rounding."""
        file = real_character(self, "kaykit/Mage.glb")
        hero = pelt.load(file)
        self.run_program("deform", file, "--fps", "4", "--method", "ddm", "-o", self.folder / "x.npy")
        expected = np.load(self.folder / "x.npy")
        size = np.linalg.norm(np.ptp(hero.positions, axis=0))
        self.assertEqual(expected.shape[1], hero.vertex_count)
        self.assertLess(np.abs(hero.deform(hero.skin_matrices(0, fps=4)) - expected).max(), 1e-5 * size)


class Making(WithFiles):
    def test_every_verb_writes_what_the_program_writes(self):
        hero, file, out = self.sample("bar3", resolution=700, skin="smooth"), self.folder / "hero.glb", "theirs.glb"
        self.run_program("mush", file, "--kappa", "0.5", "-o", self.folder / out)
        self.assertTrue(self.same_file(hero.mush(kappa=0.5), out), "mush")
        self.run_program("bind", file, "--method", "bbw", "--influences", "3", "-o", self.folder / out)
        self.assertTrue(self.same_file(hero.bind("bbw", influences=3), out), "bind")
        self.run_program("bake", file, "--influences", "2", "--helpers", "2", "-o", self.folder / out)
        baked = hero.bake(influences=2, helpers=2)
        self.assertTrue(self.same_file(baked, out), "bake")
        self.assertEqual((baked.report["verb"], baked.report["influences"]), ("bake", 2))
        frames = hero.deform(hero.skin_matrices(0, fps=10), method="dqs")
        np.save(self.folder / "frames.npy", frames)
        self.run_program("bake", file, "--from", self.folder / "frames.npy", "--fps", "10", "-o", self.folder / out)
        self.assertTrue(self.same_file(hero.bake(from_=frames, fps=10), out), "bake from frames")
        self.run_program("fit", file, self.folder / "frames.npy", "--fps", "10", "-o", self.folder / out)
        self.assertTrue(self.same_file(hero.fit(frames, fps=10, clip=hero.clips[0]), out), "fit")
        self.run_program("pack", file, "--method", "dqs", "-o", self.folder / "theirs.peltrig")
        self.assertEqual(hero.pack("dqs"), (self.folder / "theirs.peltrig").read_bytes(), "pack")

    def test_decompose_and_compare(self):
        hero = self.sample("bar3", resolution=700, skin="smooth")
        frames = hero.deform(hero.skin_matrices(0, fps=10), method="dqs")
        np.save(self.folder / "frames.npy", frames)
        self.run_program(
            "decompose",
            self.folder / "frames.npy",
            "--rest",
            self.folder / "hero.glb",
            "--bones",
            "4",
            "-o",
            self.folder / "theirs.glb",
        )
        made = pelt.decompose(frames, rest=(hero.positions, hero.triangles), bones=4)
        theirs = pelt.load(self.folder / "theirs.glb")
        np.testing.assert_array_equal(made.positions, theirs.positions)
        np.testing.assert_array_equal(made.weights_dense(), theirs.weights_dense())
        self.assertEqual(len(made.joints), len(theirs.joints))
        self.assertLess(made.report["e_rms"], 5)
        lbs = hero.deform(hero.skin_matrices(0, fps=10), method="lbs")
        np.save(self.folder / "lbs.npy", lbs)
        words = ["compare", self.folder / "lbs.npy", self.folder / "frames.npy", "--mesh", self.folder / "hero.glb"]
        told = json.loads(subprocess.run([PROGRAM, *words, "--json"], check=True, capture_output=True).stdout)
        ours = pelt.compare(lbs, frames, rest=hero.positions)
        for key in ("rms", "max", "e_rms", "frames"):
            self.assertEqual(ours[key], told[key], key)
        self.assertEqual(pelt.compare(lbs[1], lbs[1])["max"], 0)

    def test_pose_writes_what_the_program_writes(self):
        hero = self.sample("bar3", resolution=700, skin="smooth")
        handles = [
            {"joint": "joint0", "constraint": "hold"},
            {"joint": "joint2", "constraint": "position", "offset": [0.2, 0, 0]},
        ]
        (self.folder / "handles.json").write_text(json.dumps({"handles": handles}))
        self.run_program(
            "pose",
            self.folder / "hero.glb",
            "--handles",
            self.folder / "handles.json",
            "--no-cache",
            "-o",
            self.folder / "theirs.glb",
        )
        made = hero.pose(handles)
        self.assertEqual(made.report["verb"], "pose")
        self.assertTrue(self.same_file(made, "theirs.glb"))

    def test_a_picture_is_cut_out_as_the_program_does_it(self):
        y, x = np.mgrid[0:96, 0:128]
        distance = np.hypot(x - 64, y - 48)
        pixels = np.zeros((96, 128, 4), np.uint8)
        pixels[..., 0], pixels[..., 3] = 200, 255 * ((distance < 40) & (distance > 15))
        made = pelt.cutout(pixels, triangles=200)
        self.assertEqual(made.report["parts"], 1)
        self.assertGreaterEqual(made.report["smallest_angle"], 15)
        self.assertAlmostEqual(float(np.ptp(made.positions[:, 1])), 1, 5)
        from pelt._pictures import path_of

        png = base64.b64decode(path_of("picture", pixels).split(b",")[1])
        (self.folder / "picture.png").write_bytes(png)
        self.run_program("cutout", self.folder / "picture.png", "--triangles", "200", "-o", self.folder / "theirs.glb")
        self.assertTrue(self.same_file(made, "theirs.glb"))
        self.assertTrue(self.same_file(pelt.cutout(png, triangles=200), "theirs.glb"))
        self.assertTrue(self.same_file(pelt.cutout(self.folder / "picture.png", triangles=200), "theirs.glb"))
        with self.assertRaises(pelt.Error) as refused:
            pelt.cutout(pixels[..., :3])
        self.assertEqual(refused.exception.code, "bad_input")
        with self.assertRaises(pelt.Error):
            pelt.cutout(pixels[..., 0])

    def test_handles_pull_the_body_along(self):
        hero = pelt.sample("bar3", resolution=800, skin="smooth")
        poser = hero.poser(energy="spokes-and-rims")
        poser.set_handles(
            [
                {"joint": hero.joints[0], "constraint": "hold"},
                {"joint": hero.joints[-1], "constraint": "position", "offset": [0.3, 0, 0]},
            ]
        )
        first = poser.step(1)
        energy = poser.energy
        matrices = poser.step(100)
        self.assertEqual(matrices.shape, first.shape)
        self.assertLessEqual(poser.energy, energy)
        place = hero.bind_matrices[-1, :, 3]
        np.testing.assert_allclose((matrices[-1] @ place)[:3] - place[:3], [0.3, 0, 0], atol=1e-3)

    def test_rigid_joints_of_a_poser_are_those_of_the_pose(self):
        hero = pelt.sample("biped", resolution=1000, skin="smooth")
        handles = [
            {"joint": "foot_L", "constraint": "hold"},
            {"joint": "hand_L", "constraint": "position", "offset": [-0.2, 0.3, 0.2]},
        ]
        limits = {"default": {"bend": 40, "twist": 30}}
        for options in ({"keep_lengths": True}, {"limits": limits}, {"keep_lengths": True, "clip": "walk", "at": 0.4}):
            poser = hero.poser(**options)
            poser.set_handles(handles)
            pose = poser.step()
            posed = hero.pose(handles, **options)
            np.testing.assert_allclose(pose, posed.skin_matrices(0, fps=30)[0], atol=1e-5, err_msg=str(options))
            self.assertAlmostEqual(poser.energy, posed.report["missed"], 5)
            np.testing.assert_allclose(poser.clip().skin_matrices(0, fps=30)[0], pose, atol=1e-5)
        with self.assertRaisesRegex(pelt.Error, "rigid joints"):
            hero.poser().clip()

    def test_maps_are_arrays_or_attributes(self):
        hero = pelt.sample("bar3", resolution=700)
        map_ = np.linspace(0.2, 2, hero.vertex_count)
        by_array = hero.mush(lambda_=4, lambda_map=map_)
        named = hero.with_attribute("_SOFTNESS", map_).mush(lambda_=4, lambda_map="_SOFTNESS")
        matrices = hero.skin_matrices(0, fps=5)
        np.testing.assert_array_equal(by_array.deform(matrices), named.deform(matrices))
        smooth, share = pelt.sample("bar3", resolution=700, skin="smooth"), map_ / 2
        shared = smooth.mush(translations=share).deform(matrices)
        painted = smooth.with_attribute("_SHARE", share).mush(translations="_SHARE")
        np.testing.assert_array_equal(shared, painted.deform(matrices))
        self.assertGreater(np.abs(shared - smooth.mush().deform(matrices)).max(), 1e-4)
        self.assertGreater(np.abs(by_array.deform(matrices) - hero.mush(lambda_=4).deform(matrices)).max(), 1e-4)

    def test_fbx_and_collada_are_read(self):
        """By pelt-import, which a checkout finds where it was built and the wheel has beside its library."""
        for name in ("smooth_bar.fbx", "smooth_bar.dae"):
            file = ROOT / "tests" / "data" / "import" / name
            hero = pelt.load(file)
            self.run_program("deform", file, "--fps", "10", "-o", self.folder / "x.npy")
            made = hero.deform(hero.skin_matrices(0, fps=10), method="lbs")
            np.testing.assert_array_equal(made, np.load(self.folder / "x.npy"), err_msg=name)


if __name__ == "__main__":
    unittest.main()
