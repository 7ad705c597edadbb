"""Arrays in and out: views, what is read as an array, what is refused and with which words."""
import copy
import gc
import pickle
import unittest

import numpy as np
import pelt

from common import Refusals

try:
    import torch
except ImportError:
    torch = None


class OnlyDlpack:
    """An object that has __dlpack__ and nothing else of an array."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, *arguments, **named):
        return self._array.__dlpack__(*arguments, **named)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class OnlyArray:
    def __init__(self, array):
        self._array = array

    def __array__(self, dtype=None, copy=None):
        return self._array if dtype is None else self._array.astype(dtype)


class Views(unittest.TestCase):
    def test_views_outlive_their_character(self):
        for end in (lambda hero: None, lambda hero: hero.close()):
            hero = pelt.sample("bar", resolution=1000)
            views = [hero.positions, hero.triangles]
            copies = [v.copy() for v in views]
            end(hero)
            del hero
            gc.collect()
            others = [pelt.sample("bar3", resolution=1000) for _ in range(5)]  # memory that was freed is used again
            for v, c in zip(views, copies):
                np.testing.assert_array_equal(v, c)
                with self.assertRaises(ValueError):
                    v[0] = 0
            del others

    def test_views_are_not_copies(self):
        hero = pelt.sample("bar", resolution=1000)
        self.assertEqual(hero.positions.ctypes.data, hero.positions.ctypes.data)
        self.assertFalse(hero.positions.flags.owndata)

    def test_a_deformer_and_a_poser_outlive_a_closed_character(self):
        hero = pelt.sample("bar", resolution=1000, skin="smooth")
        matrices, deformer, poser = hero.skin_matrices(0, fps=5), hero.deformer("lbs"), hero.poser()
        expected = deformer(matrices[1])
        hero.close()
        gc.collect()
        np.testing.assert_array_equal(deformer(matrices[1]), expected)
        poser.set_handles([{"joint": "joint0", "constraint": "hold"}])
        poser.step(1)

    def test_characters_are_copied_and_pickled(self):
        hero = pelt.sample("bar", resolution=500, skin="smooth")
        self.assertIs(copy.deepcopy(hero), hero)  # immutable
        again = pickle.loads(pickle.dumps(hero))
        np.testing.assert_array_equal(again.positions, hero.positions)
        self.assertEqual(again.clips, hero.clips)
        error = pickle.loads(pickle.dumps(pelt.Error("no", "gate")))
        self.assertEqual((str(error), error.code), ("no", "gate"))
        with self.assertRaises(TypeError):
            pickle.dumps(hero.deformer("lbs"))

    def test_weights_are_rows_that_sum_up_to_one(self):
        hero = pelt.sample("biped", resolution=1000, skin="smooth")
        dense = hero.weights_dense()
        np.testing.assert_allclose(dense.sum(axis=1), 1, atol=1e-6)
        try:
            import scipy.sparse
        except ImportError:
            self.skipTest("SciPy is not installed")
        self.assertTrue(scipy.sparse.isspmatrix_csr(hero.weights))
        np.testing.assert_array_equal(hero.weights.toarray(), dense)


class Made(Refusals):
    def arrays(self):
        bar = pelt.sample("bar", resolution=500, skin="smooth")
        return dict(
            positions=bar.positions,
            triangles=bar.triangles,
            joints=bar.joints,
            parents=bar.parents,
            bind=bar.bind_matrices,
            weights=bar.weights_dense(),
        )

    def test_a_character_from_arrays_is_the_one_they_came_from(self):
        bar, made = pelt.sample("bar", resolution=500, skin="smooth"), pelt.character(**self.arrays())
        np.testing.assert_array_equal(made.positions, bar.positions)
        np.testing.assert_allclose(made.weights_dense(), bar.weights_dense(), atol=1e-7)
        np.testing.assert_allclose(made.bind_matrices, bar.bind_matrices, atol=1e-6)
        matrices = bar.skin_matrices(0, fps=5)
        np.testing.assert_allclose(made.deform(matrices, method="dqs"), bar.deform(matrices, method="dqs"), atol=1e-6)
        sparse = pelt.character(**{**self.arrays(), "weights": bar.weights})
        np.testing.assert_array_equal(sparse.weights_dense(), made.weights_dense())
        np.testing.assert_array_equal(pelt.loads(made.to_bytes()).positions, made.positions)

    def test_every_argument_is_named_where_it_is_wrong(self):
        arrays = self.arrays()
        nan = arrays["positions"].copy()
        nan[2, 1] = np.nan
        for name, value, words in (
            ("positions", arrays["positions"][:, :2], "it must be (n, 3)"),
            ("positions", nan, "positions: the number at (2, 1) is not finite"),
            ("positions", arrays["positions"] * 1j, "positions: has dtype complex"),
            ("positions", "abc", "positions: has shape ()"),
            ("positions", [[1, 2, 3], [4, 5]], "positions: cannot be read as an array"),
            ("positions", np.full_like(nan, 1e300, dtype=np.float64), "not finite"),
            ("triangles", arrays["triangles"].astype(float), "triangles: has dtype float64"),
            ("triangles", arrays["triangles"].astype(int) - 1, "triangles: has the number -1"),
            ("triangles", arrays["triangles"] + 500, "triangles: triangle"),
            ("parents", [0, 0], "parent"),
            ("parents", [-1], "parents: has shape (1,)"),
            ("bind", np.zeros((2, 4, 4)), "matrix 0"),
            ("bind", np.eye(4), "bind: has shape (4, 4); it must be (2, 4, 4)"),
            ("weights", arrays["weights"][:5], "weights: has shape"),
            ("weights", -arrays["weights"], "weights: vertex 0"),
            ("weights", arrays["weights"] * 0, "weights: vertex 0 has none"),
        ):
            with self.subTest(name=name, words=words):
                self.refuses(words, lambda: pelt.character(**{**arrays, name: value}))

    def test_what_cannot_be_read_is_refused_by_every_call(self):
        hero = pelt.sample("bar", resolution=500)
        matrices = hero.skin_matrices(0, fps=5)
        frames = hero.deform(matrices, method="lbs")
        not_finite = np.array(matrices)
        not_finite[1, 1, 0, 0] = np.inf
        for words, call in (
            ("matrices: has shape", lambda: hero.deform(matrices[:, :1])),
            ("matrices: is None", lambda: hero.deform(None)),
            ("matrices: has dtype", lambda: hero.deform(matrices.astype(str))),
            ("not affine", lambda: hero.deform(matrices * 2)),
            ("not finite", lambda: hero.deform(not_finite)),
            ("a deformer takes one pose", lambda: hero.deformer("lbs")(matrices)),
            ("out: is float64 (3, 3)", lambda: hero.deformer("lbs")(matrices[0], out=np.empty((3, 3)))),
            (
                "out: must be contiguous",
                lambda: hero.deformer("lbs")(matrices[0], out=np.empty((3, hero.vertex_count), np.float32).T),
            ),
            ("rest: has shape", lambda: hero.deform(matrices, rest=frames[0, :3])),
            ("examples: has shape", lambda: hero.fit(np.zeros((2, 3, 2)))),
            ("from_: has shape", lambda: hero.bake(from_=np.zeros((2, 3, 2)))),
            (
                "the number at (0, 0, 0) is not finite",
                lambda: pelt.decompose(frames * np.nan, rest=(hero.positions, hero.triangles)),
            ),
            ("rest: has shape", lambda: pelt.decompose(frames, rest=hero.positions[:, :2])),
            ("no faces", lambda: pelt.decompose(frames, rest=hero.positions)),
            ("b: has shape", lambda: pelt.compare(frames, frames[0, 0])),
            ("kappa_map: has shape", lambda: hero.mush(kappa_map=[1, 2])),
            ("threads: is -1", lambda: hero.mush(threads=-1)),
            ("fps", lambda: hero.skin_matrices(0, fps=0)),
            ("times: must be", lambda: hero.skin_matrices(0, times=[np.nan])),
        ):
            with self.subTest(words=words):
                self.refuses(words, call)

    def test_every_fault_of_the_program_is_a_sentence_with_a_code(self):
        hero = pelt.sample("bar", resolution=500)
        matrices = hero.skin_matrices(0, fps=5)
        self.refuses("no-such.glb", lambda: pelt.load("no-such.glb"), "bad_input")
        self.refuses("no method 'dmm'", lambda: hero.deform(matrices, method="dmm"), "bad_usage")
        self.refuses("did you mean", lambda: hero.mush(kapa=1), "bad_usage")
        self.refuses("no clip", lambda: hero.skin_matrices("dance"), "bad_input")
        self.refuses("no sample", lambda: pelt.sample("bipod"), "bad_usage")
        self.refuses("kappa is 'nan'", lambda: hero.mush(kappa=float("nan")), "bad_usage")
        self.refuses("nobody", lambda: hero.pose([{"joint": "nobody", "constraint": "hold"}]), "bad_input")
        self.refuses("above", lambda: hero.bake(influences=1, max_error=0), "gate")
        self.refuses("", lambda: pelt.loads(b"not a file"), "bad_input")
        with self.assertRaises(pelt.Error) as caught:
            hero.save("no-such-folder/hero.glb")
        self.assertEqual(caught.exception.code, "system")
        self.assertIsInstance(caught.exception, ValueError)

    def test_a_closed_character_says_so(self):
        with pelt.sample("bar", resolution=500) as hero:
            matrices = hero.skin_matrices(0, fps=5)
        self.assertEqual(repr(hero), "<pelt.Character: closed>")
        for call in (
            lambda: hero.positions,
            lambda: hero.joints,
            lambda: hero.mush(),
            lambda: hero.deform(matrices),
            lambda: hero.weights_dense(),
            lambda: hero.save("x.glb"),
            lambda: hero.poser(),
            lambda: hero.info(),
            lambda: hero.skin_matrices(),
            lambda: hero.to_bytes(),
            lambda: hero.clips,
        ):
            self.refuses("the character is closed", call, "bad_usage")


class Accepted(unittest.TestCase):
    def same(self, wrap):
        """Arrays that are wrapped give what NumPy's own give."""
        hero = pelt.sample("bar", resolution=500, skin="smooth")
        matrices = np.ascontiguousarray(hero.skin_matrices(0, fps=5))
        expected = hero.deform(matrices, method="lbs")
        np.testing.assert_array_equal(hero.deform(wrap(matrices), method="lbs"), expected)
        np.testing.assert_array_equal(hero.deformer("lbs")(wrap(matrices[1])), expected[1])
        made = pelt.character(
            wrap(hero.positions.copy()),
            wrap(hero.triangles.astype(np.int64)),
            hero.joints,
            wrap(hero.parents),
            wrap(hero.bind_matrices.copy()),
            wrap(hero.weights_dense()),
        )
        np.testing.assert_array_equal(made.triangles, hero.triangles)
        self.assertEqual(pelt.compare(wrap(expected), wrap(expected))["max"], 0)

    def test_what_has_dlpack(self):
        self.same(OnlyDlpack)

    def test_what_has_array(self):
        self.same(OnlyArray)

    def test_lists(self):
        self.same(lambda array: array.tolist())

    def test_arrays_in_any_order_and_precision(self):
        self.same(lambda array: np.asfortranarray(array.astype(np.float64) if array.dtype.kind == "f" else array))

    @unittest.skipIf(torch is None, "python3-torch is not installed")
    def test_tensors_of_pytorch(self):
        self.same(torch.from_numpy)
        hero = pelt.sample("bar", resolution=500)
        grown = torch.zeros((2, 4, 4), requires_grad=True)
        with self.assertRaisesRegex(pelt.Error, "matrices: cannot be read as an array .*grad"):
            hero.deform(grown)

        self.same(lambda array: OnlyDlpack(torch.from_numpy(array)))


if __name__ == "__main__":
    unittest.main()
