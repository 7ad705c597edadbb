"""The shared library and its C interface (pelt/pelt.h), by ctypes."""
import ctypes
import os
import pathlib
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_int, c_int32, c_size_t, c_uint32, c_uint64, c_void_p

_HERE = pathlib.Path(__file__).resolve().parent

_CODES = {1: "system", 2: "bad_usage", 3: "bad_input", 4: "gate", 130: "cancelled"}


class Error(ValueError):
    """What Pelt refuses, in one sentence. `code` is "bad_usage", "bad_input", "gate", "system" or "cancelled"."""

    def __init__(self, message: str, code: str = "bad_usage"):
        super().__init__(message)
        self.code = code


Progress = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_double)


class Call(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("progress", Progress), ("user", c_void_p), ("threads", c_int)]


class Arrays(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("positions", c_void_p), ("vertex_count", c_size_t), ("triangles", c_void_p),
                ("triangle_count", c_size_t), ("joint_names", POINTER(c_char_p)), ("joint_parents", c_void_p),
                ("joint_binds", c_void_p), ("joint_count", c_size_t), ("weight_offsets", c_void_p),
                ("weight_joints", c_void_p), ("weight_values", c_void_p)]


_MAKES = [c_void_p, c_char_p, POINTER(Call), POINTER(c_void_p), POINTER(c_void_p)]
_SIGNATURES = {
    "pelt_version": (c_char_p, []),
    "pelt_error_message": (c_char_p, []),
    "pelt_free": (None, [c_void_p]),
    "pelt_load": (c_int, [c_char_p, POINTER(Call), POINTER(c_void_p)]),
    "pelt_load_bytes": (c_int, [c_char_p, c_size_t, c_char_p, POINTER(Call), POINTER(c_void_p)]),
    "pelt_make": (c_int, [POINTER(Arrays), POINTER(c_void_p)]),
    "pelt_sample": (c_int, [c_char_p, c_char_p, POINTER(c_void_p)]),
    "pelt_character_free": (None, [c_void_p]),
    "pelt_save": (c_int, [c_void_p, c_char_p]),
    "pelt_save_bytes": (c_int, [c_void_p, POINTER(c_void_p), POINTER(c_size_t)]),
    "pelt_vertex_count": (c_size_t, [c_void_p]),
    "pelt_triangle_count": (c_size_t, [c_void_p]),
    "pelt_positions": (POINTER(c_float), [c_void_p]),
    "pelt_triangles": (POINTER(c_uint32), [c_void_p]),
    "pelt_joint_count": (c_size_t, [c_void_p]),
    "pelt_joint_name": (c_char_p, [c_void_p, c_size_t]),
    "pelt_joint_parent": (c_int32, [c_void_p, c_size_t]),
    "pelt_weight_offsets": (POINTER(c_uint64), [c_void_p]),
    "pelt_weight_joints": (POINTER(c_uint32), [c_void_p]),
    "pelt_weight_values": (POINTER(c_float), [c_void_p]),
    "pelt_clip_count": (c_size_t, [c_void_p]),
    "pelt_clip_name": (c_char_p, [c_void_p, c_size_t]),
    "pelt_clip_start": (c_double, [c_void_p, c_size_t]),
    "pelt_clip_seconds": (c_double, [c_void_p, c_size_t]),
    "pelt_clip_times": (c_int, [c_void_p, c_char_p, c_double, POINTER(c_void_p)]),
    "pelt_skin_matrices": (c_int, [c_void_p, c_char_p, c_double, c_void_p]),
    "pelt_deformer_make": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(Call), POINTER(c_void_p)]),
    "pelt_deformer_free": (None, [c_void_p]),
    "pelt_deformer_evaluate": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "pelt_deformer_evaluate_frames": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, POINTER(Call)]),
    "pelt_poser_make": (c_int, [c_void_p, c_char_p, POINTER(Call), POINTER(c_void_p)]),
    "pelt_poser_free": (None, [c_void_p]),
    "pelt_poser_set_handles": (c_int, [c_void_p, c_char_p]),
    "pelt_poser_step": (c_int, [c_void_p, c_int, POINTER(c_double)]),
    "pelt_poser_matrices": (None, [c_void_p, c_void_p]),
    "pelt_info": (c_int, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "pelt_mush": (c_int, _MAKES),
    "pelt_bind": (c_int, _MAKES),
    "pelt_bake": (c_int, _MAKES),
    "pelt_fit": (c_int, [c_void_p, c_void_p, c_size_t, *_MAKES[1:]]),
    "pelt_pose": (c_int, [c_void_p, c_char_p, *_MAKES[1:]]),
    "pelt_decompose": (c_int, [c_void_p, c_size_t, c_size_t, c_void_p, c_void_p, c_size_t, *_MAKES[1:]]),
    "pelt_compare": (c_int, [c_void_p, c_void_p, c_size_t, c_size_t, c_void_p, POINTER(c_void_p)]),
}


def _open() -> ctypes.CDLL:
    """The library of the wheel, or the one that PELT_LIBRARY names."""
    path = os.environ.get("PELT_LIBRARY") or str(_HERE / "libpelt.so")
    library = ctypes.CDLL(path)
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


lib = _open()


def check(status: int) -> None:
    """Raises Error with the library's sentence unless the status is 0."""
    if status != 0:
        raise Error(lib.pelt_error_message().decode(), _CODES.get(status, "system"))


def take_text(pointer: c_void_p) -> str:
    """The text that a call allocated, which is freed."""
    try:
        return ctypes.string_at(pointer).decode() if pointer else ""
    finally:
        lib.pelt_free(pointer)


class LongCall:
    """Runs a call that may take long: tells `progress`, and lets it or Ctrl-C cancel.

    An exception of `progress` ends the call and is raised again here.
    """

    def __init__(self, progress=None, threads=None):
        self._raised = None
        self._progress = progress

        def told(_, stage, fraction):
            try:
                if progress is not None and progress(fraction, stage.decode()) is False:
                    return 0
                return 1
            except BaseException as raised:  # KeyboardInterrupt too: it must not be lost in the library
                self._raised = raised
                return 0

        self._callback = Progress(told)  # kept: the library calls it
        self._call = Call(ctypes.sizeof(Call), self._callback, None, threads or 0)

    @property
    def pointer(self):
        return byref(self._call)

    def check(self, status: int) -> None:
        if self._raised is not None:
            raise self._raised
        check(status)
