"""Options of the program as keyword arguments: underscores for dashes, `lambda_` for lambda, `from_` for from."""
from __future__ import annotations

import json
from typing import Any, Mapping

import numpy as np

from ._library import Error


def _plain(value: Any) -> Any:
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if hasattr(value, "__fspath__"):
        return value.__fspath__()
    raise TypeError(f"{type(value).__name__} is no value of an option")


def json_text(value: Any) -> str:
    """JSON for the library, of what may have NumPy's numbers and arrays in it."""
    try:
        return json.dumps(value, default=_plain, allow_nan=False)
    except (TypeError, ValueError) as fault:
        raise Error(f"options: {fault}") from None


def encode(options: Mapping[str, Any]) -> bytes:
    """An object of options; those that are None are left out."""
    return json_text({name.rstrip("_"): value for name, value in options.items() if value is not None}).encode()


def handles(given: Any) -> bytes:
    """The list of handles, or the object of a handles file, as that object."""
    listed = given.get("handles", given) if isinstance(given, dict) else given
    try:
        return json.dumps({"handles": listed}, default=_plain, allow_nan=False).encode()
    except ValueError:
        raise Error("handles: a number is not finite", "bad_input") from None
    except TypeError as fault:
        raise Error(f"handles: {fault}") from None
