"""Pelt: character skin. Direct Delta Mush, dual quaternions, baking, decomposition, posing by handles.

    import pelt
    hero = pelt.load("hero.glb")
    walk = hero.skin_matrices("walk", fps=30)       # (F, J, 4, 4)
    x = hero.deform(walk, method="ddm")             # (F, V, 3)
    hero.mush(kappa=0.5).save("mushed.glb")

Options are those of the program `pelt` with underscores in place of dashes, `lambda_` for lambda.
"""
from ._character import Character, Deformer, Poser, character, compare, decompose, load, loads, sample
from ._library import Error, lib as _lib

__version__ = _lib.pelt_version().decode()
__all__ = ["Character", "Deformer", "Error", "Poser", "character", "compare", "decompose", "load", "loads", "sample"]
