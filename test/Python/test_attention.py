# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy, goatc-library
# RUN: %python -B %s
"""Layers built from functions mean what the functions say.

Each function is called on arrays as well, and attention is worked out from that
with NumPy in float64; the reference has to agree. That the compiled kernel does
is shown for a few.
"""

from pathlib import Path
import sys
import unittest

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python")]

import goatc  # noqa: E402

B, HQ, HKV, L, D = 2, 4, 2, 11, 8
RNG = np.random.default_rng(3)
# Values that f16 holds exactly, so that rounding plays no part.
Q, K, V = (RNG.integers(-8, 9, (B, h, L, D)).astype(np.float16) / 8
           for h in (HQ, HKV, HKV))
SLOPES = 2.0 ** -np.arange(1.0, HQ + 1)
BIAS = RNG.normal(size=(HQ, L, L)).astype(np.float32)
TABLE = RNG.normal(size=(HQ, 2 * L - 1)).astype(np.float32)
GATE = RNG.normal(size=(B, HQ, L)).astype(np.float32)
DOCUMENTS = np.sort(RNG.integers(0, 3, (B, L)), -1)
ALLOWED = RNG.integers(0, 2, (L, L)).astype(bool) | np.eye(L, dtype=bool)


def by_numpy(score=None, mask=None, exclude=None, load_q=None, load_k=None):
    """Returns out and lse of the functions called on arrays, in float64."""
    b, h, i, j = np.ogrid[:B, :HQ, :L, :L]
    q, k, v = (a.astype(np.float64) for a in (Q, K, V))
    rows = np.arange(L)[:, None]
    # Loaded rows are rounded to the type of query.
    if load_q:
        q = load_q(q, b, h, rows).astype(np.float16).astype(np.float64)
    if load_k:
        k = load_k(k, b, h[:, :HKV], rows).astype(np.float16).astype(np.float64)
    q, k, v = (np.repeat(a, HQ // a.shape[1], 1) for a in (q, k, v))
    s = np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(D)
    t = np.broadcast_to(score(s, b, h, i, j), s.shape) if score else s
    sees = np.broadcast_to(mask(b, h, i, j) if mask else True, s.shape)
    weights = np.where(sees, np.exp(t), 0.0)
    total = weights.sum(-1, keepdims=True)
    y = np.einsum("bhij,bhjd->bhid",
                  np.divide(weights, total, where=total > 0,
                            out=np.zeros_like(weights)), v)
    if exclude:
        y = exclude(y, v, b, h, i)
    with np.errstate(divide="ignore"):
        return y, np.log(total[..., 0])


class FunctionTest(unittest.TestCase):
    """The gallery of FlexAttention, and functions of every operator."""

    def check(self, **functions):
        expected = by_numpy(**functions)
        built = goatc.attention(Q, K, V, return_lse=True, **functions)
        kernel = goatc.compile(built, target="reference")
        actual = goatc.run(kernel, Q, K, V, on="reference")
        for a, e in zip(actual, expected):
            np.testing.assert_allclose(a, e, rtol=1e-6, atol=1e-6)

    def test_nothing(self):
        self.check()

    def test_causal_by_index(self):
        self.check(mask=lambda b, h, i, j: j <= i)

    def test_sliding_window(self):
        self.check(mask=lambda b, h, i, j: (i >= j) & (i - j <= 3))

    def test_prefix(self):
        self.check(mask=lambda b, h, i, j: (j < 4) | (i >= j))

    def test_documents(self):
        self.check(mask=lambda b, h, i, j: (
            DOCUMENTS[b, i] == DOCUMENTS[b, j]) & (j <= i))

    def test_an_array_of_truth_values(self):
        self.check(mask=lambda b, h, i, j: ALLOWED[i, j])

    def test_dilated_and_not(self):
        self.check(mask=lambda b, h, i, j: ~((i - j) % 3 != 0) ^ (h == 1))

    def test_neighbours_on_a_grid(self):
        self.check(mask=lambda b, h, i, j: (abs(i // 4 - j // 4) <= 1) &
                   (abs(i % 4 - j % 4) <= 1))

    def test_rows_without_keys(self):
        self.check(mask=lambda b, h, i, j: (j < i) & (i % 2 == 1))

    def test_alibi(self):
        self.check(score=lambda s, b, h, i, j: s + SLOPES[h] * (j - i))

    def test_soft_cap_then_bias(self):
        self.check(score=lambda s, b, h, i, j: 2 * np.tanh(s / 2) +
                   BIAS[h, i, j])

    def test_relative_table(self):
        self.check(score=lambda s, b, h, i, j: s + TABLE[h, i - j + L - 1])

    def test_row_and_key_gates(self):
        self.check(score=lambda s, b, h, i, j: s * GATE[b, h, i] -
                   np.maximum(GATE[b, h, j], 0.0))

    def test_buckets(self):
        def score(s, b, h, i, j):
            far = np.minimum(np.floor(np.log(np.maximum(abs(i - j), 1)) * 2), 5)
            return s + np.where(abs(i - j) < 3, abs(i - j), far) * 0.25

        self.check(score=score)

    def test_functions(self):
        self.check(score=lambda s, b, h, i, j: (
            np.exp(-s) + np.exp2(s) + np.log(abs(s) + 1) + np.log2(2 + s * s) +
            np.log1p(s ** 2) + np.sin(s) - np.cos(s) + np.sqrt(abs(s)) +
            np.clip(s, -0.5, 0.25) + np.ceil(s) + (2 + s) ** 1.5) / 8)

    def test_integers_divide_as_in_python(self):
        self.check(score=lambda s, b, h, i, j: s + (i - j) // 3 * 0.5 +
                   (i - j) % -4 + (i - j) // -1 + i % 1 + (i - 2 * j) / 7 + (s * 3) // 1 + s % 0.25)

    def test_comparisons_are_numbers(self):
        self.check(score=lambda s, b, h, i, j: s + (i > j) * 0.5 +
                   (i != j) + (s >= 0) * (s < 1) - np.where(h, 1.5, -1))

    def test_constants_on_the_left(self):
        self.check(score=lambda s, b, h, i, j: 1 - s + 2 / (3 + abs(s)) +
                   7.5 // (i + 1) + 9.0 % (j + 2) + 2.0 ** (i - j) * 0.001)

    def test_xsa_by_hand(self):
        def exclude(y, v, b, h, i):
            if isinstance(y, np.ndarray):
                return y - (y * v).sum(-1, keepdims=True) * v / np.maximum(
                    (v * v).sum(-1, keepdims=True), 1e-12)
            return y - goatc.row_sum(y * v) * v / np.maximum(
                goatc.row_sum(v * v), 1e-12)

        self.check(exclude=exclude)

    def test_a_gate_per_token(self):
        self.check(exclude=lambda y, v, b, h, i: y * np.tanh(
            GATE[b, h, i] if not isinstance(y, np.ndarray)
            else GATE[..., None]))

    def test_rows_compare_and_select(self):
        self.check(exclude=lambda y, v, b, h, i: np.where(y > v, y, -0.5 * v))


class Expressions:
    """Random expressions of integers, numbers and truth values; `weird` ones
    that NumPy and a kernel treat differently (overflow, 0 / 0) are left out."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def pick(self, *choices):
        return choices[self.random.integers(len(choices))]

    def integer(self, depth):
        if depth == 0:
            return self.pick("b", "h", "i", "j", "3", "-2", "DOCUMENTS[b, j]",
                             "ALLOWED[i, j] * 5")
        a, b = self.integer(depth - 1), self.integer(depth - 1)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})",
            f"({a} // {self.pick(3, -2, 1, -1, 7)})",
            f"({a} % {self.pick(3, -2, 5, 1)})", f"abs({a})", f"(-{a})",
            f"np.minimum({a}, {b})", f"np.maximum({a}, {b})",
            f"np.where({self.truth(depth - 1)}, {a}, {b})")

    def number(self, depth):
        if depth == 0:
            return self.pick("s", "0.75", "BIAS[h, i, j]", "GATE[b, h, i]",
                             "SLOPES[h]", "-1.5", "TABLE[h, i - j + 10]")
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})",
            f"({a} / (1.5 + abs({b})))", f"(-{a})", f"abs({a})",
            f"np.tanh({a})", f"np.exp(-abs({a}))", f"np.sin({a})",
            f"np.sqrt(abs({a}))", f"np.log1p(abs({a}))",
            f"np.minimum({a}, {b})", f"np.clip({a}, -1, {self.pick(0, 0.5, 2)})",
            f"(np.minimum({self.integer(depth - 1)}, 50) / 7)",
            f"(np.clip({self.integer(depth - 1)}, -9, 9) + {a})",
            f"np.where({self.truth(depth - 1)}, {a}, {b})",
            f"({self.truth(depth - 1)} * {a})")

    def truth(self, depth):
        if depth == 0:
            return self.pick("(i > j)", "ALLOWED[i, j]", "(h == 1)", "(s > 0.1)",
                             "(DOCUMENTS[b, i] == DOCUMENTS[b, j])")
        a, b = self.truth(depth - 1), self.truth(depth - 1)
        c, d = self.integer(depth - 1), self.integer(depth - 1)
        sign = self.pick("<", "<=", "==", "!=", ">", ">=")
        return self.pick(f"({a} & {b})", f"({a} | {b})", f"({a} ^ {b})",
                         f"({c} {sign} {d})", f"({c} {sign} {d})")


class RandomTest(unittest.TestCase):
    check = FunctionTest.check

    def test_random_functions(self):
        for seed in range(60):
            make = Expressions(seed)
            score = f"lambda s, b, h, i, j: s + 0.5 * np.tanh({make.number(3)})"
            mask = f"lambda b, h, i, j: (i == j) | ({make.truth(2)})".replace(
                "s > 0.1", "b < 1")
            with self.subTest(f"seed {seed}: {score}; {mask}"):
                names = {"np": np, "BIAS": BIAS, "GATE": GATE, "SLOPES": SLOPES,
                         "TABLE": TABLE, "DOCUMENTS": DOCUMENTS,
                         "ALLOWED": ALLOWED}
                self.check(score=eval(score, names), mask=eval(mask, names))


class MethodTest(unittest.TestCase):
    """The priors, masks and exclusions that come with the package."""

    def check(self, parts, **functions):
        expected = by_numpy(**functions)
        built = goatc.attention(Q, K, V, return_lse=True, **parts)
        kernel = goatc.compile(built, target="reference")
        actual = goatc.run(kernel, Q, K, V, on="reference")
        for a, e in zip(actual, expected):
            np.testing.assert_allclose(a, e, rtol=1e-6, atol=1e-6)

    def test_goat(self):
        alpha, beta = RNG.normal(size=(2, HKV, 3)).astype(np.float32)
        omega = np.array([1, 0.1, 0.01], np.float32)
        u = RNG.normal(size=(HKV, L)).astype(np.float32)

        def score(s, b, h, i, j):
            # Parameters per key head: two query heads read one row.
            phase = (i - j)[..., None] * omega.astype(np.float64)
            g = h[..., None] // 2, np.arange(3)
            return s + 0.5 * u[h // 2, j] + (
                alpha[g] * np.cos(phase) + beta[g] * np.sin(phase)).sum(-1)

        self.check({"score": goatc.prior.fourier(alpha, beta, omega) +
                    0.5 * goatc.prior.key(u)}, score=score)

    def test_fourier_of_another_distance(self):
        alpha = np.ones((1, 1), np.float32)
        omega = np.array([0.5], np.float32)
        self.check(
            {"score": goatc.prior.fourier(alpha, 0 * alpha, omega,
                                          lambda b, h, i, j: i % 4 - j % 4)},
            score=lambda s, b, h, i, j: s + np.cos(0.5 * (i % 4 - j % 4)))

    def test_other_priors(self):
        self.check({"score": goatc.prior.alibi(SLOPES) -
                    goatc.prior.bias(BIAS)},
                   score=lambda s, b, h, i, j: s - SLOPES[h] * (i - j) -
                   BIAS[h, i, j])
        self.check({"score": goatc.prior.relative(TABLE[:, :5], first=-2)},
                   score=lambda s, b, h, i, j: s + TABLE[
                       h, np.clip(i - j + 2, 0, 4)])

    def test_sink(self):
        gain, bump = RNG.normal(size=(2, HQ)).astype(np.float32)
        w1 = RNG.normal(size=(4, 6)).astype(np.float32)
        b1, w2 = RNG.normal(size=(2, 4)).astype(np.float32)
        b2 = np.array([0.25], np.float32)
        omega = np.array([1, 0.5], np.float32)

        def score(s, b, h, i, j):
            t = np.arange(L, dtype=float)[:, None]
            x = np.concatenate([np.cos(t * omega), np.sin(t * omega), t / 64,
                                np.log1p(t) / np.log1p(64.0)], 1) @ w1.T + b1
            u = (x / (1 + np.exp(-x))) @ w2 + b2
            return s + gain[h] * u[j] + bump[h] * (j == 0)

        self.check({"score": goatc.prior.sink(gain, bump, w1, b1, w2, b2, omega,
                                              64.0)}, score=score)

    def test_alibi_and_t5(self):
        self.check({"score": goatc.prior.alibi()},
                   score=lambda s, b, h, i, j: s -
                   2.0 ** (-8 * (h + 1) / HQ) * (i - j))
        self.check({"score": goatc.prior.alibi(SLOPES, symmetric=True)},
                   score=lambda s, b, h, i, j: s - SLOPES[h] * abs(i - j))
        table = RNG.normal(size=(HQ, 8)).astype(np.float32)

        def bucket(d):
            # 4 exact ones, then 4 up to a distance of 16; the future is 0.
            d = np.maximum(d, 0)
            far = 4 + np.floor(np.log(np.maximum(d, 4) / 4) / np.log(4) * 4 +
                               1e-9).astype(int)
            return np.where(d < 4, d, np.minimum(far, 7))

        self.check({"score": goatc.prior.t5(table, max_distance=16)},
                   score=lambda s, b, h, i, j: s + table[h, bucket(i - j)])

    def test_soft_cap(self):
        self.check({"score": lambda s, b, h, i, j: goatc.softcap(s, 1.5)},
                   score=lambda s, b, h, i, j: 1.5 * np.tanh(s / 1.5))

    def test_masks(self):
        mask = goatc.mask
        for built, by_hand in (
                (mask.causal(), lambda b, h, i, j: j <= i),
                (mask.window(3, 1),
                 lambda b, h, i, j: (i - j <= 3) & (j - i <= 1)),
                (mask.prefix(4) | mask.causal(),
                 lambda b, h, i, j: (j < 4) | (j <= i)),
                (mask.prefix(np.array([2, 5])),
                 lambda b, h, i, j: j < np.array([2, 5])[b]),
                (mask.streaming(2, 3), lambda b, h, i, j: (j <= i) & (
                    (j < 2) | (i - j < 3))),
                (mask.documents(DOCUMENTS) & ~mask.window(right=-1),
                 lambda b, h, i, j: (DOCUMENTS[b, i] == DOCUMENTS[b, j]) &
                 (j > i - 1)),
                (mask.documents(DOCUMENTS[0], DOCUMENTS[1]),
                 lambda b, h, i, j: DOCUMENTS[0, i] == DOCUMENTS[1, j]),
                (mask.documents(DOCUMENTS, sorted=True),
                 lambda b, h, i, j: DOCUMENTS[b, i] == DOCUMENTS[b, j]),
                (mask.window(4, 0, dilation=2), lambda b, h, i, j: (
                    j <= i) & (i - j <= 4) & ((i - j) % 2 == 0)),
                (mask.window(np.array([1, 4])), lambda b, h, i, j: (
                    i - j <= np.array([1, 4])[b])),
                (mask.neighborhood((3, 4), (3, 3)),
                 lambda b, h, i, j: (j % 4 >= np.clip(i % 4 - 1, 0, 1)) &
                 (j % 4 < np.clip(i % 4 - 1, 0, 1) + 3)),
                (mask.array(ALLOWED), lambda b, h, i, j: ALLOWED[i, j])):
            with self.subTest(repr(built)):
                self.check({"mask": built}, mask=by_hand)

    def test_exclusions(self):
        def xsa(strength):
            def apply(y, v, b, h, i):
                scale = strength(b, h, i) / np.maximum(
                    (v * v).sum(-1, keepdims=True), 1e-12)
                return y - scale * (y * v).sum(-1, keepdims=True) * v
            return apply

        per_head = np.linspace(0, 1, HQ).astype(np.float32)
        exclude = goatc.exclude
        for built, by_hand in (
                (exclude.xsa(), xsa(lambda b, h, i: 1.0)),
                (exclude.xsa(0.25), xsa(lambda b, h, i: 0.25)),
                (exclude.xsa(per_head), xsa(lambda b, h, i: per_head[h])),
                (exclude.xsa(lambda b, h, i: goatc.tanh(
                    exclude_gate[b, h, i])),
                 xsa(lambda b, h, i: np.tanh(GATE[..., None]))),
                (exclude.xsa().then(exclude.gate(GATE)),
                 lambda y, v, b, h, i: xsa(lambda *_: 1.0)(y, v, b, h, i) *
                 GATE[..., None])):
            with self.subTest(repr(built)):
                self.check({"exclude": built}, exclude=by_hand)

    def test_another_own_row(self):
        self.check({"exclude": goatc.exclude.xsa(),
                    "own": lambda b, h, i: (i + h) % L},
                   exclude=lambda y, v, b, h, i: y - (
                       lambda o: (y * o).sum(-1, keepdims=True) * o /
                       np.maximum((o * o).sum(-1, keepdims=True), 1e-12))(
                           np.stack([np.roll(v[:, n], -n, 1)
                                     for n in range(HQ)], 1)))

    def test_loads(self):
        omega = np.array([1.0, 0.1], np.float32)
        weight = RNG.normal(size=D).astype(np.float32)
        rows = goatc.rows

        def rope(x, i, columns, magnitude=1.0):
            angle = i * omega.astype(np.float64)
            a, c = (x[..., n] for n in columns)
            y = x.copy()
            y[..., columns[0]] = magnitude * (a * np.cos(angle) -
                                              c * np.sin(angle))
            y[..., columns[1]] = magnitude * (c * np.cos(angle) +
                                              a * np.sin(angle))
            return y

        halves, neighbours = ([0, 1], [2, 3]), ([2, 4], [3, 5])
        self.check(
            {"load_q": rows.rms_norm(weight, 1e-3).then(rows.rope(omega)),
             "load_k": rows.l2_norm().then(rows.rope(
                 omega, "neighbours", first=2, magnitude=1.5))},
            load_q=lambda x, b, h, i: rope(
                x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(1e-3)) *
                weight, i, halves),
            load_k=lambda x, b, h, i: rope(
                x / np.maximum(np.sqrt((x * x).sum(-1, keepdims=True)), 1e-12),
                i, neighbours, 1.5))
        self.check({"load_q": rows.rope(omega, position=lambda b, h, i: i // 4)},
                   load_q=lambda x, b, h, i: rope(x, i // 4, halves))
        self.check({"load_k": lambda row, b, h, j: row * (0.5 + h * 0.25)},
                   load_k=lambda x, b, h, j: x * (0.5 + h[..., :] * 0.25))

    def test_the_other_layout(self):
        expected = by_numpy(mask=lambda b, h, i, j: j <= i)
        q, k, v = (np.ascontiguousarray(a.transpose(0, 2, 1, 3))
                   for a in (Q, K, V))
        kernel = goatc.compile(goatc.attention(
            q, k, v, mask=goatc.mask.causal(), layout="bshd", return_lse=True),
            target="reference")
        actual = goatc.run(kernel, q, k, v, on="reference")
        np.testing.assert_allclose(actual.out.transpose(0, 2, 1, 3),
                                   expected[0], rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(actual.lse, expected[1], rtol=1e-6)

    def test_refused_parameters(self):
        for make, message in (
                (lambda: goatc.exclude.xsa(mode="max"), "clamp, add, where"),
                (lambda: goatc.rows.rope(SLOPES, "thirds"), "halves or neigh"),
                (lambda: goatc.attention(Q, K, V, layout="sbhd"), "bhsd or bshd"),
                (lambda: goatc.exclude.gate(np.zeros((2, 2))), "a number, "),
                (lambda: goatc.mask.window(), "a width on one side"),
                (lambda: goatc.mask.documents(np.zeros((1, 1, 1), int)),
                 "rank 1 or 2"),
                (lambda: goatc.mask.prefix(np.zeros(2)), "an integer, or i32"),
                (lambda: goatc.prior.bias(np.zeros(3)), "rank 2 to 4"),
                (lambda: goatc.prior.relative(np.zeros((1, 1, 1))),
                 "rank 1 or 2")):
            with self.assertRaisesRegex(ValueError, message):
                make()


exclude_gate = goatc.capture(GATE, "gate")


class CompiledTest(unittest.TestCase):
    """A kernel from functions, on the simulator, against the reference."""

    def test_a_layer_with_everything(self):
        def score(s, b, h, i, j):
            return s + BIAS[h, i, j] - SLOPES[h] * goatc.distance(b, i, j) + (
                (i - j) // 2 % 3) * 0.5

        kernel = goatc.compile(goatc.attention(
            Q, K, V, score=score, mask=lambda b, h, i, j: (
                DOCUMENTS[b, i] == DOCUMENTS[b, j]) | ALLOWED[i, j],
            exclude=goatc.exclude.xsa(SLOPES).then(goatc.exclude.gate(GATE)),
            sink=np.zeros(HQ, np.float32), return_lse=True), target="sm_80")
        for comparison in goatc.compare(kernel, Q, K, V, seed=5):
            self.assertTrue(comparison.is_within, comparison)


if __name__ == "__main__":
    unittest.main()
