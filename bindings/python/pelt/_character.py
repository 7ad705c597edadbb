import ctypes
import json
import os
import weakref
from ctypes import byref, c_double, c_size_t, c_void_p

import numpy as np

from . import _options
from ._arrays import address, by_columns, output, taken, view
from ._library import Arrays, Error, LongCall, check, lib, take_text


class _Handle:
    """A pointer of the library that is freed when nobody holds it any more."""

    def __init__(self, pointer, free):
        self.pointer = pointer
        weakref.finalize(self, free, pointer)


def _clip_name(clip):
    return None if clip is None else str(clip).encode()


class Character:
    """A mesh on a skeleton. Immutable: `mush`, `bind`, `bake` and `fit` return new characters.

    Arrays that it gives are views into the library; they stay valid as long as they are held.
    """

    def __init__(self, pointer):
        self._handle = _Handle(pointer, lib.pelt_character_free)

    @property
    def _pointer(self):
        return self._handle.pointer

    @property
    def positions(self) -> np.ndarray:
        """(V, 3) float32, rest space: the vertices of the skinned mesh, then those of the props."""
        return view(lib.pelt_positions(self._pointer), (self.vertex_count, 3), self._handle)

    @property
    def triangles(self) -> np.ndarray:
        """(T, 3) uint32."""
        return view(lib.pelt_triangles(self._pointer), (lib.pelt_triangle_count(self._pointer), 3), self._handle)

    @property
    def vertex_count(self) -> int:
        return lib.pelt_vertex_count(self._pointer)

    @property
    def joints(self) -> list:
        """Names of the joints, in the order of `pelt info`."""
        count = lib.pelt_joint_count(self._pointer)
        return [lib.pelt_joint_name(self._pointer, j).decode() for j in range(count)]

    @property
    def parents(self) -> np.ndarray:
        """(J,) int32: the parent of each joint, -1 for roots."""
        count = lib.pelt_joint_count(self._pointer)
        return np.array([lib.pelt_joint_parent(self._pointer, j) for j in range(count)], dtype=np.int32)

    @property
    def clips(self) -> list:
        """Names of the clips."""
        return [lib.pelt_clip_name(self._pointer, c).decode() for c in range(lib.pelt_clip_count(self._pointer))]

    def _weight_rows(self):
        offsets = view(lib.pelt_weight_offsets(self._pointer), (self.vertex_count + 1,), self._handle)
        count = int(offsets[-1])
        if count == 0:
            return offsets, np.zeros(0, np.uint32), np.zeros(0, np.float32)
        return (offsets, view(lib.pelt_weight_joints(self._pointer), (count,), self._handle),
                view(lib.pelt_weight_values(self._pointer), (count,), self._handle))

    @property
    def weights(self):
        """(V, J) scipy.sparse.csr_matrix, float32. Without SciPy use `weights_dense()`."""
        try:
            from scipy.sparse import csr_matrix
        except ImportError:
            raise Error("weights: SciPy is not installed; weights_dense() works without it") from None
        offsets, joints, values = self._weight_rows()
        shape = (self.vertex_count, lib.pelt_joint_count(self._pointer))
        return csr_matrix((values, joints.astype(np.int32), offsets.astype(np.int32)), shape=shape)

    def weights_dense(self) -> np.ndarray:
        """(V, J) float32."""
        offsets, joints, values = self._weight_rows()
        dense = np.zeros((self.vertex_count, lib.pelt_joint_count(self._pointer)), np.float32)
        rows = np.repeat(np.arange(self.vertex_count), np.diff(offsets.astype(np.int64)))
        dense[rows, joints] = values
        return dense

    def info(self, **options) -> dict:
        """What `pelt info --json` says."""
        report = c_void_p()
        check(lib.pelt_info(self._pointer, _options.encode(options), byref(report)))
        return json.loads(take_text(report))

    def skin_matrices(self, clip=None, fps=30, times=None) -> np.ndarray:
        """(F, J, 4, 4) float32: M[f, j] @ [x, y, z, 1] takes rest space to posed space.

        clip: name, index or "@range"; None: the first. times: moments in seconds, in place of `fps` samples a second
        from the first key on.
        """
        if clip is None:
            clip = 0
        if times is None:
            times = self._sample_times(clip, fps)
        times = np.atleast_1d(np.asarray(times, dtype=np.float64))
        joints = lib.pelt_joint_count(self._pointer)
        columns = np.empty((len(times), joints, 4, 4), np.float32)
        for f, t in enumerate(times):
            check(lib.pelt_skin_matrices(self._pointer, _clip_name(clip), float(t), columns[f].ctypes.data))
        return columns.swapaxes(-1, -2)

    def _sample_times(self, clip, fps):
        if not (fps > 0):
            raise Error(f"fps: is {fps}; it must be above 0")
        report = c_void_p()
        check(lib.pelt_clip_times(self._pointer, _clip_name(clip), float(fps), byref(report)))
        return json.loads(take_text(report))

    def deformer(self, method="ddm", progress=None, **options) -> "Deformer":
        """Prepares a method of `pelt deform` ("lbs", "dqs", "ddm", …) with its options."""
        pointer, call = c_void_p(), LongCall(progress)
        call.check(lib.pelt_deformer_make(self._pointer, method.encode(), _options.encode(options), call.pointer,
                                          byref(pointer)))
        return Deformer(pointer.value, self)

    def deform(self, matrices, method="ddm", normals=False, threads=None, progress=None, **options):
        """Poses by matrices (F, J, 4, 4) or (J, 4, 4): (F, V, 3) or (V, 3) float32; with `normals`, a pair of them."""
        prepared = self.deformer(method, progress=progress, **options)
        columns, single = by_columns("matrices", matrices, lib.pelt_joint_count(self._pointer))
        shape = (len(columns), self.vertex_count, 3)
        out, turned = np.empty(shape, np.float32), np.empty(shape, np.float32) if normals else None
        prepared._evaluate(columns, out, turned, threads, progress)
        if single:
            out, turned = out[0], None if turned is None else turned[0]
        return (out, turned) if normals else out

    def _make(self, verb, options, progress, threads, *arguments):
        made, report, call = c_void_p(), c_void_p(), LongCall(progress, threads)
        call.check(getattr(lib, f"pelt_{verb}")(self._pointer, *arguments, _options.encode(options), call.pointer,
                                                byref(made), byref(report)))
        return Character(made.value), json.loads(take_text(report))

    def mush(self, progress=None, threads=None, **options) -> "Character":
        """Direct Delta Mush, stored in the character; options as `pelt mush` has them."""
        return self._make("mush", options, progress, threads)[0]

    def bind(self, method="rigid", progress=None, threads=None, **options) -> "Character":
        """Weights for the skeleton; options as `pelt bind` has them."""
        return self._make("bind", {"method": method, **options}, progress, threads)[0]

    def bake(self, progress=None, threads=None, **options) -> "tuple[Character, dict]":
        """A deformer as a plain skin, and the report of `pelt bake`."""
        return self._make("bake", options, progress, threads)

    def fit(self, examples, progress=None, threads=None, **options) -> "tuple[Character, dict]":
        """A skin from example poses (F, V, 3) of a clip, and the report of `pelt fit`."""
        frames = taken("examples", examples, np.float32, (None, self.vertex_count, 3))
        return self._make("fit", options, progress, threads, frames.ctypes.data, len(frames))

    def pose(self, handles, progress=None, threads=None, **options) -> "tuple[Character, dict]":
        """A clip of the pose that handles ask for, and the report of `pelt pose`."""
        return self._make("pose", options, progress, threads, _options.encode({"handles": handles}))

    def poser(self, progress=None, **options) -> "Poser":
        """Posing step by step; options: energy, clusters, extra_weights, extra_kind."""
        pointer, call = c_void_p(), LongCall(progress)
        call.check(lib.pelt_poser_make(self._pointer, _options.encode(options), call.pointer, byref(pointer)))
        return Poser(pointer.value, self)

    def save(self, path) -> None:
        """Writes .glb or .gltf."""
        check(lib.pelt_save(self._pointer, os.fsencode(path)))

    def to_bytes(self) -> bytes:
        """The bytes of a .glb."""
        data, size = c_void_p(), c_size_t()
        check(lib.pelt_save_bytes(self._pointer, byref(data), byref(size)))
        try:
            return ctypes.string_at(data, size.value)
        finally:
            lib.pelt_free(data)

    def __repr__(self):
        return f"<pelt.Character: {self.vertex_count} vertices, {lib.pelt_joint_count(self._pointer)} joints>"


