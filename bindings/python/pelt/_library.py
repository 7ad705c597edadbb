"""The shared library and its C interface (pelt/pelt.h), by ctypes. A call releases the GIL."""
from __future__ import annotations

import ctypes
import os
import pathlib
import signal
import threading
from ctypes import (
    POINTER,
    byref,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int32,
    c_size_t,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, Callable, Optional, Union

_HERE = pathlib.Path(__file__).resolve().parent

_CODES = {1: "system", 2: "bad_usage", 3: "bad_input", 4: "gate", 130: "cancelled"}

#: What long calls take as `progress=`: told the fraction done (0 to 1; -1: unknown) and the stage. False cancels.
ProgressCallback = Callable[[float, str], Any]


class Error(ValueError):
    """What Pelt refuses, in one sentence.

    `code` says which kind of fault it is: "bad_usage" (a call that makes no sense whatever the data), "bad_input" (a
    file or data that is unreadable, malformed or inconsistent), "gate" (a quality gate that was asked for is missed),
    "system" (disk full, no memory, no permission) or "cancelled" (a progress callback returned False).
    """

    code: str

    def __init__(self, message: str, code: str = "bad_usage") -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[Any, ...]:
        return Error, (str(self), self.code)


def encoded(text: Union[str, os.PathLike[str]]) -> bytes:
    """A name or a path for the library, whose texts end at the first NUL."""
    data = os.fsencode(text)
    if b"\0" in data:
        raise Error(f"{text!r} has a NUL character; leave it out")
    return data


Progress = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_double)


class Call(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("progress", Progress), ("user", c_void_p), ("threads", c_int)]


class Arrays(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("positions", c_void_p),
        ("vertex_count", c_size_t),
        ("triangles", c_void_p),
        ("triangle_count", c_size_t),
        ("joint_names", POINTER(c_char_p)),
        ("joint_parents", c_void_p),
        ("joint_binds", c_void_p),
        ("joint_count", c_size_t),
        ("weight_offsets", c_void_p),
        ("weight_joints", c_void_p),
        ("weight_values", c_void_p),
    ]


class GivenInput(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("character", c_void_p),
        ("path", c_char_p),
        ("frames", c_void_p),
        ("frame_count", c_size_t),
        ("vertex_count", c_size_t),
        ("triangles", c_void_p),
        ("triangle_count", c_size_t),
    ]


class GivenOption(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("text", c_char_p), ("number", c_double)]


_OUT = POINTER(c_void_p)
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "pelt_version": (c_char_p, []),
    "pelt_error_message": (c_char_p, []),
    "pelt_free": (None, [c_void_p]),
    "pelt_load": (c_int, [c_char_p, POINTER(Call), _OUT]),
    "pelt_load_bytes": (c_int, [c_char_p, c_size_t, c_char_p, POINTER(Call), _OUT]),
    "pelt_make": (c_int, [POINTER(Arrays), _OUT]),
    "pelt_with_attribute": (c_int, [c_void_p, c_char_p, c_void_p, _OUT]),
    "pelt_with_clips": (c_int, [c_void_p, c_char_p, POINTER(Call), _OUT]),
    "pelt_samples": (c_int, [_OUT]),
    "pelt_character_free": (None, [c_void_p]),
    "pelt_save": (c_int, [c_void_p, c_char_p]),
    "pelt_save_bytes": (c_int, [c_void_p, _OUT, POINTER(c_size_t)]),
    "pelt_save_fbx": (c_int, [c_void_p, c_int, _OUT, POINTER(c_size_t)]),
    "pelt_vertex_count": (c_size_t, [c_void_p]),
    "pelt_triangle_count": (c_size_t, [c_void_p]),
    "pelt_positions": (POINTER(c_float), [c_void_p]),
    "pelt_triangles": (POINTER(c_uint32), [c_void_p]),
    "pelt_joint_count": (c_size_t, [c_void_p]),
    "pelt_joint_name": (c_char_p, [c_void_p, c_size_t]),
    "pelt_joint_parent": (c_int32, [c_void_p, c_size_t]),
    "pelt_joint_binds": (c_int, [c_void_p, c_void_p]),
    "pelt_weight_offsets": (POINTER(c_uint64), [c_void_p]),
    "pelt_weight_joints": (POINTER(c_uint32), [c_void_p]),
    "pelt_weight_values": (POINTER(c_float), [c_void_p]),
    "pelt_clip_count": (c_size_t, [c_void_p]),
    "pelt_clip_name": (c_char_p, [c_void_p, c_size_t]),
    "pelt_clip_times": (c_int, [c_void_p, c_char_p, c_double, _OUT]),
    "pelt_skin_matrices_at": (c_int, [c_void_p, c_char_p, c_void_p, c_size_t, c_void_p]),
    "pelt_morphed_positions": (c_int, [c_void_p, c_char_p, c_double, c_void_p]),
    "pelt_deformer_make": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(Call), _OUT]),
    "pelt_deformer_free": (None, [c_void_p]),
    "pelt_deformer_save": (c_int, [c_void_p, _OUT, POINTER(c_size_t)]),
    "pelt_deformer_load": (c_int, [c_void_p, c_char_p, c_size_t, _OUT]),
    "pelt_deformer_evaluate_at": (c_int, [c_void_p, c_char_p, c_double, c_void_p, c_void_p]),
    "pelt_deformer_set_rest": (c_int, [c_void_p, c_void_p]),
    "pelt_deformer_evaluate": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "pelt_deformer_evaluate_frames": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, POINTER(Call)]),
    "pelt_poser_make": (c_int, [c_void_p, c_char_p, POINTER(Call), _OUT]),
    "pelt_poser_free": (None, [c_void_p]),
    "pelt_poser_set_handles": (c_int, [c_void_p, c_char_p]),
    "pelt_poser_prepare": (c_int, [c_void_p, c_char_p]),
    "pelt_poser_prepared": (c_double, [c_void_p]),
    "pelt_poser_set_target": (c_int, [c_void_p, c_size_t, c_void_p]),
    "pelt_poser_set_rotation": (c_int, [c_void_p, c_size_t, c_void_p]),
    "pelt_poser_set_transform": (c_int, [c_void_p, c_size_t, c_void_p]),
    "pelt_poser_energies": (c_size_t, [c_void_p, POINTER(POINTER(c_double))]),
    "pelt_poser_transforms": (c_size_t, [c_void_p, POINTER(POINTER(c_float))]),
    "pelt_poser_step": (c_int, [c_void_p, c_int, POINTER(c_double)]),
    "pelt_poser_matrices": (None, [c_void_p, c_void_p]),
    "pelt_poser_clip": (c_int, [c_void_p, POINTER(Call), _OUT]),
    "pelt_poser_positions": (c_int, [c_void_p, c_void_p]),
    "pelt_verbs": (c_char_p, []),
    "pelt_run": (
        c_int,
        [c_char_p, POINTER(GivenInput), c_size_t, POINTER(GivenOption), c_size_t, Progress, c_void_p, _OUT],
    ),
    "pelt_result_character": (c_void_p, [c_void_p]),
    "pelt_result_frames_of": (POINTER(c_float), [c_void_p, c_char_p, POINTER(c_size_t), POINTER(c_size_t)]),
    "pelt_result_bytes": (POINTER(c_uint8), [c_void_p, POINTER(c_size_t)]),
    "pelt_result_report": (c_char_p, [c_void_p]),
    "pelt_result_free": (None, [c_void_p]),
}


