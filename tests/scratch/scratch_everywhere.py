"""scratch_everywhere.py ROOT PROGRAM LIBRARY: a verb that was added by one file and one row of the table is in the
program, in its JSON, in C, in Python with types and help, in the documentation's tables and in Blender's and the page's
lists."""

import inspect
import json
import os
import pathlib
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
        told = subprocess.run(
            ["/usr/bin/python3", ROOT / "scripts/write_verbs", "--check", PROGRAM, LIBRARY],
            capture_output=True,
            text=True,
        )
        self.assertNotEqual(told.returncode, 0)
        self.assertIn("run scripts/write_verbs", told.stdout + told.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
