"""Options of the program as keyword arguments: underscores for dashes, `lambda_` for lambda, `from_` for from."""
from __future__ import annotations

import json
from typing import Any, Mapping

import numpy as np

from ._library import Error

#: Options that take a number for each vertex, and the names that these get.
MAPS = {"lambda_map": "_PELT_LAMBDA", "kappa_map": "_PELT_KAPPA", "alpha_map": "_PELT_ALPHA"}


def _plain(value: Any) -> Any:
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if hasattr(value, "__fspath__"):
        return value.__fspath__()
    raise TypeError(f"{type(value).__name__} is no value of an option")


def encode(options: Mapping[str, Any]) -> bytes:
    """JSON for the library; options that are None are left out."""
    named = {name.rstrip("_"): value for name, value in options.items() if value is not None}
    try:
        return json.dumps(named, default=_plain, allow_nan=False).encode()
    except (TypeError, ValueError) as fault:
        raise Error(f"options: {fault}") from None