def _open() -> ctypes.CDLL:
    """The library beside this file, or the one that the environment variable PELT_LIBRARY names."""
    path = os.environ.get("PELT_LIBRARY") or str(_HERE / "libpelt.so")
    try:
        library = ctypes.CDLL(path)
    except OSError as fault:
        raise ImportError(
            f"pelt: its library cannot be loaded ({fault}); install the package (pip install . or the "
            "wheel that scripts/wheel makes), or set PELT_LIBRARY to the path of libpelt.so"
        ) from None
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, name, None)
        if function is None:
            raise ImportError(f"pelt: {path} is another version than this package: it has no {name}")
        function.restype, function.argtypes = result, arguments
    return library


lib = _open()


def check(status: int) -> None:
    """Raises Error with the library's sentence unless the status is 0."""
    if status != 0:
        raise Error(lib.pelt_error_message().decode(errors="replace"), _CODES.get(status, "system"))


def take_text(pointer: c_void_p) -> str:
    """The text that a call allocated, which is freed."""
    try:
        return ctypes.string_at(pointer).decode() if pointer else ""
    finally:
        lib.pelt_free(pointer)


def take_bytes(pointer: c_void_p, size: int) -> bytes:
    """The bytes that a call allocated, which are freed."""
    try:
        return ctypes.string_at(pointer, size)
    finally:
        lib.pelt_free(pointer)


class LongCall:
    """Runs a call that may take long: tells `progress`, and lets it or Ctrl-C cancel.

    An exception of `progress` ends the call and is raised again here. So is Ctrl-C: meanwhile its handler only asks for
    a stop, since an exception that strikes at the first instruction of the callback would be lost in the library.
    """

    def __init__(self, progress: Optional[ProgressCallback] = None, threads: Optional[int] = None) -> None:
        if threads is not None and (not isinstance(threads, int) or threads < 0):
            raise Error(f"threads: is {threads!r}; it must be a number of threads, or 0 for all cores")
        self._raised: Optional[BaseException] = None
        self._interrupted = False

        def passed_on(_: Any, stage: bytes, fraction: float) -> int:
            try:
                stop = progress is not None and progress(fraction, stage.decode()) is False
                return 0 if stop or self._interrupted else 1
            except BaseException as raised:
                self._raised = raised
                return 0

        self.callback = Progress(passed_on)  # kept: the library calls it
        self._call = Call(ctypes.sizeof(Call), self.callback, None, threads or 0)

    @property
    def pointer(self) -> Any:
        return byref(self._call)

    def run(self, function: Any, *arguments: Any) -> None:
        """Calls the library; raises Error unless it returns 0."""
        main = threading.current_thread() is threading.main_thread()
        handles = main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if handles:
            signal.signal(signal.SIGINT, self._interrupt)
        try:
            status = function(*arguments)
        finally:
            if handles:
                signal.signal(signal.SIGINT, signal.default_int_handler)
        if self._interrupted:
            raise KeyboardInterrupt
        if self._raised is not None:
            raise self._raised
        check(status)

    def _interrupt(self, *_: object) -> None:
        self._interrupted = True
