"""What the Python package costs over the program, and what two threads gain: ratios measured in one run.

`scripts/bench python` runs it: python3 bench/python_bench.py PELT [--quick], where PELT is the program.

Prints a JSON list of rows {"name", "value", "unit", "ratio", "against"}. Repetitions of both sides are interleaved; a
row compares the best of each. The package gets all frames as one new array, 240 MB; the program evaluates into one
buffer.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import pelt

FRAMES, VERTICES = 1000, 20000


def seconds(work):
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def row(name, pairs, against):
    """The best of each side: what others do on the machine only adds."""
    value, other = min(a for a, _ in pairs), min(b for _, b in pairs)
    return {"name": name, "value": round(value, 4), "unit": "s", "ratio": round(value / other, 4), "against": against}


def program_seconds(program, file, method, threads, fps):
    """The stage `evaluate` of `pelt deform`: skin matrices and the poses, without loading, preparing and writing."""
    with tempfile.TemporaryDirectory() as folder:
        told = subprocess.run(
            [
                program,
                "deform",
                file,
                "--method",
                method,
                "--fps",
                str(fps),
                "--frames",
                f":{FRAMES}",
                "--threads",
                str(threads),
                "--json",
                "-o",
                pathlib.Path(folder) / "x.npy",
            ],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    report = json.loads(told)
    assert report["frames"] == FRAMES, report["frames"]
    return sum(stage["seconds"] for stage in report["stages"] if stage["name"] == "evaluate")


def against_the_program(program, method, threads, repetitions):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "hero.glb"
        pelt.sample("biped", resolution=VERTICES, skin="smooth").mush().save(file)
        hero = pelt.load(file)
        times = hero.clip_times(0, 1)
        fps = 1.01 * FRAMES / max(times[-1] - times[0], 1)
        deformer = hero.deformer(method)

        def ours():
            matrices = hero.skin_matrices(0, fps=fps)[:FRAMES]
            deformer._frames(matrices, False, threads, None, None)

        pairs = []
        for _ in range(repetitions):
            pairs.append((seconds(ours), program_seconds(program, file, method, threads, fps)))
    return row(f"python/deform/{method}/20k/{threads}t", pairs, "the program's evaluation")


def two_threads(method, repetitions):
    hero = pelt.sample("biped", resolution=VERTICES, skin="smooth").mush()
    matrices = hero.skin_matrices(0, fps=30)
    deformers = [hero.deformer(method) for _ in range(2)]
    outs = [np.empty_like(hero.positions) for _ in range(2)]

    def evaluate(i, count):
        for f in range(count):
            deformers[i](matrices[f % len(matrices)], out=outs[i])

    def together():
        threads = [threading.Thread(target=evaluate, args=(i, 200)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    evaluate(0, 20)
    pairs = [(seconds(together), seconds(lambda: evaluate(0, 400))) for _ in range(repetitions)]
    return row(f"python/gil/{method}/20k/2t", pairs, "one thread, as many poses")


def main():
    program, repetitions = sys.argv[1], 2 if "--quick" in sys.argv else 9
    rows = [
        against_the_program(program, method, threads, repetitions) for method in ("lbs", "ddm") for threads in (1, 2)
    ]
    rows += [two_threads(method, repetitions) for method in ("lbs", "ddm")]
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
