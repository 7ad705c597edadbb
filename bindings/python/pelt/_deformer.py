"""A method prepared for one character, and a character held by handles."""
from __future__ import annotations

import threading
from ctypes import POINTER, byref, c_double, c_float, c_size_t, c_void_p, string_at
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _options
from ._arrays import (
    ArrayLike,
    Doubles,
    Floats,
    address,
    by_columns,
    doubles,
    floats,
    matrices as read_matrices,
    output,
)
from ._handle import Handle
from ._library import Error, LongCall, ProgressCallback, check, encoded, lib

if TYPE_CHECKING:
    from ._character import Character


class Deformer:
    """A method prepared for one character, from `Character.deformer`. Call it with a pose.

    It works on the calling thread and releases the GIL. One deformer serves one thread at a time: calls from several
    threads wait for each other, so give each thread its own, or use `Character.deform(..., threads=0)`.
    """

    def __init__(self, pointer: int, character: Handle) -> None:
        self._handle = Handle(pointer, lib.pelt_deformer_free)
        self._character = character  # the library's deformer refers to it
        self._joints = int(lib.pelt_joint_count(character.pointer))
        self._shape = (int(lib.pelt_vertex_count(character.pointer)), 3)
        self._columns = np.empty((self._joints, 4, 4), np.float32)
        self._lock = threading.Lock()

    def __call__(self, matrices: ArrayLike, out: Optional[Floats] = None, normals: Optional[Floats] = None) -> Floats:
        """Poses all vertices; returns `out`, (V, 3) float32, in posed space.

        matrices: (J, 4, 4), matrices[j] @ [x, y, z, 1] takes rest space to posed space. The last row is 0 0 0 1.
        out: a (V, 3) float32 array to write into; then nothing is allocated.
        normals: a (V, 3) float32 array that gets unit normals.
        """
        array = read_matrices("matrices", matrices, self._joints)
        if array.ndim != 3:
            raise Error(f"matrices: has shape {array.shape}; a deformer takes one pose, ({self._joints}, 4, 4)")
        out = np.empty(self._shape, np.float32) if out is None else output("out", out, self._shape)
        if normals is not None:
            output("normals", normals, self._shape)
        with self._lock:
            columns = array.swapaxes(-1, -2)
            if not (columns.flags.c_contiguous and columns.dtype == np.float32):
                self._columns[...] = columns
                columns = self._columns
            check(
                lib.pelt_deformer_evaluate(self._handle.pointer, columns.ctypes.data, out.ctypes.data, address(normals))
            )
        return out

    def at(
        self,
        clip: "str | int | None",
        seconds: float = 0,
        out: Optional[Floats] = None,
        normals: Optional[Floats] = None,
    ) -> Floats:
        """What `pelt deform` writes at a moment of a clip, (V, 3) float32: joints, morph targets, and props that move
        with other nodes. None: the rest pose of the nodes. `set_rest` is ignored.
        """
        out = np.empty(self._shape, np.float32) if out is None else output("out", out, self._shape)
        if normals is not None:
            output("normals", normals, self._shape)
        name = None if clip is None else encoded(str(clip))
        with self._lock:
            check(
                lib.pelt_deformer_evaluate_at(
                    self._handle.pointer, name, float(seconds), out.ctypes.data, address(normals)
                )
            )
        return out

    def to_bytes(self) -> bytes:
        """What was prepared, for `Character.deformer_of` in another process. The iterative Delta Mush has none."""
        pointer, size = c_void_p(), c_size_t()
        with self._lock:
            check(lib.pelt_deformer_save(self._handle.pointer, byref(pointer), byref(size)))
        try:
            return string_at(pointer.value or 0, size.value)
        finally:
            lib.pelt_free(pointer)

    def set_rest(self, positions: Optional[ArrayLike] = None) -> None:
        """(V, 3) rest positions, copied, that are posed from now on in place of the character's own, such as a morphed
        shape; normals are then those of the new shape. None: the character's own again.
        """
        shape = None if positions is None else floats("positions", positions, self._shape)
        with self._lock:
            self._set_rest(shape)

    def _set_rest(self, shape: Optional[Floats]) -> None:
        check(lib.pelt_deformer_set_rest(self._handle.pointer, address(shape)))

    def _frames(
        self,
        matrices: ArrayLike,
        normals: bool,
        threads: Optional[int],
        progress: Optional[ProgressCallback],
        rest: Optional[ArrayLike],
    ) -> "tuple[Floats, Optional[Floats]]":
        """Positions and, where asked for, normals of (F, J, 4, 4); used by Character.deform."""
        columns = by_columns(read_matrices("matrices", matrices, self._joints))
        shape = columns.shape[:-3] + self._shape
        out, turned = np.empty(shape, np.float32), np.empty(shape, np.float32) if normals else None
        shapes = None if rest is None else self._rest_of_frames(rest, shape)
        call = LongCall(progress, 1 if threads is None else threads)
        with self._lock:
            if shapes is not None and shapes.ndim == 3:
                for f in range(len(columns)):
                    self._set_rest(shapes[f])
                    self._evaluate(columns[f], 1, out[f], None if turned is None else turned[f], call)
            else:
                self._set_rest(shapes)
                self._evaluate(columns, columns.size // (16 * self._joints), out, turned, call)
        return out, turned

    def _rest_of_frames(self, rest: ArrayLike, shape: "tuple[int, ...]") -> Floats:
        """(V, 3), or one for each frame."""
        return floats("rest", rest, shape if np.ndim(rest) == 3 else self._shape)

    def _evaluate(self, columns: Floats, count: int, out: Floats, normals: Optional[Floats], call: LongCall) -> None:
        call.run(
            lib.pelt_deformer_evaluate_frames,
            self._handle.pointer,
            columns.ctypes.data,
            count,
            out.ctypes.data,
            address(normals),
            call.pointer,
        )


class Poser:
    """A character, or a mesh without joints, held by handles, from `Character.poser`: set them, step, look.

    One poser serves one thread at a time.
    """

    #: The energy after the last step; of rigid joints, the largest distance of a handle from its target.
    energy: Optional[float]

    def __init__(self, pointer: int, character: Handle) -> None:
        self._handle = Handle(pointer, lib.pelt_poser_free)
        self._character = character
        self._joints = int(lib.pelt_joint_count(character.pointer))
        self._vertices = int(lib.pelt_vertex_count(character.pointer))
        self._lock = threading.Lock()
        self.energy = None

    def set_handles(self, handles: Any) -> None:
        """The list of handles, or the whole object of a handles file (docs/pose.md).

        A handle is a dict: {"joint": name, "constraint": "hold" | "position" | "rotation" | "full" | "free", ...} or
        {"point": [x, y, z], "constraint": "position", "target": [x, y, z]}, in rest space; instead of a point, a
        "region" of vertices, or on a mesh without joints a "segment" of two places. Setting the same handles with
        other targets or constraints is cheap, and the pose goes on from where it is. To drag one, see `set_target`.
        """
        text = _options.handles(handles)
        with self._lock:
            check(lib.pelt_poser_set_handles(self._handle.pointer, text))

    def prepare(self, handles: Any) -> None:
        """Handles of a mesh without joints that will be set: starts to prepare for their places in the background, while
        those that were set stay draggable. `set_handles` is quick once `prepared` is 1, and waits otherwise. None ends
        the preparation.
        """
        text = None if handles is None else _options.handles(handles)
        with self._lock:
            check(lib.pelt_poser_prepare(self._handle.pointer, text))

    @property
    def prepared(self) -> float:
        """How far the preparation is that `prepare` has started, from 0 to 1."""
        with self._lock:
            return float(lib.pelt_poser_prepared(self._handle.pointer))

    def set_target(self, handle: int, target: ArrayLike) -> None:
        """Drags a handle that has a target, counted as in the list that was set: (3,) numbers."""
        self._drag(lib.pelt_poser_set_target, handle, doubles("target", target, (3,)))

    def set_rotation(self, handle: int, degrees: ArrayLike) -> None:
        """Turns a handle that has a rotation: (3,) degrees about x, then y, then z."""
        self._drag(lib.pelt_poser_set_rotation, handle, doubles("degrees", degrees, (3,)))

    def set_transform(self, handle: int, matrix: ArrayLike) -> None:
        """Moves a handle that has a transform: (4, 4), matrix @ [x, y, z, 1] takes rest space to posed space."""
        columns = np.ascontiguousarray(doubles("matrix", matrix, (4, 4)).T)
        self._drag(lib.pelt_poser_set_transform, handle, columns)

    def _drag(self, call: Any, handle: int, value: Doubles) -> None:
        with self._lock:
            check(call(self._handle.pointer, int(handle), value.ctypes.data))

    def clip(self) -> "Character":
        """The character with the clip that `pelt pose` makes of these handles as its first; only with rigid joints."""
        from ._character import Character

        made = c_void_p()
        with self._lock:
            check(lib.pelt_poser_clip(self._handle.pointer, None, byref(made)))
        return Character(made.value or 0)

    def positions(self, out: Optional[Floats] = None) -> Floats:
        """(V, 3) float32, in posed space: what is seen in the pose of the last step, extra weights included.

        out: a (V, 3) float32 array to write into; then nothing is allocated.
        """
        shape = (self._vertices, 3)
        out = np.empty(shape, np.float32) if out is None else output("out", out, shape)
        with self._lock:
            check(lib.pelt_poser_positions(self._handle.pointer, out.ctypes.data))
        return out

    def transforms(self) -> Floats:
        """(N, 4, 4) float32, from where the free pose starts to the pose: those of the joints of all skins, which are
        the handles of a mesh without joints, then those of the extra weights, which are added to the blend of the
        others. Empty for rigid joints.
        """
        pointer = POINTER(c_float)()
        with self._lock:
            count = int(lib.pelt_poser_transforms(self._handle.pointer, byref(pointer)))
            columns = np.ctypeslib.as_array(pointer, (count, 4, 4)).copy() if count else np.empty((0, 4, 4), np.float32)
        return columns.swapaxes(-1, -2)

    @property
    def energies(self) -> Doubles:
        """(N,) float64: the energy after each iteration of the last step of a free pose; it never rises."""
        pointer = POINTER(c_double)()
        with self._lock:
            count = int(lib.pelt_poser_energies(self._handle.pointer, byref(pointer)))
            return np.ctypeslib.as_array(pointer, (count,)).copy() if count else np.empty(0)

    def step(self, iterations: int = 30) -> Floats:
        """Goes on by at most so many iterations; (J, 4, 4) float32, as `Character.skin_matrices` gives them. A mesh
        without joints has none: see `positions` and `transforms`.

        Rigid joints are solved to the end; `energy` is then the largest distance of a handle from its target.
        """
        energy = c_double()
        columns = np.empty((self._joints, 4, 4), np.float32)
        with self._lock:
            check(lib.pelt_poser_step(self._handle.pointer, int(iterations), byref(energy)))
            lib.pelt_poser_matrices(self._handle.pointer, columns.ctypes.data)
        self.energy = energy.value
        return columns.swapaxes(-1, -2)
