"""Trains the network of `bind --method smooth` on samples, and says how well it does on families that it has not seen.

usage: train.py BINS… [--leave PREFIX]… [--test PREFIX]… [--epochs N] [--seed N] [--out FILE] [--runs N]

BINS are files of bind_samples_bench; the family of a file is the part of its name before the first "_". Files of
families in --leave or --test are not trained on; their two-joint hit is printed, of the rules and of the network.
"""
import argparse
import multiprocessing
import pathlib
import textwrap

import numpy as np

CANDIDATES, FEATURES, HIDDEN = 12, 63, (64, 32)
OWN = 12  # the number that says that the rules chose the candidate


def load(path):
    rows = np.fromfile(path, "<i2").reshape(-1, CANDIDATES * (FEATURES + 1))
    split = CANDIDATES * FEATURES
    x = rows[:, :split].reshape(-1, CANDIDATES, FEATURES)
    y = rows[:, split:].astype(np.int16).view("<u2").astype(np.float32) / 65535
    return x, y


class Network:
    """Scores a candidate; a softmax over the candidates of a vertex makes weights of the scores."""

    def __init__(self, rng):
        sizes = (FEATURES, *HIDDEN, 1)
        self.w = [rng.normal(0, np.sqrt(2 / a), (a, b)).astype(np.float32) for a, b in zip(sizes, sizes[1:])]
        self.b = [np.zeros(b, np.float32) for b in sizes[1:]]

    def parameters(self):
        return self.w + self.b

    def forward(self, x):
        self.inputs = [x]
        for k, (w, b) in enumerate(zip(self.w, self.b)):
            x = x @ w + b
            if k + 1 < len(self.w):
                x = np.maximum(x, 0)
                self.inputs.append(x)
        return x[:, 0]

    def gradients(self, d):
        d = d[:, None]
        dw, db = [], []
        for k in reversed(range(len(self.w))):
            dw.append(self.inputs[k].T @ d)
            db.append(d.sum(axis=0))
            if k:
                d = (d @ self.w[k].T) * (self.inputs[k] > 0)
        return dw[::-1] + db[::-1]


def probabilities(network, x, kept=None):
    """Of int16 rows (n, candidates, features); an empty candidate gets nothing. `kept`: features of each vertex that
    the network may see."""
    numbers = x.astype(np.float32) / 32767
    empty = ~numbers.any(axis=2)
    if kept is not None:
        numbers *= kept[:, None, :]
    scores = network.forward(numbers.reshape(-1, FEATURES)).reshape(-1, CANDIDATES)
    scores = np.where(empty, -60, scores)
    scores -= scores.max(axis=1, keepdims=True)
    e = np.exp(scores)
    return e / e.sum(axis=1, keepdims=True)


def train(x, y, shares, epochs, seed, decay, drop, batch=512, rate=2e-3):
    rng = np.random.default_rng(seed)
    network = Network(rng)
    parameters = network.parameters()
    first, second = [np.zeros_like(p) for p in parameters], [np.zeros_like(p) for p in parameters]
    steps = int(epochs * len(x)) // batch
    picks = rng.choice(len(x), steps * batch, p=shares)
    for step in range(steps):
        pick = picks[step * batch : (step + 1) * batch]
        kept = (rng.random((batch, FEATURES)) >= drop).astype(np.float32)
        p = probabilities(network, x[pick], kept)
        d = ((p - y[pick]) / batch).astype(np.float32)
        lr = rate * 0.5 * (1 + np.cos(np.pi * step / steps)) * min(1, (step + 1) / 200)
        for k, g in enumerate(network.gradients(d.reshape(-1))):
            first[k] += 0.1 * (g - first[k])
            second[k] += 0.001 * (g * g - second[k])
            size = np.sqrt(second[k] / (1 - 0.999 ** (step + 1))) + 1e-8
            parameters[k] -= lr * (
                first[k] / (1 - 0.9 ** (step + 1)) / size + decay * (parameters[k].ndim > 1) * parameters[k]
            )
    return network


