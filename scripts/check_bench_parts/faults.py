"""Faults that are put into a good skin, one of each kind."""
import re

import numpy
import scipy.sparse
import scipy.sparse.csgraph


class Body:
    """A skin with what faults need to know: welded points, neighbors, pieces, twins of joints."""

    def __init__(self, glb):
        self.glb, self.weights = glb, glb.weights
        _, self.first, self.point = numpy.unique(
            numpy.round(glb.positions, 6), axis=0, return_index=True, return_inverse=True
        )
        self.places = glb.positions[self.first]
        faces = self.point[glb.triangles]
        edges = numpy.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
        edges = numpy.concatenate([edges, edges[:, ::-1]])
        edges = numpy.unique(edges[edges[:, 0] != edges[:, 1]], axis=0)
        n = len(self.places)
        self.graph = scipy.sparse.csr_matrix((numpy.ones(len(edges)), (edges[:, 0], edges[:, 1])), (n, n))
        self.pieces, self.piece = scipy.sparse.csgraph.connected_components(self.graph, directed=False)
        self.rows = self.weights[self.first]
        self.home = self.rows.argmax(1)
        self.size = numpy.linalg.norm(self.places.max(0) - self.places.min(0))
        self.used = [j for j in glb.joints if self.rows[:, j].sum() > 0]

    def name(self, joint):
        return self.glb.nodes[joint].get("name", "")

    def chain(self, joint):
        """The joint and those above it."""
        made = []
        while joint >= 0:
            made.append(joint)
            joint = self.glb.parents[joint]
        return made

    def hops(self, a, b):
        up, down = self.chain(a), self.chain(b)
        common = next((j for j in down if j in up), None)
        return 99 if common is None else up.index(common) + down.index(common)

    def center(self, joint):
        w = self.rows[:, joint]
        return (self.places * w[:, None]).sum(0) / w.sum()

    def twin(self, joint):
        name = self.name(joint)
        for a, b in (
            ("Left", "Right"),
            ("left", "right"),
            ("_L", "_R"),
            (".L", ".R"),
            ("_l", "_r"),
            (".l", ".r"),
            (" L ", " R "),
            ("L ", "R "),
        ):
            for one, other in ((a, b), (b, a)):
                pattern = re.escape(one) + (r"(?![a-z])" if one[-1].lower() in "lr" else "")
                if re.search(pattern, name):
                    wanted = re.sub(pattern, other, name, count=1)
                    for j in self.glb.joints:
                        if self.name(j) == wanted:
                            return j
        return None

    def spread(self, rows):
        """Weights of all vertices from rows of points; vertices whose point's row is unchanged keep theirs."""
        made, changed = self.weights.copy(), numpy.abs(rows - self.rows).max(1) > 1e-9
        touched = changed[self.point]
        made[touched] = rows[self.point[touched]]
        return made

    def ball(self, center, count):
        return numpy.argsort(numpy.linalg.norm(self.places - self.places[center], axis=1), kind="stable")[:count]


class NotHere(Exception):
    """The character has nothing that could be spoiled in this way."""


