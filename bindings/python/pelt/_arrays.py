"""NumPy arrays in and out: checked, and copied only where their layout asks for it."""
from __future__ import annotations

import ctypes
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from ._library import Error

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

#: Whatever NumPy reads as an array: lists, arrays, and objects with __array__ or __dlpack__ (tensors of PyTorch, JAX).
ArrayLike = Any


def view(pointer: Any, dtype: Any, shape: tuple[int, ...], owner: object) -> npt.NDArray[Any]:
    """Memory of a handle as a read-only array that keeps the handle alive."""
    count = int(np.prod(shape))
    if count == 0:
        array: npt.NDArray[Any] = np.zeros(shape, dtype)
    else:
        memory = (pointer._type_ * count).from_address(ctypes.addressof(pointer.contents))
        memory.owner = owner  # NumPy keeps `memory`, and that the handle
        array = np.frombuffer(memory, dtype=dtype).reshape(shape)
    array.flags.writeable = False
    return array


def _as_array(name: str, value: ArrayLike) -> npt.NDArray[Any]:
    """What has __array__ or __dlpack__, or nested lists, as an array, without a copy where there is one already."""
    if value is None:
        raise Error(f"{name}: is None; it must be an array")
    try:
        if not hasattr(value, "__array__") and hasattr(value, "__dlpack__"):
            return np.from_dlpack(value)
        return np.asarray(value)
    except Exception as fault:  # a tensor on a GPU, one that needs a gradient, lists of unequal lengths
        raise Error(f"{name}: cannot be read as an array ({fault})") from None


def _shape_text(shape: tuple[Optional[int], ...]) -> str:
    sizes = ", ".join("n" if size is None else str(size) for size in shape)
    return f"({sizes},)" if len(shape) == 1 else f"({sizes})"


def _check_shape(name: str, array: npt.NDArray[Any], shape: tuple[Optional[int], ...]) -> None:
    same = array.ndim == len(shape) and all(want is None or have == want for have, want in zip(array.shape, shape))
    if not same:
        raise Error(f"{name}: has shape {array.shape}; it must be {_shape_text(shape)}")


def _check_finite(name: str, array: npt.NDArray[Any]) -> None:
    finite = np.isfinite(array)
    if not finite.all():
        where = tuple(int(i) for i in np.argwhere(~finite)[0])
        raise Error(f"{name}: the number at {where} is not finite", "bad_input")


def floats(name: str, value: ArrayLike, shape: tuple[Optional[int], ...]) -> Floats:
    """`value` as a C-contiguous float32 array; None in `shape` stands for any size."""
    return _reals(name, value, np.float32, shape)


def doubles(name: str, value: ArrayLike, shape: tuple[Optional[int], ...]) -> Doubles:
    """The same as float64."""
    return _reals(name, value, np.float64, shape)


def _reals(name: str, value: ArrayLike, dtype: Any, shape: tuple[Optional[int], ...]) -> npt.NDArray[Any]:
    array = _as_array(name, value)
    _check_shape(name, array, shape)
    if array.dtype.kind not in "fiu":
        raise Error(f"{name}: has dtype {array.dtype}; it must be real numbers")
    with np.errstate(over="ignore"):  # what float32 cannot hold is not finite
        converted = np.ascontiguousarray(array, dtype=dtype)
    _check_finite(name, converted)
    return converted


def integers(name: str, value: ArrayLike, dtype: Any, shape: tuple[Optional[int], ...]) -> npt.NDArray[Any]:
    """`value` as a C-contiguous array of that integer type, which must hold its numbers."""
    array = _as_array(name, value)
    _check_shape(name, array, shape)
    if array.dtype.kind not in "iu" and array.size > 0:
        raise Error(f"{name}: has dtype {array.dtype}; it must be integers")
    limits = np.iinfo(dtype)
    if array.size > 0 and (int(array.min()) < limits.min or int(array.max()) > limits.max):
        wrong = int(array.min()) if int(array.min()) < limits.min else int(array.max())
        raise Error(f"{name}: has the number {wrong}; it must be from {limits.min} to {limits.max}", "bad_input")
    return np.ascontiguousarray(array, dtype=dtype)


def matrices(name: str, value: ArrayLike, joints: int) -> npt.NDArray[Any]:
    """(F, J, 4, 4) or (J, 4, 4) of any real dtype, its numbers not checked."""
    array = _as_array(name, value)
    if array.ndim not in (3, 4) or array.shape[-3:] != (joints, 4, 4):
        raise Error(f"{name}: has shape {array.shape}; it must be (frames, {joints}, 4, 4) or ({joints}, 4, 4)")
    if array.dtype.kind not in "fiu":
        raise Error(f"{name}: has dtype {array.dtype}; it must be real numbers")
    return array


def by_columns(array: npt.NDArray[Any]) -> Floats:
    """Matrices as the library takes them. Those of skin_matrices are stored so, and are not copied."""
    return np.ascontiguousarray(array.swapaxes(-1, -2), dtype=np.float32)


def output(name: str, out: Any, shape: tuple[int, ...]) -> Floats:
    """An array that the library writes into."""
    if not isinstance(out, np.ndarray) or out.dtype != np.float32 or out.shape != shape:
        have = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise Error(f"{name}: is {have}; it must be a float32 array of shape {shape}")
    if not (out.flags.c_contiguous and out.flags.writeable):
        raise Error(f"{name}: must be contiguous and writable")
    return out


def address(array: Optional[npt.NDArray[Any]]) -> Optional[int]:
    return None if array is None else array.ctypes.data