class Deformer:
    """A method prepared for one character. Call it with one pose; it releases the GIL and allocates nothing."""

    def __init__(self, pointer, character):
        self._handle = _Handle(pointer, lib.pelt_deformer_free)
        self._character = character
        self._joints = lib.pelt_joint_count(character._pointer)
        self._shape = (character.vertex_count, 3)

    def __call__(self, matrices, out=None, normals=None):
        """matrices: (J, 4, 4). out, normals: (V, 3) float32 arrays to write into. Returns out."""
        columns, single = by_columns("matrices", matrices, self._joints)
        if not single:
            raise Error(f"matrices: has {len(columns)} frames; a deformer takes one pose at a time")
        out = np.empty(self._shape, np.float32) if out is None else output("out", out, self._shape)
        if normals is not None:
            output("normals", normals, self._shape)
        check(lib.pelt_deformer_evaluate(self._handle.pointer, columns.ctypes.data, out.ctypes.data, address(normals)))
        return out

    def _evaluate(self, columns, out, normals, threads, progress):
        call = LongCall(progress, threads if threads is not None else 1)
        call.check(lib.pelt_deformer_evaluate_frames(self._handle.pointer, columns.ctypes.data, len(columns),
                                                     out.ctypes.data, address(normals), call.pointer))


class Poser:
    """A character held by handles: set them, step, use the matrices."""

    def __init__(self, pointer, character):
        self._handle = _Handle(pointer, lib.pelt_poser_free)
        self._character = character
        self._joints = lib.pelt_joint_count(character._pointer)
        self.energy = None  #: after the last step

    def set_handles(self, handles) -> None:
        """The list of handles, or the whole object of a handles file."""
        if isinstance(handles, dict):
            handles = handles.get("handles", handles)
        check(lib.pelt_poser_set_handles(self._handle.pointer, _options.encode({"handles": handles})))

    def step(self, iterations=30) -> np.ndarray:
        """Goes on by so many iterations; (J, 4, 4) float32, as `Character.skin_matrices` gives them."""
        energy = c_double()
        check(lib.pelt_poser_step(self._handle.pointer, int(iterations), byref(energy)))
        self.energy = energy.value
        columns = np.empty((self._joints, 4, 4), np.float32)
        lib.pelt_poser_matrices(self._handle.pointer, columns.ctypes.data)
        return columns.swapaxes(-1, -2)


