"""LBS, dual quaternions and Direct Delta Mush against NumPy, written from the papers' equations in double precision."""
import unittest

import numpy as np
import pelt


def homogeneous(points):
    return np.concatenate([points, np.ones(points.shape[:-1] + (1,))], axis=-1)


def nearest_rotation(matrix):
    """The rotation that maximizes trace(R^T matrix), determinant +1."""
    u, _, vt = np.linalg.svd(matrix)
    flip = np.eye(3)
    flip[2, 2] = np.sign(np.linalg.det(u @ vt))
    return u @ flip @ vt


def quaternion(rotation):
    """(w, x, y, z) of a rotation: the eigenvector of Bar-Itzhack's matrix."""
    (a, b, c), (d, e, f), (g, h, i) = rotation
    k = (
        np.array(
            [
                [a + e + i, h - f, c - g, d - b],
                [h - f, a - e - i, b + d, c + g],
                [c - g, b + d, e - a - i, f + h],
                [d - b, c + g, f + h, i - a - e],
            ]
        )
        / 3
    )
    return np.linalg.eigh(k)[1][:, -1]


def product(p, q):
    """Of quaternions, by their last axis."""
    w = p[..., :1] * q[..., :1] - np.sum(p[..., 1:] * q[..., 1:], axis=-1, keepdims=True)
    v = p[..., :1] * q[..., 1:] + q[..., :1] * p[..., 1:] + np.cross(p[..., 1:], q[..., 1:])
    return np.concatenate([w, v], axis=-1)


def linear_blend(rest, weights, matrices):
    """x = sum_j w_j M_j u"""
    return np.einsum("vj,jrc,vc->vr", weights, matrices, homogeneous(rest))[:, :3]


def dual_quaternions(rest, weights, matrices):
    """[Kavan08], for rigid joints: b + eps e = sum_j w_j (q_j + eps d_j), on the hemisphere of the heaviest joint."""
    real = np.stack([quaternion(m[:3, :3]) for m in matrices])
    moved = np.concatenate([np.zeros((len(matrices), 1)), matrices[:, :3, 3]], axis=1)
    dual = 0.5 * product(moved, real)
    heaviest = real[np.argmax(weights, axis=1)]
    signed = weights * np.where(heaviest @ real.T < 0, -1, 1)
    b, e = signed @ real, signed @ dual
    length = np.sum(b * b, axis=1, keepdims=True)
    conjugate = b * [1, -1, -1, -1]
    turned = product(product(b, np.concatenate([np.zeros((len(rest), 1)), rest], axis=1)), conjugate)
    return ((turned + 2 * product(e, conjugate)) / length)[:, 1:]


def uniform_laplacian(triangles, count):
    adjacent = np.zeros((count, count))
    for a, b in ((0, 1), (1, 2), (2, 0)):
        adjacent[triangles[:, a], triangles[:, b]] = adjacent[triangles[:, b], triangles[:, a]] = 1
    return np.diag(adjacent.sum(axis=1)) - adjacent


def direct_delta_mush(rest, triangles, weights, matrices, strength, kappa, alpha, steps):
    """[LeLewis19] section 3.4 and Eqs. 4, 7 and 10: v0."""
    laplacian = uniform_laplacian(triangles, len(rest))
    step = laplacian / np.diag(laplacian)  # L D_L^-1
    b = np.linalg.matrix_power(np.linalg.inv(np.eye(len(rest)) + strength * step), steps)
    c = np.linalg.matrix_power(np.linalg.inv(np.eye(len(rest)) + kappa * step), steps)
    u = homogeneous(rest)
    psi = np.einsum("ki,kj,kr,kc->ijrc", b, weights, u, u, optimize=True)
    center = homogeneous(psi.sum(axis=1)[:, :3, 3])  # p_i
    blended = np.einsum("ir,ic->irc", center, center)
    omega = (1 - alpha) * psi + alpha * np.einsum("ki,kj->ij", c, weights)[:, :, None, None] * blended[:, None]
    sums = np.einsum("jrk,ijkc->irc", matrices, omega)  # [Q q; p^T 1]
    posed = np.empty_like(rest)
    for i, (sum_, p) in enumerate(zip(sums, center[:, :3])):
        q = sum_[:3, 3]
        posed[i] = q + nearest_rotation(sum_[:3, :3] - np.outer(q, p)) @ (rest[i] - p)
    return posed


class Equations(unittest.TestCase):
    def setUp(self):
        self.hero = pelt.sample("bar3", resolution=300, skin="smooth")
        self.matrices = self.hero.skin_matrices(0, fps=4)
        self.size = np.linalg.norm(np.ptp(self.hero.positions, axis=0))

    def expect(self, made, equations, *arguments):
        rest = self.hero.positions.astype(np.float64)
        for x, pose in zip(made, self.matrices.astype(np.float64)):
            expected = equations(rest, *arguments, pose)
            self.assertLess(np.abs(x - expected).max(), 2e-6 * self.size)

    def test_linear_blend_skinning(self):
        weights = self.hero.weights_dense().astype(np.float64)
        self.expect(self.hero.deform(self.matrices, method="lbs"), linear_blend, weights)

    def test_dual_quaternion_skinning(self):
        weights = self.hero.weights_dense().astype(np.float64)
        self.expect(self.hero.deform(self.matrices, method="dqs"), dual_quaternions, weights)

    def test_direct_delta_mush(self):
        hero = self.hero
        self.assertEqual(len(np.unique(hero.positions, axis=0)), hero.vertex_count)  # nothing to weld
        made = hero.deform(
            self.matrices,
            method="ddm-v0",
            lambda_=3,
            kappa=1,
            alpha=0.4,
            iterations=5,
            laplacian="uniform",
            bind="keep",
        )
        rest, weights = hero.positions.astype(np.float64), hero.weights_dense().astype(np.float64)
        for x, pose in zip(made, self.matrices.astype(np.float64)):
            expected = direct_delta_mush(rest, hero.triangles, weights, pose, 3, 1, 0.4, 5)
            self.assertLess(np.abs(x - expected).max(), 1e-5 * self.size)


if __name__ == "__main__":
    unittest.main()
