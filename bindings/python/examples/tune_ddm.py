"""Finds the parameters of Direct Delta Mush that come closest to a reference: python3 tune_ddm.py

The reference stands for a simulation or a sculpt: here it is the same method with parameters that the search does not
know, so that one sees whether they are found. Each trial prepares the method anew and poses all frames.
"""
import sys

import numpy as np
import pelt

try:
    from scipy.optimize import minimize
except ImportError:
    sys.exit("SciPy is not installed")

hero = pelt.sample("bar3", resolution=1500)
matrices = hero.skin_matrices(fps=8)  # (F, J, 4, 4)
reference = hero.deform(matrices, method="ddm", lambda_=8, kappa=3, alpha=0.35)  # (F, V, 3)


def error(parameters):
    """E_RMS of a trial; strengths are searched by their logarithms."""
    strength, kappa, alpha = np.exp(parameters[0]), np.exp(parameters[1]), parameters[2]
    trial = hero.deform(matrices, method="ddm", lambda_=strength, kappa=kappa, alpha=alpha)
    return pelt.compare(reference, trial, rest=hero.positions)["e_rms"]


start = np.array([np.log(2), np.log(2), 0.5])
found = minimize(
    error,
    start,
    method="Powell",
    bounds=[(-2, 4), (-2, 4), (0, 1)],
    options={"xtol": 1e-2, "ftol": 1e-3, "maxfev": 300},
)
strength, kappa, alpha = np.exp(found.x[0]), np.exp(found.x[1]), found.x[2]
print(f"E_RMS {error(start):.3f} -> {found.fun:.3f} after {found.nfev} trials")
print(f"lambda {strength:.2f} (8), kappa {kappa:.2f} (3), alpha {alpha:.2f} (0.35)")
hero.mush(lambda_=strength, kappa=kappa, alpha=alpha).save("tuned.glb")