def hit(chosen, y):
    """Whether the chosen candidate is one of the artist's two heaviest."""
    order = np.sort(y, axis=1)
    value = y[np.arange(len(y)), chosen]
    return (value > 0) & (value >= order[:, -2])


def report(networks, files):
    for family in sorted({f for f, _, _, _ in files}):
        rows = []
        for f, name, x, y in files:
            if f != family or not len(x):
                continue
            p = sum(probabilities(n, x) for n in networks) / len(networks)
            rules = np.argmax(x[:, :, OWN], axis=1)
            one = np.eye(CANDIDATES)[rules]
            rows.append(
                (
                    100 * hit(rules, y).mean(),
                    100 * hit(p.argmax(axis=1), y).mean(),
                    np.abs(one - y).sum(axis=1).mean(),
                    np.abs(p - y).sum(axis=1).mean(),
                )
            )
            print(
                f"    {name:34} rules {rows[-1][0]:5.1f} {rows[-1][2]:.2f}   network {rows[-1][1]:5.1f} {rows[-1][3]:.2f}"
            )
        r = np.array(rows)
        if len(r):
            print(
                f"{family:6} {len(r)} files: rules {np.median(r[:, 0]):.1f} / {np.quantile(r[:, 0], .1):.1f}, L1 "
                f"{np.median(r[:, 2]):.2f}; network {np.median(r[:, 1]):.1f} / {np.quantile(r[:, 1], .1):.1f}, L1 "
                f"{np.median(r[:, 3]):.2f}; worse than the rules by {max(0, (r[:, 0] - r[:, 1]).max()):.1f} at most"
            )


def write(networks, path):
    """Whole numbers of one byte, with one scale per output of a layer; read by smooth_network.cpp."""
    scales, numbers = [], []
    for network in networks:
        for w, b in zip(network.w, network.b):
            for k in range(w.shape[1]):
                scale = max(np.abs(w[:, k]).max() / 127, 1e-8)
                scales += [f"{scale:.6e}f", f"{b[k]:.6e}f"]
                numbers += [str(n) for n in np.round(w[:, k] / scale).astype(int)]
    lines = textwrap.wrap(", ".join(scales), 116), textwrap.wrap(", ".join(numbers), 116)
    path.write_text(
        """// Written by scripts/train_bind: per output of a layer its scale and offset, and one number per input.
// clang-format off
constexpr float kScales[] = {
    %s};
constexpr std::int8_t kNumbers[] = {
    %s};
// clang-format on
"""
        % tuple("\n    ".join(part) for part in lines)
    )


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("bins", nargs="+", type=pathlib.Path)
    parser.add_argument("--leave", action="append", default=[])
    parser.add_argument("--test", action="append", default=[])
    parser.add_argument("--epochs", type=float, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--decay", type=float, default=0.02)
    parser.add_argument("--drop", type=float, default=0.1)
    parser.add_argument("--nets", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    held = tuple(options.leave + options.test)
    seen, unseen = [], []
    for path in sorted(options.bins):
        x, y = load(path)
        family = path.stem.split("_")[0]
        (unseen if family in held else seen).append((family, path.stem, x, y))
    sizes = {}
    for family, _, x, _ in seen:
        sizes[family] = sizes.get(family, 0) + len(x)
    shares = np.concatenate([np.full(len(x), 1 / sizes[f] ** 0.5) for f, _, x, _ in seen])
    x, y = np.concatenate([s[2] for s in seen]), np.concatenate([s[3] for s in seen])
    print(f"{len(x)} vertices of {sizes}", flush=True)
    work = [
        (x, y, shares / shares.sum(), options.epochs, options.seed + k, options.decay, options.drop)
        for k in range(options.nets)
    ]
    with multiprocessing.get_context("fork").Pool(options.nets) as pool:
        networks = pool.starmap(train, work)
    report(networks, unseen)
    if options.out:
        write(networks, options.out)


main()
