"""Every verb of the library's table is a method of Character or a function, with its arguments, texts and results."""
import inspect
import json
import pydoc
import subprocess
import unittest

import numpy as np
import pelt

from common import PROGRAM, Refusals, WithFiles


def table():
    """The verbs that are everywhere, as the program prints them."""
    told = subprocess.run([PROGRAM, "verbs", "--json"], check=True, capture_output=True).stdout
    return [verb for verb in json.loads(told)["verbs"] if verb["where"] == "everywhere"]


def call_of(name):
    return getattr(pelt.Character, name, None) or getattr(pelt, name)


class Made(unittest.TestCase):
    def test_every_verb_has_its_arguments_and_help(self):
        for verb in table():
            call = call_of(verb["name"])
            if verb["name"] == "deform":
                continue  # takes matrices, with the options of methods
            parameters, text = inspect.signature(call).parameters, pydoc.render_doc(call, renderer=pydoc.plaintext)
            for row in [row for row in verb["options"] if row["where"] == "everywhere"] + verb["inputs"][1:]:
                name = {"lambda": "lambda_", "from": "from_", "for": "for_"}.get(row["name"], row["name"])
                name = "rest" if (verb["name"], name) == ("compare", "mesh") else name
                self.assertIn(name, parameters, verb["name"])
                self.assertIn(f"{name}: ", text)
            self.assertIs(parameters["progress"].kind, inspect.Parameter.KEYWORD_ONLY)
            self.assertIn(call.__name__, pelt.__all__ if hasattr(pelt, call.__name__) else dir(pelt.Character))

    def test_options_are_typed_keywords(self):
        bake = inspect.signature(pelt.Character.bake)
        self.assertEqual(bake.parameters["influences"].annotation, "int")
        self.assertEqual(bake.parameters["max_error"].annotation, "float")
        self.assertIs(bake.parameters["helpers"].kind, inspect.Parameter.KEYWORD_ONLY)
        self.assertEqual(bake.return_annotation, "Character")
        self.assertIn("Literal", inspect.signature(pelt.Character.bind).parameters["method"].annotation)
        self.assertEqual(list(inspect.signature(pelt.Character.bind).parameters)[:2], ["self", "method"])

    def test_deformers_and_posers_show_their_options_too(self):
        for call, options in (
            (pelt.Character.deform, ("alpha", "lambda_", "sigma", "joint_alpha")),
            (pelt.Character.deformer, ("alpha", "kappa_map")),
            (pelt.Character.poser, ("energy", "extra_weights", "free")),
        ):
            parameters = inspect.signature(call).parameters
            for name in options:
                self.assertIs(parameters[name].kind, inspect.Parameter.KEYWORD_ONLY)
                self.assertIn(f"{name}: ", call.__doc__)
        self.assertIs(inspect.signature(pelt.Character.fit).parameters["examples"].default, inspect.Parameter.empty)

    def test_methods_that_are_written_by_hand_list_their_options(self):
        self.assertIn("kappa: ", pelt.Character.deform.__doc__)
        self.assertIn("sigma: ", pelt.Character.deformer.__doc__)
        self.assertIn("extra_weights: ", pelt.Character.poser.__doc__)
        self.assertNotIn("fps: ", pelt.Character.deformer.__doc__)


class Results(WithFiles):
    def test_each_kind_of_result_has_its_report(self):
        hero = self.sample("bar3", resolution=700, skin="smooth")
        for name, made in (
            ("bind", hero.bind()),
            ("clean", hero.clean()),
            ("limit", hero.limit(influences=2)),
            ("transfer", hero.transfer(hero)),
            ("sample", pelt.sample("bar", resolution=300)),
        ):
            self.assertIsInstance(made, pelt.Character)
            self.assertEqual(made.report["verb"], name)
            self.assertTrue(made.report["stages"])
        info = hero.info()
        self.assertEqual((info["verb"], info["vertices"]), ("info", hero.vertex_count))
        packed = hero.pack("dqs")
        self.assertEqual((type(packed).__mro__[1], packed.report["method"]), (bytes, "dqs"))
        self.assertEqual(hero.report, {})  # it was loaded

    def test_levels_of_detail_are_a_list(self):
        hero = self.sample("bar3", resolution=900, skin="smooth")
        levels = hero.lod(ratios=[0.5, 0.2])
        self.assertEqual(len(levels), 2)
        self.assertEqual([each.vertex_count for each in levels], [row["vertices"] for row in levels.report["levels"]])
        self.run_program("lod", self.folder / "hero.glb", "--ratios", "0.5,0.2", "-o", self.folder / "lods")
        self.assertTrue(self.same_file(levels[0], "lods/hero_lod1.glb"))
        self.assertTrue(self.same_file(levels[1], "lods/hero_lod2.glb"))

    def test_another_result_is_in_outputs(self):
        arm = pelt.sample("arm", resolution=600, examples=True)
        examples = arm.outputs["examples"]
        self.assertEqual(examples.shape, (arm.report["frames"], arm.vertex_count, 3))
        self.assertEqual(pelt.sample("arm", resolution=600).outputs, {})
        played = arm.fit(examples, output="sequence")
        self.assertEqual((played.shape, played.report["verb"]), (examples.shape, "fit"))
        self.assertLess(np.abs(played - examples).max(), 0.5)

    def test_a_missed_gate_is_an_error(self):
        with self.assertRaises(pelt.Error) as caught:
            pelt.sample("bar3", resolution=500).bake(influences=1, max_error=0)
        self.assertEqual(caught.exception.code, "gate")


