"""Pointers of the library that are freed when nobody holds them any more."""
from __future__ import annotations

import weakref
from typing import Any, Callable


class Handle:
    """Owns one pointer. Characters, views, deformers and posers that need it hold it."""

    def __init__(self, pointer: int, free: Callable[[int], None]) -> None:
        self.pointer = pointer
        # At exit the system takes the memory back; a thread that still works keeps its own.
        weakref.finalize(self, free, pointer).atexit = False

    def __reduce__(self) -> Any:
        raise TypeError("a deformer or a poser lives in one process: make it where it is used")

    def __deepcopy__(self, memo: Any) -> "Handle":
        return self
