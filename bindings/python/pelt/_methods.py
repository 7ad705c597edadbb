"""The verbs of the library's table as methods of Character and as functions; scripts/write_verbs writes _methods.pyi."""
from __future__ import annotations

from . import _table, _verbs


class VerbMethods:
    """The verbs that are made of a character."""


__all__ = ["VerbMethods"]
for _name, _verb in _table.MADE.items():
    if _table.is_method(_verb):
        setattr(VerbMethods, _name, _verbs.call_of(_verb))
    else:
        globals()[_name] = _verbs.call_of(_verb)
        __all__.append(_name)
