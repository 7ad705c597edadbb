"""Installs the add-on from its zip, as a user does, and runs the tests beside this file.

    blender -b --factory-startup -P run_tests.py -- ADDON.zip PELT SHARED FOLDER [NAMES…]
"""
import pathlib
import sys
import unittest

import bpy
import numpy

if not hasattr(numpy, "bool"):
    numpy.bool = bool  # the importer of Debian's Blender asks for it, and Debian's NumPy has it no longer

archive, pelt, shared, folder, *names = sys.argv[sys.argv.index("--") + 1 :]
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

bpy.ops.preferences.addon_install(filepath=archive)
bpy.ops.preferences.addon_enable(module="pelt_blender")
import pelt_blender

assert folder in pelt_blender.__file__, pelt_blender.__file__
assert folder in pelt_blender.library.pelt.__file__, "the Python package is not the one of the zip"

import common

common.PELT, common.SHARED, common.FOLDER = pathlib.Path(pelt), pathlib.Path(shared) / "data", pathlib.Path(folder)

loader = unittest.TestLoader()
suite = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE), pattern="*_test.py")
result = unittest.TextTestRunner(verbosity=2).run(suite)
if result.testsRun == 0 or not result.wasSuccessful():
    sys.exit(1)
