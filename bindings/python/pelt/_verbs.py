"""Runs verbs of the library's table on what Python has in memory."""
from __future__ import annotations

import json
import os
from ctypes import byref, c_size_t, c_void_p, string_at
from typing import TYPE_CHECKING, Any, Callable, Optional

import numpy as np

from . import _options, _pictures, _table
from ._arrays import Floats, floats, integers, view
from ._library import Error, GivenInput, GivenOption, LongCall, encoded, lib
from ._table import Row

if TYPE_CHECKING:
    from ._character import Character


class Frames(np.ndarray):  # type: ignore[type-arg]
    """(F, V, 3) float32, with the report of the verb that made them."""

    report: Row = {}
    outputs: dict[str, Floats] = {}


class Packed(bytes):
    """The bytes that a verb made, with its report."""

    report: Row = {}
    outputs: dict[str, Floats] = {}


class Characters(list["Character"]):
    """Several characters, with the report of the verb that made them."""

    report: Row = {}
    outputs: dict[str, Floats] = {}


class _Given:
    """Inputs and options of a call, and what they borrow."""

    def __init__(self) -> None:
        self.inputs: list[GivenInput] = []
        self.options: list[GivenOption] = []
        self._kept: list[Any] = []

    def input(self, row: Row, name: str, value: Any) -> None:
        """One input, or the list of one that takes many."""
        if value is None:
            return
        if isinstance(value, (dict, list)) and row["kind"] in ("limits", "handles"):
            return self.option(row["name"], _options.json_text(value))
        if row["many"] and isinstance(value, dict):
            for called, each in value.items():
                self._one(row, name, each, str(called))
        elif row["many"] and isinstance(value, (list, tuple)) and not _is_array(value):
            for each in value:
                self._one(row, name, each)
        else:
            self._one(row, name, value)

    def _one(self, row: Row, name: str, value: Any, called: Optional[str] = None) -> None:
        given = GivenInput(row["name"].encode())
        if row["kind"] == "picture":
            given.path = _pictures.path_of(name, value)
        elif isinstance(value, (str, os.PathLike)):
            given.path = encoded(value)
        elif hasattr(value, "_open"):
            handle = value._open()
            self._kept.append(handle)
            given.character = handle.pointer
        else:
            self._borrow(given, row, name, value)
            given.path = None if called is None else encoded(called)
        self.inputs.append(given)

    def _borrow(self, given: GivenInput, row: Row, name: str, value: Any) -> None:
        """Positions, frame by frame, or a pair of them and triangles."""
        if row["kind"] != "sequence" and isinstance(value, (tuple, list)) and len(value) == 2:
            triangles = integers(f"{name}[1]", value[1], np.uint32, (None, 3))
            given.triangles, given.triangle_count = triangles.ctypes.data, len(triangles)
            self._kept.append(triangles)
            name, value = f"{name}[0]", value[0]
        single = row["kind"] == "mesh" or np.ndim(value) == 2
        frames = floats(name, value, (None, 3) if single else (None, None, 3))
        self._kept.append(frames)
        given.frames, given.vertex_count = frames.ctypes.data, frames.shape[-2]
        given.frame_count = 1 if single else len(frames)

    def option(self, name: str, value: Any) -> None:
        """One value, a list of them, or {"hips": 0.2} for hips=0.2."""
        if isinstance(value, (list, tuple, np.ndarray)):
            for each in value:
                self.option(name, each)
        elif isinstance(value, dict):
            for key, each in value.items():
                self.option(name, f"{key}={each}")
        elif isinstance(value, (str, os.PathLike)):
            self.options.append(GivenOption(name.encode(), encoded(value), 0))
        elif value is not None:
            try:
                self.options.append(GivenOption(name.encode(), None, float(value)))
            except (TypeError, ValueError):
                raise Error(f"{name}: {type(value).__name__} is no value of an option") from None


def _is_array(value: Any) -> bool:
    """Whether nested lists are one array, not a list of them: a list of arrays, files or characters has no number."""
    while isinstance(value, (list, tuple)) and len(value) > 0:
        value = value[0]
    return isinstance(value, (int, float))


def run(verb: Row, character: Optional[Character], values: dict[str, Any]) -> Any:
    """Runs a verb; `values` are its arguments by Python's names. What the table does not know, the library refuses."""
    values = {name: value for name, value in values.items() if value is not None}
    if character is not None:
        character, values = character._with_maps(values)
    call = LongCall(values.pop("progress", None), values.get("threads"))
    given, kind = _Given(), values.get("output", _table.result_kinds(verb)[0])
    rows = {row["name"]: row for row in verb["inputs"]}
    options = {row["name"]: row for row in verb["options"] if row["where"] == "everywhere"}
    keys = {each.name: each.key for each in _table.arguments(verb)}
    for name, value in values.items():
        key, text = keys.get(name, name.rstrip("_")), isinstance(value, (str, os.PathLike))
        if key in rows and not (key in options and text):
            given.input(rows[key], name, value)
        else:
            given.option(key, value)
    if character is not None:
        given.input(verb["inputs"][0], "self", character)
    made = c_void_p()
    try:
        call.run(
            lib.pelt_run,
            verb["name"].encode(),
            (GivenInput * len(given.inputs))(*given.inputs),
            len(given.inputs),
            (GivenOption * len(given.options))(*given.options),
            len(given.options),
            call.callback,
            None,
            byref(made),
        )
        others = [row["name"] for row in verb["outputs"] if row["name"] != "output" and values.get(row["name"])]
        return _taken(made, kind, others)
    finally:  # also after a gate that is missed, or Ctrl-C at the last moment
        lib.pelt_result_free(made)


def _taken(made: c_void_p, kind: str, others: list[str]) -> Any:
    """The result of a run as Python has it."""
    from ._character import Character

    report: Row = json.loads(lib.pelt_result_report(made))
    result: Any
    if kind == "":
        return report
    if kind == "rig":
        size = c_size_t()
        result = Packed(string_at(lib.pelt_result_bytes(made, byref(size)), size.value))
    elif kind in ("character", "folder"):
        all_made = Characters()
        while pointer := lib.pelt_result_character(made):
            all_made.append(Character(pointer, report))
        result = all_made if kind == "folder" else all_made[0]
    else:
        result = _frames(made, "output").view(Frames)
    result.report, result.outputs = report, {name: _frames(made, name) for name in others}
    return result


def _frames(made: c_void_p, output: str) -> Floats:
    """A copy of the frames of an output."""
    frames, vertices = c_size_t(), c_size_t()
    first = lib.pelt_result_frames_of(made, output.encode(), byref(frames), byref(vertices))
    return view(first, np.float32, (frames.value, vertices.value, 3), made).copy()


def call_of(verb: Row) -> Callable[..., Any]:
    """A function that runs the verb; with `self` where Character has it."""
    signature, method = _table.signature(verb), _table.is_method(verb)

    def call(*given: Any, **named: Any) -> Any:
        known = {name: value for name, value in named.items() if name in signature.parameters}
        values = {**named, **signature.bind(*given, **known).arguments}
        return run(verb, values.pop("self") if method else None, values)

    call.__name__ = call.__qualname__ = verb["name"]
    call.__doc__ = _table.text(verb)
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call
