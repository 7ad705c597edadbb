"""Pelt: character skin. Direct Delta Mush, dual quaternions, baking, decomposition, posing by handles.

    import pelt
    hero = pelt.load("hero.glb")                    # or pelt.sample("biped"), pelt.character(arrays …)
    walk = hero.skin_matrices("walk", fps=30)       # (F, J, 4, 4)
    x = hero.deform(walk, method="ddm")             # (F, V, 3)
    hero.mush(kappa=0.5).save("mushed.glb")

F frames, V vertices, T triangles, J joints. Every verb of the program `pelt` is a method of Character or a function;
options have underscores in place of dashes, `lambda_` and `from_` stand for lambda and from; results are those of the
program. Whatever NumPy reads is an array:
lists, arrays, and tensors by __array__ or __dlpack__. Errors are `pelt.Error`.
"""
from ._character import Character
from ._deformer import Deformer, Poser
from ._library import Error, lib as _lib
from ._make import character, load, loads, samples
from . import _methods
from ._methods import *

__version__: str = _lib.pelt_version().decode()
__all__ = ["Character", "Deformer", "Error", "Poser", "character", "load", "loads", "samples"]
__all__ += _methods.__all__
