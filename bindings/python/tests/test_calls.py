"""How calls run: without allocations, without the GIL, with progress, and until somebody cancels them."""
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
import pelt

COUNTER = os.environ.get("PELT_COUNT_ALLOCATIONS", "")

COUNT = """
import ctypes, gc, sys
import numpy as np, pelt
count = ctypes.CDLL(None).allocation_count
count.restype = ctypes.c_size_t
hero = pelt.sample("biped", resolution=3000, skin="smooth")
moves = hero.skin_matrices(0, fps=10)
rows = [np.ascontiguousarray(m) for m in moves]  # the other layout, and float64
doubles = [m.astype(np.float64) for m in moves]
out, normals = np.empty_like(hero.positions), np.empty_like(hero.positions)
calls = {}
for method in ("lbs", "dqs", "ddm", "eddm"):
    d = hero.deformer(method)
    calls[method] = lambda i, d=d: d(moves[i % len(moves)], out=out)
    calls[method + " rows"] = lambda i, d=d: d(rows[i % len(rows)], out=out)
    calls[method + " doubles"] = lambda i, d=d: d(doubles[i % len(rows)], out=out)
    calls[method + " normals"] = lambda i, d=d: d(moves[i % len(moves)], out=out, normals=normals)
calls["without out"] = lambda i, d=d: d(moves[i % len(moves)])
gc.disable()
for name, call in calls.items():
    for i in range(50):
        call(i)
    before = count()
    for i in range(50):
        call(i)
    print(f"{name}: {count() - before}")
"""


class Texts(unittest.TestCase):
    def test_a_nul_character_is_refused_and_cuts_nothing_off(self):
        hero = pelt.sample("bar")
        for call in (
            lambda: pelt.load("hero.glb\0.txt"),
            lambda: hero.save("hero.glb\0.txt"),
            lambda: hero.with_clips("walk.glb\0"),
            lambda: hero.skin_matrices("walk\0"),
            lambda: hero.mush(lambda_map="_A\0B"),
            lambda: hero.deformer("ddm", lambda_map="_A\0B"),
        ):
            with self.assertRaisesRegex(pelt.Error, "NUL"):
                call()
        self.assertFalse(os.path.exists("hero.glb"))


class Allocations(unittest.TestCase):
    @unittest.skipIf(not COUNTER, "PELT_COUNT_ALLOCATIONS is not set")
    def test_a_pose_into_an_array_of_the_caller_allocates_nothing(self):
        told = subprocess.run(
            [sys.executable, "-c", COUNT],
            env={**os.environ, "LD_PRELOAD": COUNTER},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        counts = dict(line.split(": ") for line in told.splitlines())
        self.assertGreaterEqual(int(counts.pop("without out")), 50)  # the count sees what is allocated
        self.assertEqual({name: int(n) for name, n in counts.items()}, {name: 0 for name in counts})


class Threads(unittest.TestCase):
    def test_other_python_code_runs_during_a_call(self):
        """With a switch interval of 1000 seconds nobody else gets the GIL unless the call gives it away."""
        hero = pelt.sample("biped", resolution=5000, skin="smooth")
        matrices, deformer, out = hero.skin_matrices(0, fps=5), hero.deformer("ddm"), np.empty_like(hero.positions)
        go, ran = threading.Event(), []

        def run():
            go.wait()
            ran.append(True)

        other = threading.Thread(target=run)
        other.start()
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1000)
        go.set()
        for _ in range(2000):
            if ran:
                break
            deformer(matrices[0], out=out)
        seen = list(ran)  # before anything else lets go of the GIL
        other.join()
        self.assertEqual(seen, [True])

    def test_two_threads_have_their_own_errors_and_results(self):
        heroes = [pelt.sample("bar", resolution=800), pelt.sample("bar3", resolution=800)]
        expected = [h.deform(h.skin_matrices(0, fps=5)) for h in heroes]
        wrong = []

        def work(i):
            for _ in range(5):
                if not (heroes[i].deform(heroes[i].skin_matrices(0, fps=5)) == expected[i]).all():
                    wrong.append(f"result {i}")
                try:
                    heroes[i].skin_matrices(f"dance {i}")
                except pelt.Error as error:
                    if f"dance {i}" not in str(error):
                        wrong.append(str(error))

        self.run_together(work)
        self.assertEqual(wrong, [])

    def test_threads_that_share_a_deformer_wait_for_each_other(self):
        hero = pelt.sample("biped", resolution=3000, skin="smooth")
        matrices, deformer = hero.skin_matrices(0, fps=10), hero.deformer("dqs")
        expected, wrong = hero.deform(matrices, method="dqs"), []

        def work(i):
            for f in range(i, 2 * len(matrices), 2):
                if not (deformer(matrices[f % len(matrices)]) == expected[f % len(matrices)]).all():
                    wrong.append(f)

        self.run_together(work)
        self.assertEqual(wrong, [])

    def run_together(self, work):
        threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


class Progress(unittest.TestCase):
    def test_progress_is_told_and_may_cancel(self):
        hero = pelt.sample("bar", resolution=3000)
        told = []
        hero.mush(progress=lambda fraction, stage: told.append((fraction, stage)))
        self.assertTrue(told and all(-1 <= f <= 1 and s for f, s in told))
        with self.assertRaises(pelt.Error) as caught:
            hero.mush(progress=lambda fraction, stage: False)
        self.assertEqual(caught.exception.code, "cancelled")

    def test_an_exception_of_the_callback_comes_out(self):
        def fails(fraction, stage):
            raise RuntimeError("from the callback")

        hero = pelt.sample("bar", resolution=800)
        for call in (
            lambda: hero.mush(progress=fails),
            lambda: hero.bake(progress=fails),
            lambda: hero.deform(hero.skin_matrices(0, fps=5), progress=fails),
        ):
            with self.assertRaisesRegex(RuntimeError, "from the callback"):
                call()

    def test_a_bar_of_tqdm(self):
        try:
            from tqdm import tqdm
        except ImportError:
            self.skipTest("tqdm is not installed")
        hero = pelt.sample("bar", resolution=3000)
        with open(os.devnull, "w") as nowhere, tqdm(total=1, file=nowhere) as bar:

            def show(fraction, stage):
                bar.set_description(stage, refresh=False)
                bar.update(fraction - bar.n)

            hero.bake(progress=show)
            self.assertGreater(bar.n, 0.5)

    def test_ctrl_c_cancels_long_work(self):
        """A real SIGINT, sent once the work is under way; it would take minutes."""
        script = (
            "import pelt\nhero = pelt.sample('biped', resolution=200000)\nprint('begun', flush=True)\n"
            "try:\n    hero.bind('bbw')\nexcept KeyboardInterrupt:\n    print('interrupted', len(hero.joints))\n"
        )
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), "begun\n")
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            try:
                told = process.communicate(timeout=60)[0]
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            self.assertRegex(told, r"interrupted \d+")
            self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
