"""What `pelt batch` gains with two items at a time, and what it costs itself.

`scripts/bench batch` runs it: python3 bench/batch_bench.py PELT [--quick], where PELT is the program.

Prints a JSON list of rows {"name", "value", "unit", "ratio", "against"}:
  batch/200/5k      200 characters of 5000 vertices through mush and bake, two at a time; how many times as fast that is as
                    the same commands one after the other, with one thread each and with all threads each. Parts take
                    turns, so that a slow minute hits all alike. The machine must have two cores to spare.
  batch/cost/5000   CPU of the scheduler itself for each of 5000 items that take next to no time
  batch/again/5000  the same when all of them are done already
  batch/state/5000  what the state takes on the disk, for each item
"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

PELT = pathlib.Path(sys.argv[1]).resolve()
QUICK = "--quick" in sys.argv
CHARACTERS, PARTS = (20, 2) if QUICK else (200, 4)
SMALL = 200 if QUICK else 5000


def seconds(work):
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def make_library(folder, count):
    """Arms of about 5000 vertices, all different."""
    (folder / "lib").mkdir()
    for i in range(count):
        subprocess.run(
            [
                PELT,
                "sample",
                "arm",
                "--skin",
                "smooth",
                "--resolution",
                str(4900 + i),
                "--quiet",
                "-o",
                folder / "lib" / f"c{i:03}.glb",
            ],
            check=True,
        )


def steps(folder, out, i):
    name = f"c{i:03}.glb"
    (folder / out).mkdir(exist_ok=True)
    return [
        ["mush", f"lib/{name}", "-o", f"{out}/mushed-{name}"],
        ["bake", f"{out}/mushed-{name}", "-o", f"{out}/{name}"],
    ]


def one_by_one(folder, chosen, out, threads):
    for i in chosen:
        for argv in steps(folder, out, i):
            subprocess.run([PELT, *argv, "--quiet", *threads], cwd=folder, check=True)


def by_batch(folder, chosen, jobs):
    manifest = folder / f"jobs-{chosen[0]}-{jobs}.jsonl"
    with open(manifest, "w") as file:
        for i in chosen:
            mush, bake = steps(folder, f"batch{jobs}", i)
            file.write(json.dumps({"id": f"m{i}", "argv": mush}) + "\n")
            file.write(json.dumps({"id": f"b{i}", "argv": bake, "after": [f"m{i}"]}) + "\n")
    subprocess.run([PELT, "batch", manifest, "--jobs", str(jobs), "--quiet"], check=True)


def throughput():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_library(folder, CHARACTERS)
        two, one, all_threads = 0, 0, 0
        each = CHARACTERS // PARTS
        for part in range(PARTS):
            chosen = range(part * each, (part + 1) * each)
            two += seconds(lambda: by_batch(folder, chosen, 2))
            one += seconds(lambda: one_by_one(folder, chosen, "one", ["--threads", "1"]))
            all_threads += seconds(lambda: one_by_one(folder, chosen, "all", []))
    return [
        {
            "name": f"batch/{CHARACTERS}/5k/{threads}",
            "value": round(two, 2),
            "unit": "s",
            "ratio": round(other / two, 3),
            "against": against,
        }
        for threads, other, against in (
            ("1t", one, "times as fast as one after the other, one thread each"),
            ("all", all_threads, "times as fast as one after the other, all threads"),
        )
    ]


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def own_cost():
    """CPU of `pelt batch` without that of its items, which the report has."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([PELT, "sample", "bar", "--resolution", "50", "--quiet", "-o", folder / "bar.glb"], check=True)
        with open(folder / "jobs.jsonl", "w") as file:
            for i in range(SMALL):
                file.write(json.dumps({"id": f"item{i}", "argv": ["info", "bar.glb"]}) + "\n")
        rows = []
        for what in ("cost", "again"):
            before, begun = cpu_of_children(), time.perf_counter()
            subprocess.run([PELT, "batch", folder / "jobs.jsonl", "--jobs", "2", "--quiet"], check=True)
            wall = time.perf_counter() - begun
            used = cpu_of_children() - before
            lines = map(json.loads, (folder / "jobs.state" / "report.jsonl").read_text().splitlines())
            items = sum(line["cpu_seconds"] for line in lines) if what == "cost" else 0
            rows.append(
                {
                    "name": f"batch/{what}/{SMALL}",
                    "value": round(1000 * (used - items) / SMALL, 4),
                    "unit": "ms",
                    "ratio": round((used - items) / used, 4) if what == "cost" else round(1000 * wall / SMALL, 4),
                    "against": "of all CPU" if what == "cost" else "ms of time",
                }
            )
        files = [path for path in (folder / "jobs.state").rglob("*") if path.is_file()]
        size = sum(path.stat().st_blocks * 512 for path in files)
        rows.append(
            {
                "name": f"batch/state/{SMALL}",
                "value": round(size / SMALL, 1),
                "unit": "bytes",
                "ratio": round(len(files) / SMALL, 4),
                "against": "files per item",
            }
        )
    return rows


print(json.dumps(throughput() + own_cost(), indent=1))