def load(path, progress=None) -> Character:
    """Reads .glb .gltf .vrm, and .fbx .dae where the importer is installed."""
    pointer, call = c_void_p(), LongCall(progress)
    call.check(lib.pelt_load(os.fsencode(path), call.pointer, byref(pointer)))
    return Character(pointer.value)


def loads(data, name=None) -> Character:
    """Reads the bytes of a .glb."""
    pointer, call = c_void_p(), LongCall()
    data = bytes(data)
    call.check(lib.pelt_load_bytes(data, len(data), None if name is None else name.encode(), call.pointer,
                                   byref(pointer)))
    return Character(pointer.value)


def sample(name, **options) -> Character:
    """One of the built-in characters, such as "biped"; options as `pelt sample` has them."""
    pointer = c_void_p()
    check(lib.pelt_sample(name.encode(), _options.encode(options), byref(pointer)))
    return Character(pointer.value)


def character(positions, triangles, joints, parents, bind, weights=None) -> Character:
    """A character from arrays alone.

    positions (V, 3), triangles (T, 3), joints: names, parents (J,) with -1 for roots and parents before children,
    bind (J, 4, 4): the joints' world matrices at bind, weights (V, J) dense or SciPy sparse, or None.
    """
    positions = taken("positions", positions, np.float32, (None, 3))
    triangles = taken("triangles", triangles, np.uint32, (None, 3))
    names = [str(name).encode() for name in joints]
    parents = taken("parents", parents, np.int32, (len(names),))
    bind = np.ascontiguousarray(taken("bind", bind, np.float32, (len(names), 4, 4)).swapaxes(-1, -2))
    rows = (None, None, None)
    if weights is not None:
        rows = _rows(weights, (len(positions), len(names)))
    named = (ctypes.c_char_p * max(len(names), 1))(*names)
    arrays = Arrays(ctypes.sizeof(Arrays), positions.ctypes.data, len(positions), triangles.ctypes.data,
                    len(triangles), named, parents.ctypes.data, bind.ctypes.data, len(names), *map(address, rows))
    pointer = c_void_p()
    check(lib.pelt_make(byref(arrays), byref(pointer)))
    return Character(pointer.value)


