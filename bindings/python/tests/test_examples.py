"""The examples and the notebook run, and give what they promise. The test of the wheel runs the scripts once more."""
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

from common import ROOT

EXAMPLES = ROOT / "bindings" / "python" / "examples"


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_example(self, name):
        done = subprocess.run(
            [sys.executable, EXAMPLES / name],
            cwd=self.folder,
            capture_output=True,
            text=True,
            env={**os.environ, "MPLBACKEND": "agg"},
        )
        if done.returncode != 0 and "is not installed" in done.stderr:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_compare_methods(self):
        told = self.run_example("compare_methods.py")
        self.assertRegex(told, "lbs: .* E_RMS to lbs 0.00")
        with open(os.path.join(self.folder, "compare_methods.png"), "rb") as picture:
            self.assertEqual(picture.read(4), b"\x89PNG")

    def test_tune_ddm_finds_the_parameters(self):
        told = self.run_example("tune_ddm.py")
        before, after = map(float, re.search(r"E_RMS ([0-9.]+) -> ([0-9.]+)", told).groups())
        self.assertLess(after, 0.1 * before)

    def test_decompose_sequence_is_better_with_more_bones(self):
        errors = [float(e) for e in re.findall(r"E_RMS ([0-9.]+)", self.run_example("decompose_sequence.py"))]
        self.assertEqual(errors, sorted(errors, reverse=True))
        self.assertLess(errors[-1], 0.5)

    def test_pose_by_handles_reaches_the_targets(self):
        distances = [float(d) for d in re.findall(r"is ([0-9.e-]+) from", self.run_example("pose_by_handles.py"))]
        self.assertEqual(len(distances), 5)
        self.assertLess(max(distances), 1e-4)

    def test_bake_for_engines(self):
        self.assertIn("played by linear blending", self.run_example("bake_for_engines.py"))
        self.assertTrue(os.path.exists(os.path.join(self.folder, "baked.glb")))

    def test_the_notebook(self):
        """Cell by cell in one namespace, as Jupyter does, which need not be installed."""
        cells = json.loads((EXAMPLES / "tour.ipynb").read_text())["cells"]
        names, before = {}, os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        os.environ["MPLBACKEND"] = "agg"
        with contextlib.redirect_stdout(io.StringIO()) as told:
            for number, cell in enumerate(cells):
                if cell["cell_type"] == "code":
                    exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
        self.assertIn("pelt.Character", told.getvalue())
        self.assertEqual(names["baked"].report["verb"], "bake")


if __name__ == "__main__":
    unittest.main()
