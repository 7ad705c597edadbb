"""Affine maps as NumPy arrays (…, 4, 4) that act on columns."""
import numpy as np

#: Blender's up is z, that of a character file is y.
Y_UP = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], dtype=float)


def of(blender_matrix):
    return np.array([list(row) for row in blender_matrix], dtype=float)


def moved(points, transform):
    return points @ transform[:3, :3].T + transform[:3, 3]


def nearest_rotation(linear):
    """The rotations nearest to (…, 3, 3), with determinant 1."""
    u, _, v = np.linalg.svd(linear)
    u[..., :, 2] *= np.linalg.det(u @ v)[..., np.newaxis]
    return u @ v


def is_rigid(transform, tolerance=1e-5):
    linear = transform[:3, :3]
    return np.abs(linear.T @ linear - np.eye(3)).max() < tolerance and np.linalg.det(linear) > 0


def quaternions(rotations):
    """w, x, y, z of (…, 3, 3); the largest of the four is found first: nothing is divided by next to nothing."""
    m = rotations
    trace = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    squares = np.stack([1 + trace] + [1 + 2 * m[..., i, i] - trace for i in range(3)], axis=-1)
    wx, wy, wz = (m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1])
    xy, yz, zx = (m[..., 0, 1] + m[..., 1, 0], m[..., 1, 2] + m[..., 2, 1], m[..., 0, 2] + m[..., 2, 0])
    rows = np.stack(
        [
            np.stack([squares[..., 0], wx, wy, wz], axis=-1),
            np.stack([wx, squares[..., 1], xy, zx], axis=-1),
            np.stack([wy, xy, squares[..., 2], yz], axis=-1),
            np.stack([wz, zx, yz, squares[..., 3]], axis=-1),
        ],
        axis=-2,
    )
    best = np.take_along_axis(rows, squares.argmax(axis=-1)[..., np.newaxis, np.newaxis], axis=-2)[..., 0, :]
    return best / np.linalg.norm(best, axis=-1, keepdims=True)


def decomposed(transforms):
    """Translations, quaternions (w, x, y, z), scales and the largest shear that these leave out, of (…, 4, 4)."""
    linear = transforms[..., :3, :3]
    scale = np.linalg.norm(linear, axis=-2)
    scale[..., 0] *= np.where(np.linalg.det(linear) < 0, -1, 1)
    rotation = nearest_rotation(linear / np.where(scale == 0, 1, scale)[..., np.newaxis, :])
    shear = np.abs(rotation * scale[..., np.newaxis, :] - linear).max() if linear.size else 0.0
    return transforms[..., :3, 3], quaternions(rotation), scale, float(shear)


def continuous(turns):
    """Quaternions (F, 4) of one joint, each in the half of the one before it."""
    flips = np.cumprod(np.where((turns[1:] * turns[:-1]).sum(axis=-1) < 0, -1.0, 1.0))
    return np.concatenate([turns[:1], turns[1:] * flips[:, np.newaxis]])
