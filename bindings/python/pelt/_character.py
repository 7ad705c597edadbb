"""Characters: what they consist of, what they give, and what can be made of them."""
from __future__ import annotations

import json
import os
from ctypes import byref, c_size_t, c_void_p
from typing import Any, Literal, Optional, Union, overload

import numpy as np

from . import _options, _table
from ._arrays import ArrayLike, Doubles, Floats, floats
from ._contents import Contents
from ._deformer import Deformer, Poser
from ._library import Error, LongCall, ProgressCallback, check, encoded, lib, take_bytes, take_text
from ._methods import VerbMethods

Clip = Union[str, int, None]


def _clip_name(clip: Clip) -> bytes:
    return encoded(str(0 if clip is None else clip))


class Character(VerbMethods, Contents):
    """A mesh on a skeleton, from `pelt.load`, `pelt.sample` or `pelt.character`.

    V vertices, T triangles, J joints. Rest space is that of `positions`, posed space that of the scene; in most files
    they are the same. Characters are immutable: `mush`, `bind`, `bake` and the other verbs return new ones,
    whose `report` is what `pelt VERB --json` says. Arrays are
    read-only views into the library. They stay valid as long as they are held, even after `close()`.

    Clips are named or counted; None is the first, "@range" a test motion that bends and twists every joint.
    """

    def __enter__(self) -> Character:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __copy__(self) -> Character:
        return self

    def __deepcopy__(self, memo: Any) -> Character:
        return self

    def __reduce__(self) -> Any:
        from ._make import loads

        return loads, (self.to_bytes(),)

    # ---- Motion ----

    def clip_times(self, clip: Clip = None, fps: float = 30) -> Doubles:
        """(F,) float64: the moments, in seconds, at which the program samples a clip: from its first key on."""
        handle, report = self._open(), c_void_p()
        check(lib.pelt_clip_times(handle.pointer, _clip_name(clip), float(fps), byref(report)))
        return np.array(json.loads(take_text(report)), np.float64)

    def _times(self, clip: Clip, fps: float, times: Optional[ArrayLike]) -> Doubles:
        if times is None:
            return self.clip_times(clip, fps)
        moments = np.atleast_1d(np.ascontiguousarray(times, np.float64))
        if moments.ndim != 1 or not np.isfinite(moments).all():
            raise Error("times: must be a list of seconds")
        return moments

    def skin_matrices(self, clip: Clip = None, fps: float = 30, times: Optional[ArrayLike] = None) -> Floats:
        """(F, J, 4, 4) float32: M[f, j] @ [x, y, z, 1] takes rest space to posed space.

        times: moments in seconds, in place of `fps` samples a second from the first key on.
        """
        handle, moments = self._open(), self._times(clip, fps, times)
        columns = np.empty((len(moments), self.joint_count, 4, 4), np.float32)
        check(
            lib.pelt_skin_matrices_at(
                handle.pointer, _clip_name(clip), moments.ctypes.data, len(moments), columns.ctypes.data
            )
        )
        return columns.swapaxes(-1, -2)

    def morphed(self, clip: Clip = None, fps: float = 30, times: Optional[ArrayLike] = None) -> Floats:
        """(F, V, 3) float32: the rest positions with the clip's morph targets added, for `deform(..., rest=...)`."""
        handle, moments = self._open(), self._times(clip, fps, times)
        shapes = np.empty((len(moments), self.vertex_count, 3), np.float32)
        for moment, shape in zip(moments, shapes):
            check(lib.pelt_morphed_positions(handle.pointer, _clip_name(clip), float(moment), shape.ctypes.data))
        return shapes

    def with_clips(self, path: Union[str, os.PathLike[str]], progress: Optional[ProgressCallback] = None) -> Character:
        """The same character with the clips of another file before its own; joints are matched by their names."""
        handle, made, call = self._open(), c_void_p(), LongCall(progress)
        call.run(lib.pelt_with_clips, handle.pointer, encoded(path), call.pointer, byref(made))
        return Character(made.value or 0)

    def with_attribute(self, name: str, values: ArrayLike) -> Character:
        """The same character with one more attribute: a number per vertex, (V,). Its name begins with an underscore."""
        handle, made = self._open(), c_void_p()
        numbers = floats("values", values, (self.vertex_count,))
        check(lib.pelt_with_attribute(handle.pointer, encoded(name), numbers.ctypes.data, byref(made)))
        return Character(made.value or 0)

    # ---- Deforming ----

    def deformer(
        self,
        method: str = "ddm",
        progress: Optional[ProgressCallback] = None,
        threads: Optional[int] = None,
        **options: Any,
    ) -> Deformer:
        """Prepares a method of `pelt deform` ("lbs", "dqs", "cor", "dm", "ddm", "eddm", …) with its options."""
        here, named = self._with_maps(options)
        handle, pointer, call = here._open(), c_void_p(), LongCall(progress, threads)
        call.run(
            lib.pelt_deformer_make,
            handle.pointer,
            encoded(str(method)),
            _options.encode(named),
            call.pointer,
            byref(pointer),
        )
        return Deformer(pointer.value or 0, handle)

    def deformer_of(self, prepared: bytes) -> Deformer:
        """A method that was prepared elsewhere for the same character: what `Deformer.to_bytes` gave."""
        handle, pointer = self._open(), c_void_p()
        check(lib.pelt_deformer_load(handle.pointer, bytes(prepared), len(prepared), byref(pointer)))
        return Deformer(pointer.value or 0, handle)

    @overload
    def deform(
        self,
        matrices: ArrayLike,
        method: str = ...,
        normals: Literal[False] = ...,
        threads: Optional[int] = ...,
        progress: Optional[ProgressCallback] = ...,
        rest: Optional[ArrayLike] = ...,
        **options: Any,
    ) -> Floats:
        ...

    @overload
    def deform(
        self,
        matrices: ArrayLike,
        method: str = ...,
        *,
        normals: Literal[True],
        threads: Optional[int] = ...,
        progress: Optional[ProgressCallback] = ...,
        rest: Optional[ArrayLike] = ...,
        **options: Any,
    ) -> tuple[Floats, Floats]:
        ...

    def deform(
        self,
        matrices: ArrayLike,
        method: str = "ddm",
        normals: bool = False,
        threads: Optional[int] = None,
        progress: Optional[ProgressCallback] = None,
        rest: Optional[ArrayLike] = None,
        **options: Any,
    ) -> Union[Floats, tuple[Floats, Floats]]:
        """Poses by matrices (F, J, 4, 4) or (J, 4, 4): (F, V, 3) or (V, 3) float32, in posed space.

        normals: also unit normals, as a second array of the same shape.
        threads: 0 for all cores; by default it works on the calling thread.
        rest: (V, 3) or (F, V, 3) rest positions to pose in place of the character's own; see `morphed`.
        """
        out, turned = self.deformer(method, progress, **options)._frames(matrices, normals, threads, progress, rest)
        return out if turned is None else (out, turned)

    def poser(self, progress: Optional[ProgressCallback] = None, **options: Any) -> Poser:
        """Posing step by step by handles, with options of `pelt pose`. With keep_lengths or limits joints are rigid, and
        the pose is the one that `pelt pose` finds; otherwise, or with free, they may stretch. A mesh without joints is
        posed by points, regions and segments.
        """
        handle, pointer, call = self._open(), c_void_p(), LongCall(progress)
        call.run(lib.pelt_poser_make, handle.pointer, _options.encode(options), call.pointer, byref(pointer))
        return Poser(pointer.value or 0, handle)

    def _with_maps(self, options: dict[str, Any]) -> tuple[Character, dict[str, Any]]:
        """Maps that are given as arrays become attributes of the character."""
        here, named = self, dict(options)
        for name, value in options.items():
            is_map = name.endswith("_map") or name == "translations"
            if is_map and value is not None and not isinstance(value, str):
                named[name] = f"_PELT_{name.removesuffix('_map').upper()}"
                here = here.with_attribute(named[name], floats(name, value, (self.vertex_count,)))
        return here, named

    # ---- Files ----

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes .glb, .gltf or .vrm, where what Pelt does not change of a loaded file is kept; or .fbx, which cannot
        store the data of Direct Delta Mush.
        """
        handle = self._open()
        check(lib.pelt_save(handle.pointer, encoded(path)))

    def to_bytes(self) -> bytes:
        """The bytes of a .glb."""
        handle, data, size = self._open(), c_void_p(), c_size_t()
        check(lib.pelt_save_bytes(handle.pointer, byref(data), byref(size)))
        return take_bytes(data, size.value)

    def to_fbx(self, up: Literal["y", "z"] = "y") -> bytes:
        """The bytes of an .fbx, with y or z up."""
        if up not in ("y", "z"):
            raise ValueError(f"up: '{up}' is neither y nor z")
        handle, data, size = self._open(), c_void_p(), c_size_t()
        check(lib.pelt_save_fbx(handle.pointer, int(up == "z"), byref(data), byref(size)))
        return take_bytes(data, size.value)


_table.show_options(Character.deformer, _table.method_options())
_table.show_options(Character.deform, _table.method_options())
_table.show_options(Character.poser, _table.poser_options())
