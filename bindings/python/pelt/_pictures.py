"""Pictures in memory as the library takes them: data URIs."""
from __future__ import annotations

import base64
import os
import struct
import zlib
from typing import Any

import numpy as np

from ._library import Error, encoded


def path_of(name: str, value: Any) -> bytes:
    """The path of a picture; of its bytes or its pixels, a data URI."""
    if isinstance(value, (str, os.PathLike)):
        return encoded(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        kind, data = ("jpeg" if bytes(value[:2]) == b"\xff\xd8" else "png"), bytes(value)
    else:
        kind, data = "png", _png(name, value)
    return f"data:image/{kind};base64,".encode() + base64.b64encode(data)


def _png(name: str, value: Any) -> bytes:
    pixels = np.ascontiguousarray(value)
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] not in (3, 4) or pixels.size == 0:
        raise Error(f"{name}: a picture is (H, W, 4) or (H, W, 3) uint8, not {pixels.shape} {pixels.dtype}")
    height, width, channels = pixels.shape
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # each begins with its filter: none
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 6 if channels == 4 else 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
