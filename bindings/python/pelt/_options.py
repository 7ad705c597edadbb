"""Options of the program as keyword arguments: underscores for dashes, `lambda_` for lambda."""
import json

import numpy as np

from ._library import Error


def _plain(value):
    if isinstance(value, (np.integer, np.floating)):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if hasattr(value, "__fspath__"):
        return value.__fspath__()
    raise TypeError(f"{type(value).__name__} is no value of an option")


def encode(options):
    """JSON for the library; options that are None are left out."""
    named = {name.rstrip("_"): value for name, value in options.items() if value is not None}
    try:
        return json.dumps(named, default=_plain, allow_nan=False).encode()
    except (TypeError, ValueError) as fault:
        raise Error(f"options: {fault}") from None
