"""What the tests share: a folder of their own, the program (PELT), characters as files have them."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import pelt

PROGRAM = os.environ["PELT"]
ROOT = pathlib.Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared" / "data" / "rigged"


def real_character(test, name):
    """A real character beside the checkout; the test is skipped where there is none."""
    file = SHARED / name
    if not file.exists():
        test.skipTest(f"{file} is not there")
    return file


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
        self.run_program(
            "deform",
            self.folder / "hero.glb",
            "--method",
            method,
            "--clip",
            clip,
            "-o",
            self.folder / "x.npy",
            *options,
        )
        return np.load(self.folder / "x.npy")

    def same_file(self, character, name):
        """Whether the character is saved with the bytes of a file that the program wrote."""
        character.save(self.folder / "ours.glb")
        return (self.folder / "ours.glb").read_bytes() == (self.folder / name).read_bytes()


class Refusals(unittest.TestCase):
    def refuses(self, words, call, code=None):
        """`call` raises a pelt.Error with those words."""
        with self.assertRaises(pelt.Error) as caught:
            call()
        self.assertIn(words, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))
        if code:
            self.assertEqual(caught.exception.code, code)
