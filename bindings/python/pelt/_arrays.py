"""NumPy arrays in and out: checked, and copied only where their layout asks for it."""
import ctypes

import numpy as np

from ._library import Error


def view(pointer, shape, owner):
    """Memory of a handle as a read-only array that keeps the handle alive."""
    count = int(np.prod(shape))
    if count == 0:
        return np.zeros(shape, dtype=np.ctypeslib.as_array(pointer, (1,)).dtype if pointer else np.float32)
    memory = (pointer._type_ * count).from_address(ctypes.addressof(pointer.contents))
    memory.owner = owner  # NumPy keeps `memory`, and that the handle
    array = np.frombuffer(memory, dtype=pointer._type_).reshape(shape)
    array.flags.writeable = False
    return array


def taken(name, value, dtype, shape):
    """`value` as a C-contiguous array of that dtype; None in `shape` stands for any size.

    Takes what has __array__ or __dlpack__. Raises Error that names the argument.
    """
    if not hasattr(value, "__array__") and hasattr(value, "__dlpack__"):
        value = np.from_dlpack(value)
    try:
        array = np.ascontiguousarray(value, dtype=dtype)
    except (TypeError, ValueError) as fault:
        raise Error(f"{name}: cannot be read as an array of {np.dtype(dtype)} ({fault})") from None
    if np.ndim(value) == 0 and len(shape) > 0:
        array = array.reshape(())
    fits = array.ndim == len(shape) and all(want is None or have == want for have, want in zip(array.shape, shape))
    if not fits:
        wanted = ", ".join("n" if size is None else str(size) for size in shape)
        raise Error(f"{name}: has shape {array.shape}; it must be ({wanted})")
    if np.issubdtype(array.dtype, np.floating) and not np.isfinite(array).all():
        raise Error(f"{name}: has a number that is not finite", "bad_input")
    return array


def by_columns(name, matrices, joints):
    """(F, J, 4, 4) as the library takes them, by columns; and whether it was a single pose (J, 4, 4)."""
    if not hasattr(matrices, "__array__") and hasattr(matrices, "__dlpack__"):
        matrices = np.from_dlpack(matrices)
    array = np.asarray(matrices)
    single = array.ndim == 3
    if single:
        array = array[np.newaxis]
    if array.ndim != 4 or array.shape[1:] != (joints, 4, 4):
        raise Error(f"{name}: has shape {np.shape(matrices)}; it must be (frames, {joints}, 4, 4) or ({joints}, 4, 4)")
    return np.ascontiguousarray(array.swapaxes(-1, -2), dtype=np.float32), single


def output(name, out, shape):
    """An array that the library writes into."""
    if not isinstance(out, np.ndarray) or out.dtype != np.float32 or out.shape != shape:
        have = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise Error(f"{name}: is {have}; it must be a float32 array of shape {shape}")
    if not (out.flags.c_contiguous and out.flags.writeable):
        raise Error(f"{name}: must be contiguous and writable")
    return out


def address(array):
    return None if array is None else array.ctypes.data
