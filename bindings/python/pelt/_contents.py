"""The arrays that a character consists of."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from ._arrays import Floats, view
from ._handle import Handle
from ._library import Error, check, lib

Report = dict[str, Any]


class Contents:
    """What a character consists of; `Character` has it all."""

    #: What the verb that made the character reported (`pelt VERB --json`), with its warnings; {} for a loaded one.
    report: Report
    #: What else it made, where that was asked for, by its name.
    outputs: dict[str, Floats]

    def __init__(self, pointer: int, report: Optional[Report] = None) -> None:
        self._handle: Optional[Handle] = Handle(pointer, lib.pelt_character_free)
        self.report, self.outputs = report or {}, {}

    def _open(self) -> Handle:
        """The handle, which whoever calls the library holds until the call is over."""
        if self._handle is None:
            raise Error("the character is closed")
        return self._handle

    def close(self) -> None:
        """Gives the memory back, as soon as no view, deformer or poser needs it. The character cannot be used then."""
        self._handle = None

    def __repr__(self) -> str:
        if self._handle is None:
            return "<pelt.Character: closed>"
        clips = len(self.clips)
        return (
            f"<pelt.Character: {self.vertex_count} vertices, {len(self.triangles)} triangles, {self.joint_count} "
            f"joints, {clips} clip{'' if clips == 1 else 's'}>"
        )

    @property
    def vertex_count(self) -> int:
        """V."""
        handle = self._open()
        return int(lib.pelt_vertex_count(handle.pointer))

    @property
    def joint_count(self) -> int:
        """J."""
        handle = self._open()
        return int(lib.pelt_joint_count(handle.pointer))

    @property
    def positions(self) -> Floats:
        """(V, 3) float32, rest space: the vertices of the skinned mesh, then those of the props."""
        handle = self._open()
        return view(lib.pelt_positions(handle.pointer), np.float32, (self.vertex_count, 3), handle)

    @property
    def triangles(self) -> npt.NDArray[np.uint32]:
        """(T, 3) uint32: the vertices of each triangle."""
        handle = self._open()
        shape = (int(lib.pelt_triangle_count(handle.pointer)), 3)
        return view(lib.pelt_triangles(handle.pointer), np.uint32, shape, handle)

    @property
    def joints(self) -> list[str]:
        """Names of the joints, in the order of `pelt info`: parents before children. All arrays of joints follow it."""
        handle = self._open()
        return [lib.pelt_joint_name(handle.pointer, j).decode() for j in range(self.joint_count)]

    @property
    def parents(self) -> npt.NDArray[np.int32]:
        """(J,) int32: the parent of each joint, -1 for roots."""
        handle = self._open()
        return np.array([lib.pelt_joint_parent(handle.pointer, j) for j in range(self.joint_count)], np.int32)

    @property
    def bind_matrices(self) -> Floats:
        """(J, 4, 4) float32: the joints' world matrices at bind; column 3 is a joint's place in rest space."""
        handle = self._open()
        columns = np.empty((self.joint_count, 4, 4), np.float32)
        check(lib.pelt_joint_binds(handle.pointer, columns.ctypes.data))
        return columns.swapaxes(-1, -2)

    @property
    def clips(self) -> list[str]:
        """Names of the clips."""
        handle = self._open()
        return [lib.pelt_clip_name(handle.pointer, c).decode() for c in range(lib.pelt_clip_count(handle.pointer))]

    def _weight_rows(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
        handle = self._open()
        offsets = view(lib.pelt_weight_offsets(handle.pointer), np.uint64, (self.vertex_count + 1,), handle)
        shape = (int(offsets[-1]),)
        return (
            offsets.astype(np.int64),
            view(lib.pelt_weight_joints(handle.pointer), np.uint32, shape, handle),
            view(lib.pelt_weight_values(handle.pointer), np.float32, shape, handle),
        )

    @property
    def weights(self) -> Any:
        """(V, J) scipy.sparse.csr_matrix, float32: a copy of yours. Without SciPy use `weights_dense()`."""
        try:
            from scipy.sparse import csr_matrix
        except ImportError:
            raise Error("weights: SciPy is not installed; weights_dense() works without it") from None
        offsets, joints, values = self._weight_rows()
        shape = (self.vertex_count, self.joint_count)
        return csr_matrix((values.copy(), joints.astype(np.int32), offsets), shape=shape)

    def weights_dense(self) -> Floats:
        """(V, J) float32. Rows sum up to 1, or are 0 where the character has no weights."""
        offsets, joints, values = self._weight_rows()
        dense = np.zeros((self.vertex_count, self.joint_count), np.float32)
        dense[np.repeat(np.arange(self.vertex_count), np.diff(offsets)), joints] = values
        return dense
