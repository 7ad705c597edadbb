"""Characters from files, bytes, arrays and mesh sequences; sequences compared."""
from __future__ import annotations

import ctypes
import json
import os
from ctypes import byref, c_void_p
from typing import Any, Iterable, Optional, Union

import numpy as np
import numpy.typing as npt

from ._arrays import ArrayLike, address, floats, integers
from ._character import Character
from ._library import Arrays, Error, LongCall, ProgressCallback, check, encoded, lib, take_text


def load(path: Union[str, os.PathLike[str]], progress: Optional[ProgressCallback] = None) -> Character:
    """Reads .glb .gltf .vrm, .fbx, and .dae where the library assimp is installed; .obj .ply .off are meshes without
    joints.
    """
    pointer, call = c_void_p(), LongCall(progress)
    call.run(lib.pelt_load, encoded(path), call.pointer, byref(pointer))
    return Character(pointer.value or 0)


def loads(data: Union[bytes, bytearray, memoryview], name: Optional[str] = None) -> Character:
    """Reads the bytes of a .glb, as `Character.to_bytes` gives them, of an .fbx, or of an .obj, .ply or .off; messages call it
    `name`.
    """
    pointer, call, content = c_void_p(), LongCall(), bytes(data)
    call.run(
        lib.pelt_load_bytes,
        content,
        len(content),
        None if name is None else encoded(name),
        call.pointer,
        byref(pointer),
    )
    return Character(pointer.value or 0)


def samples() -> list[str]:
    """Names of the built-in characters."""
    names = c_void_p()
    check(lib.pelt_samples(byref(names)))
    return list(json.loads(take_text(names)))


def character(
    positions: ArrayLike,
    triangles: ArrayLike,
    joints: Iterable[str],
    parents: ArrayLike,
    bind: ArrayLike,
    weights: Any = None,
) -> Character:
    """A character from arrays alone.

    positions: (V, 3), rest space. triangles: (T, 3) integers. joints: J names. parents: (J,) integers, -1 for roots;
    parents come before their children. bind: (J, 4, 4), the joints' world matrices at bind. weights: (V, J), dense or
    SciPy sparse, at least 0 and divided by their sum; None for a character that is bound later.
    """
    points = floats("positions", positions, (None, 3))
    faces = integers("triangles", triangles, np.uint32, (None, 3))
    names = [encoded(str(name)) for name in joints]
    above = integers("parents", parents, np.int32, (len(names),))
    columns = np.ascontiguousarray(floats("bind", bind, (len(names), 4, 4)).swapaxes(-1, -2))
    rows = (None, None, None) if weights is None else _rows(weights, (len(points), len(names)))
    named = (ctypes.c_char_p * max(len(names), 1))(*names)
    arrays = Arrays(
        ctypes.sizeof(Arrays),
        points.ctypes.data,
        len(points),
        faces.ctypes.data,
        len(faces),
        named,
        above.ctypes.data,
        columns.ctypes.data,
        len(names),
        *map(address, rows),
    )
    pointer = c_void_p()
    check(lib.pelt_make(byref(arrays), byref(pointer)))
    return Character(pointer.value or 0)


def _rows(weights: Any, shape: tuple[int, int]) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Compressed rows of weights: offsets, joints, values."""
    if hasattr(weights, "tocsr"):
        sparse = weights.tocsr()
        if sparse.shape != shape:
            raise Error(f"weights: has shape {sparse.shape}; it must be {shape}")
        return (
            np.ascontiguousarray(sparse.indptr, np.uint64),
            np.ascontiguousarray(sparse.indices, np.uint32),
            floats("weights", sparse.data, (None,)),
        )
    dense = floats("weights", weights, shape)
    vertices, joints = np.nonzero(dense)
    offsets = np.zeros(shape[0] + 1, np.uint64)
    np.cumsum(np.bincount(vertices, minlength=shape[0]), out=offsets[1:], dtype=np.uint64)
    return offsets, joints.astype(np.uint32), np.ascontiguousarray(dense[vertices, joints])
