"""The native library's seconds for what bench.mjs measures: python3 native.py LIBRARY FILE CLIP SECONDS JOINT."""
import ctypes
import json
import os
import statistics
import sys
import time

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # before the library counts processors: one thread
library, file, clip, seconds, joint = sys.argv[1:]
lib = ctypes.CDLL(library)
for name in ("pelt_joint_count", "pelt_vertex_count"):
    getattr(lib, name).restype = ctypes.c_size_t
lib.pelt_error_message.restype = ctypes.c_char_p


def check(status):
    if status != 0:
        sys.exit(lib.pelt_error_message().decode())


def cpu(work, times=5):
    taken = []
    for _ in range(times):
        before = time.process_time()
        work()
        taken.append(time.process_time() - before)
    return statistics.median(taken)


def load():
    character = ctypes.c_void_p()
    check(lib.pelt_load(file.encode(), None, ctypes.byref(character)))
    return character


def deformer(character, method):
    made = ctypes.c_void_p()
    check(lib.pelt_deformer_make(character, method.encode(), None, None, ctypes.byref(made)))
    return made


hero = load()
matrices = (ctypes.c_float * (16 * lib.pelt_joint_count(hero)))()
positions = (ctypes.c_float * (3 * lib.pelt_vertex_count(hero)))()
check(lib.pelt_skin_matrices(hero, clip.encode(), ctypes.c_double(float(seconds)), matrices))
told = {}
for method in ("lbs", "dqs", "ddm"):
    made = deformer(hero, method)

    def frames():
        for _ in range(50):
            lib.pelt_deformer_evaluate(made, matrices, positions, None)

    frames()
    told[method] = cpu(frames) / 50
    lib.pelt_deformer_free(made)


def prepare():
    fresh = load()
    lib.pelt_deformer_free(deformer(fresh, "ddm"))
    lib.pelt_character_free(fresh)


def mush():
    made = ctypes.c_void_p()
    check(lib.pelt_mush(hero, None, None, ctypes.byref(made), None))
    data, size = ctypes.c_void_p(), ctypes.c_size_t()
    check(lib.pelt_save_bytes(made, ctypes.byref(data), ctypes.byref(size)))
    lib.pelt_free(data)
    lib.pelt_character_free(made)


told["prepare"] = cpu(prepare)
told["mush"] = cpu(mush, 3)
poser = ctypes.c_void_p()
check(lib.pelt_poser_make(hero, None, None, ctypes.byref(poser)))
handles = [{"joint": joint, "constraint": "position", "offset": [0.05, 0.05, 0]}]
check(lib.pelt_poser_set_handles(poser, json.dumps(handles).encode()))
told["posing"] = cpu(lambda: lib.pelt_poser_step(poser, 300, None)) / 300
print(json.dumps(told))
