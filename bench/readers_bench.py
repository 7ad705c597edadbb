"""How long readers of FBX take, and the memory they need at most, on the same files.

`scripts/bench readers` runs it: python3 bench/readers_bench.py PELT [--quick], where PELT is the program.

Prints a JSON list of rows {"name", "value", "unit", "ratio", "against"}:
  readers/SIZE/pelt      seconds of pelt-import for a biped of SIZE megabytes that Pelt wrote
  readers/SIZE/memory    its largest memory, and how many times the size of the file that is
  readers/SIZE/fbx2gltf  seconds of Autodesk's library in FBX2glTF (its path in FBX2GLTF), and how many times ours
  readers/SIZE/assimp    seconds of assimp's program, to glTF as well, and how many times ours
Rows of programs that are not installed are left out.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

PELT = pathlib.Path(sys.argv[1]).resolve()
IMPORTER = PELT.parent.parent / "pelt-import" / "pelt-import"
QUICK = "--quick" in sys.argv
SIZES = {"3": 12000} if QUICK else {"3": 12000, "100": 400000}  # vertices
RUNS = 1 if QUICK else 3


def measured(command):
    """Seconds and the largest memory in bytes, of the best of some runs."""
    best = (float("inf"), 0)
    for _ in range(RUNS):
        begun = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            return None
        best = min(best, (time.perf_counter() - begun, used.ru_maxrss * 1024))
    return best


def others(fbx, folder):
    sdk, assimp = os.environ.get("FBX2GLTF", ""), shutil.which("assimp")
    if os.path.exists(sdk):
        yield "fbx2gltf", [sdk, "--binary", "-i", str(fbx), "-o", str(folder / "sdk")]
    if assimp:
        yield "assimp", [assimp, "export", str(fbx), str(folder / "assimp.glb")]


def rows():
    for size, vertices in SIZES.items():
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            fbx = folder / "biped.fbx"
            subprocess.run(
                [PELT, "sample", "biped", "--skin", "smooth", "--resolution", str(vertices), "-q", "-o", fbx],
                check=True,
            )
            seconds, memory = measured([IMPORTER, fbx])
            yield {"name": f"readers/{size}/pelt", "value": seconds, "unit": "s"}
            times = memory / fbx.stat().st_size
            yield {
                "name": f"readers/{size}/memory",
                "value": memory / 1e6,
                "unit": "MB",
                "ratio": times,
                "against": "file",
            }
            for other, command in others(fbx, folder):
                result = measured(command)
                if not result:
                    continue
                row = {"name": f"readers/{size}/{other}", "value": result[0], "unit": "s"}
                yield {**row, "ratio": result[0] / seconds, "against": "pelt"}
                row = {"name": f"readers/{size}/{other} memory", "value": result[1] / 1e6, "unit": "MB"}
                yield {**row, "ratio": result[1] / memory, "against": "pelt"}


print(json.dumps(list(rows())))