def patch(body, random):
    """1 % of the points on a joint far from them."""
    count = max(4, len(body.places) // 100)
    for _ in range(200):
        center = random.integers(len(body.places))
        chosen = body.ball(center, count)
        joint = body.used[random.integers(len(body.used))]
        near = numpy.linalg.norm(body.places[body.rows[:, joint] > 0.2] - body.places[center], axis=1)
        if body.hops(joint, body.home[center]) < 3 or not len(near) or near.min() < 0.12 * body.size:
            continue
        rows = body.rows.copy()
        rows[chosen] = 0
        rows[chosen, joint] = 1
        return body.spread(rows), "bleed", {joint, body.home[center]}
    raise NotHere


def swapped(body, random):
    """Left and right exchanged on a limb: the subtree of a joint and its twin's."""
    pairs = []
    for joint in body.glb.joints:
        twin = body.twin(joint)
        if twin is None or twin == joint:
            continue
        below = [j for j in body.glb.joints if joint in body.chain(j)]
        twins = [body.twin(j) for j in below]
        share = body.rows[:, below].sum() / len(body.places)
        if None in twins or share < 0.02 or share > 0.3 or len(below) < 2:
            continue
        if (
            numpy.linalg.norm(body.center(joint) - body.center(twin)) > 0.1 * body.size
            if (body.rows[:, joint].sum() > 0 and body.rows[:, twin].sum() > 0)
            else False
        ):
            pairs.append((below, twins))
    if not pairs:
        raise NotHere
    below, twins = pairs[random.integers(len(pairs))]
    rows = body.rows.copy()
    rows[:, below], rows[:, twins] = body.rows[:, twins], body.rows[:, below]
    return body.spread(rows), "swapped", set(below) | set(twins)


def noise(body, random):
    """Every weight scaled at random, and some of a neighbor's joint."""
    rows = body.rows * numpy.exp(random.normal(0, 0.8, body.rows.shape))
    rows += (body.graph @ body.rows > 0.02) * random.random(body.rows.shape) * 0.15
    rows /= rows.sum(1, keepdims=True)
    return body.spread(rows), "noise", set(body.glb.joints)


def torn(body, random):
    """One side of a seam follows another joint by half."""
    copies = numpy.bincount(body.point)
    lone = [p for p in numpy.nonzero(copies > 1)[0]]
    if len(lone) < 8:
        raise NotHere
    center = lone[random.integers(len(lone))]
    near = body.ball(center, max(16, len(body.places) // 40))
    seam = [p for p in near if copies[p] > 1][:30]
    if len(seam) < 4:
        raise NotHere
    others = [j for j in body.used if j != body.home[center] and body.hops(j, body.home[center]) <= 2]
    if not others:
        raise NotHere
    joint = others[random.integers(len(others))]
    made = body.weights.copy()
    for p in seam:
        vertex = numpy.nonzero(body.point == p)[0][-1]
        made[vertex] *= 0.5
        made[vertex, joint] += 0.5
    return made, "torn", {joint} | set(body.home[seam])


def cut(body, random):
    """All influences but the heaviest cut."""
    if (body.rows.max(1) < 0.95).mean() < 0.1:
        raise NotHere
    rows = numpy.zeros_like(body.rows)
    rows[numpy.arange(len(rows)), body.home] = 1
    return body.spread(rows), "crease", set(body.glb.joints)


def piece(body, random):
    """A loose piece follows the joint next to its own."""
    found = []
    for k in range(body.pieces):
        points = numpy.nonzero(body.piece == k)[0]
        if not 4 <= len(points) <= 0.1 * len(body.places):
            continue
        home = numpy.bincount(body.home[points]).argmax()
        others = [j for j in body.used if body.hops(j, home) == 1]
        others = [
            j
            for j in others
            if numpy.linalg.norm(
                body.places[body.rows[:, j] > 0.5][:, None] - body.places[points][None, :12], axis=2
            ).min(initial=9e9)
            > 0.05 * body.size
        ]
        found += [(points, home, j) for j in others]
    if not found:
        raise NotHere
    points, home, joint = found[random.integers(len(found))]
    rows = body.rows.copy()
    rows[points] = 0
    rows[points, joint] = 1
    return body.spread(rows), "piece", {joint, home}


def root(body, random):
    """2 % of the points on the root."""
    roots = [j for j in body.glb.joints if not any(k in body.glb.joints for k in body.chain(j)[1:])]
    top = max(roots, key=lambda j: sum(j in body.chain(k) for k in body.glb.joints))
    chosen = random.choice(len(body.places), max(4, len(body.places) // 50), replace=False)
    if body.rows[chosen, top].mean() > 0.5:
        raise NotHere
    rows = body.rows.copy()
    rows[chosen] = 0
    rows[chosen, top] = 1
    return body.spread(rows), "unweighted", set(body.glb.joints)


def blurred(body, random):
    """Weights smoothed until distant joints bend the limbs."""
    degree = numpy.maximum(numpy.asarray(body.graph.sum(1)).ravel(), 1)
    rows, scaled = body.rows.copy(), scipy.sparse.diags(1 / degree) @ body.graph
    edges = body.graph.tocoo()
    edge = numpy.linalg.norm(body.places[edges.row] - body.places[edges.col], axis=1).mean()
    if body.pieces > 0.02 * len(body.places) or (body.rows.max(1) < 0.95).mean() < 0.1:
        raise NotHere
    for _ in range(int(min(2000, max(20, (0.12 * body.size / edge) ** 2)))):
        rows = 0.5 * rows + 0.5 * (scaled @ rows)
    lonely = numpy.asarray(body.graph.sum(1)).ravel() == 0
    rows[lonely] = body.rows[lonely]
    rows[rows < 0.005] = 0
    rows /= rows.sum(1, keepdims=True)
    return body.spread(rows), "bleed", set(body.glb.joints)


FAULTS = {
    "patch": patch,
    "swapped": swapped,
    "noise": noise,
    "torn": torn,
    "cut": cut,
    "piece": piece,
    "root": root,
    "blurred": blurred,
}
