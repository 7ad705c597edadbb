"""Characters: what they consist of, what they give, and what can be made of them."""
from __future__ import annotations

import json
import os
from ctypes import byref, c_size_t, c_void_p
from typing import Any, Literal, Optional, Union, overload

import numpy as np

from . import _options
from ._arrays import ArrayLike, Doubles, Floats, floats
from ._contents import Contents, Report
from ._deformer import Deformer, Poser
from ._library import Error, LongCall, ProgressCallback, check, lib, take_bytes, take_text

Clip = Union[str, int, None]


def _clip_name(clip: Clip) -> bytes:
    return str(0 if clip is None else clip).encode()


class Character(Contents):
    """A mesh on a skeleton, from `pelt.load`, `pelt.sample` or `pelt.character`.

    V vertices, T triangles, J joints. Rest space is that of `positions`, posed space that of the scene; in most files
    they are the same. Characters are immutable: `mush`, `bind`, `bake`, `fit` and `pose` return new ones. Arrays are
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
        check(lib.pelt_skin_matrices_at(handle.pointer, _clip_name(clip), moments.ctypes.data, len(moments),
                                        columns.ctypes.data))
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
        call.run(lib.pelt_with_clips, handle.pointer, os.fsencode(path), call.pointer, byref(made))
        return Character(made.value or 0)

    def with_attribute(self, name: str, values: ArrayLike) -> Character:
        """The same character with a number for each vertex, (V,), more. Its name begins with an underscore."""
        handle, made = self._open(), c_void_p()
        numbers = floats("values", values, (self.vertex_count,))
        check(lib.pelt_with_attribute(handle.pointer, name.encode(), numbers.ctypes.data, byref(made)))
        return Character(made.value or 0)

    # ---- Deforming ----

    def deformer(self, method: str = "ddm", progress: Optional[ProgressCallback] = None,
                 threads: Optional[int] = None, **options: Any) -> Deformer:
        """Prepares a method of `pelt deform` ("lbs", "dqs", "cor", "dm", "ddm", "eddm", …) with its options."""
        here, named = self._with_maps(options)
        handle, pointer, call = here._open(), c_void_p(), LongCall(progress, threads)
        call.run(lib.pelt_deformer_make, handle.pointer, str(method).encode(), _options.encode(named), call.pointer,
                 byref(pointer))
        return Deformer(pointer.value or 0, handle)

    def deformer_of(self, prepared: bytes) -> Deformer:
        """A method that was prepared elsewhere for the same character: what `Deformer.to_bytes` gave."""
        handle, pointer = self._open(), c_void_p()
        check(lib.pelt_deformer_load(handle.pointer, bytes(prepared), len(prepared), byref(pointer)))
        return Deformer(pointer.value or 0, handle)

    @overload
    def deform(self, matrices: ArrayLike, method: str = ..., normals: Literal[False] = ...,
               threads: Optional[int] = ..., progress: Optional[ProgressCallback] = ...,
               rest: Optional[ArrayLike] = ..., **options: Any) -> Floats: ...

    @overload
    def deform(self, matrices: ArrayLike, method: str = ..., *, normals: Literal[True], threads: Optional[int] = ...,
               progress: Optional[ProgressCallback] = ..., rest: Optional[ArrayLike] = ...,
               **options: Any) -> tuple[Floats, Floats]: ...

    def deform(self, matrices: ArrayLike, method: str = "ddm", normals: bool = False, threads: Optional[int] = None,
               progress: Optional[ProgressCallback] = None, rest: Optional[ArrayLike] = None,
               **options: Any) -> Union[Floats, tuple[Floats, Floats]]:
        """Poses by matrices (F, J, 4, 4) or (J, 4, 4): (F, V, 3) or (V, 3) float32, in posed space.

        normals: also unit normals, as a second array of the same shape.
        threads: 0 for all cores; by default it works on the calling thread.
        rest: (V, 3) or (F, V, 3) rest positions to pose in place of the character's own; see `morphed`.
        """
        out, turned = self.deformer(method, progress, **options)._frames(matrices, normals, threads, progress, rest)
        return out if turned is None else (out, turned)

    def poser(self, progress: Optional[ProgressCallback] = None, **options: Any) -> Poser:
        """Posing step by step by handles; options as `pelt pose` has them: energy, clusters, extra_weights, extra_kind,
        clip and at (the pose to start from), keep_lengths, limits. With keep_lengths or limits joints are rigid, and
        the pose is the one that `pelt pose` finds; otherwise they may stretch.
        """
        handle, pointer, call = self._open(), c_void_p(), LongCall(progress)
        call.run(lib.pelt_poser_make, handle.pointer, _options.encode(options), call.pointer, byref(pointer))
        return Poser(pointer.value or 0, handle)

    # ---- Making: what the verbs of the program do ----

    def _with_maps(self, options: dict[str, Any]) -> tuple[Character, dict[str, Any]]:
        """Maps that are given as arrays become attributes of the character."""
        here, named = self, dict(options)
        for option, attribute in _options.MAPS.items():
            value = named.get(option)
            if value is not None and not isinstance(value, str):
                here = here.with_attribute(attribute, floats(option, value, (self.vertex_count,)))
                named[option] = attribute
        return here, named

    def _make(self, verb: str, options: dict[str, Any], progress: Optional[ProgressCallback], threads: Optional[int],
              *arguments: Any) -> Character:
        here, named = self._with_maps(options)
        handle, made, report, call = here._open(), c_void_p(), c_void_p(), LongCall(progress, threads)
        try:
            call.run(getattr(lib, f"pelt_{verb}"), handle.pointer, *arguments, _options.encode(named), call.pointer,
                     byref(made), byref(report))
        except BaseException:  # a gate that is missed, or Ctrl-C at the last moment, comes with a result
            lib.pelt_character_free(made)
            lib.pelt_free(report)
            raise
        return Character(made.value or 0, json.loads(take_text(report)))

    def mush(self, progress: Optional[ProgressCallback] = None, threads: Optional[int] = None,
             **options: Any) -> Character:
        """Direct Delta Mush, stored in the character; options as `pelt mush` has them, such as kappa=0.5, lambda_=3.

        lambda_map, kappa_map, alpha_map: a number for each vertex, (V,), or the name of an attribute.
        """
        return self._make("mush", options, progress, threads)

    def bind(self, method: str = "rigid", progress: Optional[ProgressCallback] = None, threads: Optional[int] = None,
             **options: Any) -> Character:
        """Weights for the skeleton: "rigid" or "bbw"; options as `pelt bind` has them, such as influences=4."""
        return self._make("bind", {"method": method, **options}, progress, threads)

    def transfer(self, to: Character, progress: Optional[ProgressCallback] = None, threads: Optional[int] = None,
                 **options: Any) -> Character:
        """`to` with the skin of this character; options as `pelt transfer` has them, such as distance=0.1."""
        handle = to._open()
        return self._make("transfer", options, progress, threads, handle.pointer)

    def bake(self, progress: Optional[ProgressCallback] = None, threads: Optional[int] = None,
             **options: Any) -> tuple[Character, Report]:
        """A deformer as a plain skin, and the report of `pelt bake`; options such as influences=4, helpers=8.

        from_: the method, or frames (F, V, 3) that were deformed already, one for each sample of the clip.
        """
        frames = options.pop("from_", options.pop("from", None))
        if frames is None or isinstance(frames, (str, os.PathLike)):
            made = self._make("bake", {"from": frames, **options}, progress, threads)
        else:
            shapes = floats("from_", frames, (None, self.vertex_count, 3))
            made = self._make("bake_frames", options, progress, threads, shapes.ctypes.data, len(shapes))
        return made, made.report

    def clean(self, progress: Optional[ProgressCallback] = None, threads: Optional[int] = None,
              **options: Any) -> tuple[Character, Report]:
        """Without tiny weights and repeated keys, and the report of `pelt clean`; options such as threshold=1e-4."""
        made = self._make("clean", options, progress, threads)
        return made, made.report

    def limit(self, progress: Optional[ProgressCallback] = None, threads: Optional[int] = None,
              **options: Any) -> tuple[Character, Report]:
        """Fewer joints, and the report of `pelt limit`; options such as influences=4, max_joints=64."""
        made = self._make("limit", options, progress, threads)
        return made, made.report

    def mirror(self, progress: Optional[ProgressCallback] = None, threads: Optional[int] = None,
               **options: Any) -> tuple[Character, Report]:
        """One side with the skin of the other, and the report of `pelt mirror`; options such as from_="left"."""
        made = self._make("mirror", options, progress, threads)
        return made, made.report

    def fit(self, examples: ArrayLike, progress: Optional[ProgressCallback] = None, threads: Optional[int] = None,
            **options: Any) -> tuple[Character, Report]:
        """A skin from example shapes (F, V, 3), one for each sample of a clip, and the report of `pelt fit`."""
        frames = floats("examples", examples, (None, self.vertex_count, 3))
        made = self._make("fit", options, progress, threads, frames.ctypes.data, len(frames))
        return made, made.report

    def pose(self, handles: Any, progress: Optional[ProgressCallback] = None, threads: Optional[int] = None,
             **options: Any) -> tuple[Character, Report]:
        """The character with a clip of the pose that handles ask for, and the report of `pelt pose`."""
        asked = handles if isinstance(handles, dict) else {"handles": handles}
        made = self._make("pose", options, progress, threads, _options.encode(asked))
        return made, made.report

    def pack(self, method: Optional[str] = None, progress: Optional[ProgressCallback] = None,
             threads: Optional[int] = None, **options: Any) -> bytes:
        """The bytes of a .peltrig for engines that link pelt::runtime, as `pelt pack` writes them."""
        handle, data, size, call = self._open(), c_void_p(), c_size_t(), LongCall(progress, threads)
        call.run(lib.pelt_pack, handle.pointer, None if method is None else method.encode(), _options.encode(options),
                 call.pointer, byref(data), byref(size))
        return take_bytes(data, size.value)

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes .glb or .gltf; what Pelt does not change of a loaded file is kept."""
        handle = self._open()
        check(lib.pelt_save(handle.pointer, os.fsencode(path)))

    def to_bytes(self) -> bytes:
        """The bytes of a .glb."""
        handle, data, size = self._open(), c_void_p(), c_size_t()
        check(lib.pelt_save_bytes(handle.pointer, byref(data), byref(size)))
        return take_bytes(data, size.value)