class Given(WithFiles, Refusals):
    def test_inputs_are_characters_arrays_or_files(self):
        hero = self.sample("bar3", resolution=500, skin="smooth")
        positions, triangles = hero.positions, hero.triangles
        with open(self.folder / "mesh.obj", "w") as mesh:
            mesh.writelines(f"v {x!r} {y!r} {z!r}\n" for x, y, z in positions.astype(float).tolist())
            mesh.writelines(f"f {a} {b} {c}\n" for a, b, c in (triangles + 1).tolist())
        expected = hero.transfer(hero).weights_dense()
        for to in (self.folder / "hero.glb", str(self.folder / "mesh.obj"), (positions, triangles)):
            np.testing.assert_allclose(hero.transfer(to).weights_dense(), expected, atol=1e-6)
        frames = hero.deform(hero.skin_matrices(0, fps=5), method="lbs")
        np.save(self.folder / "frames.npy", frames)
        for examples in (frames, self.folder / "frames.npy", frames.tolist()):
            self.assertLess(hero.fit(examples, fps=5, extra_joints="none").report["e_rms"], 1)

    def test_several_sequences_are_clips(self):
        hero = pelt.sample("bar3", resolution=400, skin="smooth")
        frames, rest = hero.deform(hero.skin_matrices(0, fps=5), method="lbs"), (hero.positions, hero.triangles)
        both = pelt.decompose({"swing": frames, "back": frames[::-1]}, rest=rest, bones=3)
        self.assertEqual(both.clips, ["swing", "back"])
        self.assertEqual(len(pelt.decompose([frames, frames], rest=rest, bones=3).clips), 2)
        self.assertEqual(len(pelt.decompose(frames, rest=hero, bones=3).clips), 1)

    def test_json_files_are_objects(self):
        hero = self.sample("bar3", resolution=400)
        limits = {"default": {"bend": 30, "twist": 10}}
        (self.folder / "limits.json").write_text(json.dumps(limits))
        by_file = hero.bake(limits=self.folder / "limits.json", influences=2)
        by_object = hero.bake(limits=limits, influences=2)
        self.assertEqual(by_object.report["e_rms"], by_file.report["e_rms"])
        self.assertNotEqual(by_object.report["e_rms"], hero.bake(influences=2).report["e_rms"])

    def test_values_of_options(self):
        hero = pelt.sample("bar3", resolution=400)
        names = hero.joints
        for joints in (names[:2], tuple(names[:2]), ",".join(names[:2])):
            self.assertEqual(hero.bind(joints=joints).report["joints_with_skin"], 2)
        matrices = hero.skin_matrices(0, fps=5)
        by_dict = hero.mush(joint_alpha={names[0]: 0.1}).deform(matrices)
        np.testing.assert_array_equal(by_dict, hero.mush(joint_alpha=f"{names[0]}=0.1").deform(matrices))
        self.assertTrue((by_dict != hero.mush().deform(matrices)).any())
        self.assertEqual(
            hero.mush(influences=np.int64(3), kappa=np.float32(0.5), connect_parts=False).report["influences"], 3
        )

    def test_what_a_verb_does_not_take(self):
        hero = pelt.sample("bar3", resolution=300)
        self.refuses("did you mean 'kappa'", lambda: hero.mush(kapa=1), "bad_usage")
        self.refuses("kappa is 'much'", lambda: hero.mush(kappa="much"), "bad_usage")
        self.refuses("kappa: object", lambda: hero.mush(kappa=object()), "bad_usage")
        self.refuses("output", lambda: hero.mush(output="mushed.glb"), "bad_usage")
        self.refuses("no-such.glb", lambda: hero.transfer("no-such.glb"), "bad_input")
        with self.assertRaises(TypeError):
            hero.fit()
        with self.assertRaises(TypeError):
            hero.bind("bbw", 4)
        self.refuses("the character is closed", lambda: (hero.close(), hero.mush()), "bad_usage")


if __name__ == "__main__":
    unittest.main()