def _rows(weights, shape):
    """Compressed rows of weights: offsets, joints, values."""
    if hasattr(weights, "tocsr"):
        sparse = weights.tocsr()
        if sparse.shape != shape:
            raise Error(f"weights: has shape {sparse.shape}; it must be {shape}")
        return (np.ascontiguousarray(sparse.indptr, np.uint64), np.ascontiguousarray(sparse.indices, np.uint32),
                np.ascontiguousarray(sparse.data, np.float32))
    dense = taken("weights", weights, np.float32, shape)
    vertices, joints = np.nonzero(dense)
    offsets = np.zeros(shape[0] + 1, np.uint64)
    np.cumsum(np.bincount(vertices, minlength=shape[0]), out=offsets[1:], dtype=np.uint64)
    return offsets, joints.astype(np.uint32), np.ascontiguousarray(dense[vertices, joints])


def decompose(frames, rest=None, progress=None, threads=None, **options) -> "tuple[Character, dict]":
    """Bones, weights and an animation from a mesh sequence, and the report of `pelt decompose`.

    frames (F, V, 3); rest: (V, 3) positions and (T, 3) triangles; options such as bones=20.
    """
    if rest is None:
        raise Error("rest: give the rest positions and the triangles, as a pair")
    frames = taken("frames", frames, np.float32, (None, None, 3))
    positions = taken("rest[0]", rest[0], np.float32, (frames.shape[1], 3))
    triangles = taken("rest[1]", rest[1], np.uint32, (None, 3))
    made, report, call = c_void_p(), c_void_p(), LongCall(progress, threads)
    call.check(lib.pelt_decompose(frames.ctypes.data, frames.shape[0], frames.shape[1], positions.ctypes.data,
                                  triangles.ctypes.data, len(triangles), _options.encode(options), call.pointer,
                                  byref(made), byref(report)))
    return Character(made.value), json.loads(take_text(report))


def compare(a, b, rest=None) -> dict:
    """How far two sequences (F, V, 3) are apart: "rms", "max", "e_rms", "frames". rest (V, 3) scales E_RMS."""
    a = taken("a", a, np.float32, (None, None, 3))
    b = taken("b", b, np.float32, a.shape)
    if rest is not None:
        rest = taken("rest", rest, np.float32, a.shape[1:])
    report = c_void_p()
    check(lib.pelt_compare(a.ctypes.data, b.ctypes.data, a.shape[0], a.shape[1], address(rest), byref(report)))
    return json.loads(take_text(report))
