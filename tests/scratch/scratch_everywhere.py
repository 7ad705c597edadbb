"""scratch_everywhere.py ROOT PROGRAM LIBRARY: a verb that was added by one file and one row of the table is in the
program, in its JSON, in C, in Python with types and help, in the documentation's tables, in Blender's panel, in the types
of @pelt/core and in the page's list of what it makes. Where Blender or web/node_modules are missing, that part is left
out, with a word."""

import inspect
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, PROGRAM, LIBRARY = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
os.environ["PELT_LIBRARY"] = LIBRARY
sys.path.insert(0, str(ROOT / "bindings/python"))
try:
    import numpy as np
    import pelt
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


BLENDER = """
import sys
sys.path[:0] = [{root!r} + "/integrations/blender", {root!r} + "/bindings/python"]
import bpy, pelt_blender
pelt_blender.register()
assert any(each.bl_idname == "pelt.scratch" for each in pelt_blender.weights.CLASSES), "not in the panel"
properties = bpy.ops.pelt.scratch.get_rna_type().properties
assert properties["factor"].default == 1 and properties["factor"].hard_max == 10
assert set(properties["direction"].enum_items.keys()) == {{"all", "up"}}
assert "joint" in properties
"""
PAGE = """
import {{ makingVerbs, formOptions }} from {bundle!r};
import {{ readFileSync }} from "node:fs";
const table = JSON.parse(readFileSync(0, "utf8")).verbs,
  verb = makingVerbs(table).find(({{ name }}) => name === "scratch");
console.log(formOptions(verb).map(({{ name }}) => name).join(" "));
"""


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True).stdout


class Scratch(unittest.TestCase):
    def setUp(self):
        self.hero = pelt.sample("bar3", resolution=200)

    def test_the_program_has_it(self):
        self.assertIn("\n  scratch ", run("--help"))
        self.assertIn("--direction all|up", run("scratch", "--help"))
        with tempfile.TemporaryDirectory() as folder:
            source, target = f"{folder}/a.glb", f"{folder}/b.glb"
            self.hero.save(source)
            report = json.loads(run("scratch", source, "--factor", "2", "-o", target, "--json"))
            self.assertEqual((report["verb"], report["factor"]), ("scratch", 2))
            np.testing.assert_allclose(pelt.load(target).positions, 2 * self.hero.positions, rtol=1e-6)

    def test_its_rows_are_in_the_table(self):
        verbs = {verb["name"]: verb for verb in json.loads(run("verbs", "--json"))["verbs"]}
        options = {option["name"]: option for option in verbs["scratch"]["options"]}
        self.assertEqual(options["direction"]["choices"], ["all", "up"])
        self.assertEqual((options["factor"]["type"], options["factor"]["default"]), ("number", 1))
        self.assertEqual(options["joint"]["type"], "joint")

    def test_python_has_it_with_types_and_help(self):
        twice = self.hero.scratch(factor=2, direction="up")
        self.assertEqual(twice.report["factor"], 2)
        np.testing.assert_allclose(twice.positions[:, 1], 2 * self.hero.positions[:, 1], rtol=1e-6)
        self.assertIn("factor", inspect.signature(pelt.Character.scratch).parameters)
        self.assertIn("Along which axes", pelt.Character.scratch.__doc__)
        with self.assertRaises(pelt.Error):
            self.hero.scratch(factor=0)

    def test_stubs_and_the_tables_of_the_documentation_want_it(self):
        checked = subprocess.run(
            ["/usr/bin/python3", ROOT / "scripts/write_verbs", "--check", PROGRAM, LIBRARY],
            capture_output=True,
            text=True,
        )
        self.assertNotEqual(checked.returncode, 0)
        self.assertIn("run scripts/write_verbs", checked.stdout + checked.stderr)

    def test_blender_has_it_with_its_properties(self):
        if not shutil.which("blender"):
            self.skipTest("there is no blender on the PATH")
        code = BLENDER.format(root=str(ROOT))
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        clean["PATH"] = f"{pathlib.Path(shutil.which('blender')).parent}:/usr/bin:/bin"
        words = ["blender", "-b", "--factory-startup", "--python-exit-code", "1", "--python-expr", code]
        done = subprocess.run(words, capture_output=True, text=True, env=clean)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_page_makes_it_and_the_types_of_core_want_it(self):
        web = ROOT / "web"
        esbuild = web / "node_modules/.bin/esbuild"
        if not esbuild.exists():
            self.skipTest("web/node_modules is missing")
        with tempfile.TemporaryDirectory() as folder:
            bundle = f"{folder}/verbs.mjs"
            source = str(web / "studio/src/verbs.ts")
            subprocess.run(
                [esbuild, source, "--bundle", "--format=esm", f"--outfile={bundle}", "--log-level=error"], check=True
            )
            words = ["node", "--input-type=module", "-e", PAGE.format(bundle=bundle)]
            shown = subprocess.run(words, input=run("verbs", "--json"), capture_output=True, text=True, check=True)
            self.assertEqual(shown.stdout.split(), ["factor", "direction", "joint"])
        words = ["node", web / "tools/verb_types.mjs", "--check"]
        checked = subprocess.run(words, capture_output=True, text=True, cwd=web, env={**os.environ, "PELT": PROGRAM})
        self.assertNotEqual(checked.returncode, 0)
        self.assertIn("out of date", checked.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
