"""Runs scripts one after the other in one Blender, each as if it were alone: Blender's start takes longer than they do.

    blender -b -P run_in_blender.py -- JOBS.json RESULTS.json

A job is {"script", "blend", "arguments"}, with null for no .blend file; a result is {"status", "said"}.
"""
import contextlib
import io
import json
import runpy
import sys
import traceback

import bpy


def run(job):
    if job["blend"]:
        bpy.ops.wm.open_mainfile(filepath=job["blend"])
    sys.argv = ["blender", "--", *job["arguments"]]
    said, status = io.StringIO(), 0
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            runpy.run_path(job["script"], run_name="__main__")
        except SystemExit as end:
            status = end.code or 0
        except Exception:
            traceback.print_exc()
            status = 1
    return {"status": status, "said": said.getvalue()}


jobs_file, results_file = sys.argv[sys.argv.index("--") + 1 :]
with open(jobs_file) as jobs:
    results = [run(job) for job in json.load(jobs)]
with open(results_file, "w") as out:
    json.dump(results, out)
