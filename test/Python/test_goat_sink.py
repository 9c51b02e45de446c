# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy
# RUN: %python -B %s
"""Tests of the prior parameters of a GOAT layer."""

import math
from pathlib import Path
import sys
import unittest

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python" / "scripts"))

import goat_sink  # noqa: E402


class GoatSinkTest(unittest.TestCase):
    def setUp(self):
        self.layer = goat_sink.seeded_layer(12, 4, 4, seed=0)

    def test_frequencies_run_from_one_to_the_inverse_base(self):
        omega = goat_sink.frequencies(4)
        np.testing.assert_allclose(omega, [1.0, 10 ** (-4 / 3),
                                           10 ** (-8 / 3), 1e-4], rtol=1e-14)
        np.testing.assert_array_equal(goat_sink.frequencies(1), [1.0])

    def test_slopes_of_a_power_of_two(self):
        np.testing.assert_allclose(goat_sink.alibi_slopes(8),
                                   0.5 ** np.arange(1, 9), rtol=1e-14)

    def test_slopes_of_twelve_heads_are_completed_from_sixteen(self):
        slopes = goat_sink.alibi_slopes(12)
        np.testing.assert_allclose(slopes[8:],
                                   2.0 ** -np.array([0.5, 1.5, 2.5, 3.5]),
                                   rtol=1e-14)

    def test_no_heads_are_refused(self):
        with self.assertRaisesRegex(ValueError, "at least one head"):
            goat_sink.alibi_slopes(0)

    def test_shapes(self):
        self.assertEqual(self.layer.alpha.shape, (12, 4))
        self.assertEqual(self.layer.beta.shape, (12, 4))
        self.assertEqual(goat_sink.key_prior(self.layer, 100).shape, (12, 100))

    def test_initial_layer_has_no_antisymmetric_part_and_no_bump(self):
        layer = goat_sink.initial_layer(12, 4, 4, seed=0)
        self.assertTrue(np.all(layer.beta == 0.0))
        self.assertTrue(np.all(layer.bump == 0.0))
        self.assertLess(np.abs(layer.alpha).max(), 5e-2)

    def test_a_seed_gives_the_same_layer_and_another_seed_another(self):
        again = goat_sink.seeded_layer(12, 4, 4, seed=0)
        other = goat_sink.seeded_layer(12, 4, 4, seed=1)
        np.testing.assert_array_equal(again.alpha, self.layer.alpha)
        np.testing.assert_array_equal(again.hidden_weight,
                                      self.layer.hidden_weight)
        self.assertFalse(np.array_equal(other.alpha, self.layer.alpha))

    def test_one_value_by_hand(self):
        t, length, head = 3, 8, 5
        last = length - 1
        omega = [10.0 ** (-4 * m / 3) for m in range(4)]
        features = ([math.cos(w * t) for w in omega]
                    + [math.sin(w * t) for w in omega]
                    + [t / last, math.log1p(t) / math.log1p(last)])
        total = 0.0
        for unit in range(4):
            z = sum(w * f for w, f in
                    zip(self.layer.hidden_weight[unit], features))
            total += self.layer.output_weight[unit] * z / (1 + math.exp(-z))
        expected = total + self.layer.slope[head] * t
        actual = goat_sink.key_prior(self.layer, length)[head, t]
        self.assertAlmostEqual(actual, expected, places=13)

    def test_without_the_slope_u_is_bounded(self):
        u = goat_sink.key_prior(self.layer, 4096, causal=False)
        features = goat_sink.position_features(np.arange(4096.0), 4, None)
        reach = np.abs(features).max(0)
        bound = (np.abs(self.layer.hidden_weight) @ reach
                 @ np.abs(self.layer.output_weight))
        self.assertLess(np.abs(u[:, 1:]).max(), bound)

    def test_the_causal_part_is_linear_in_the_position(self):
        causal = goat_sink.key_prior(self.layer, 64)
        plain = goat_sink.key_prior(self.layer, 64, causal=False)
        np.testing.assert_allclose(
            causal - plain, self.layer.slope[:, None] * np.arange(64),
            atol=1e-12)

    def test_the_bump_is_on_position_zero_alone(self):
        u = goat_sink.key_prior(self.layer, 16, causal=False)
        self.layer.bump = np.zeros(12)
        without = goat_sink.key_prior(self.layer, 16, causal=False)
        changed = np.any(u != without, axis=0)
        self.assertTrue(changed[0])
        self.assertFalse(changed[1:].any())

    def test_an_offset_continues_the_sequence(self):
        whole = goat_sink.key_prior(self.layer, 32, train_length=1024)
        tail = goat_sink.key_prior(self.layer, 12, offset=20,
                                   train_length=1024)
        np.testing.assert_allclose(tail, whole[:, 20:], rtol=1e-14)


class CommittedLayerTest(unittest.TestCase):
    def test_the_committed_files_are_what_the_script_writes(self):
        folder = ROOT / "test" / "Inputs" / "gpt2-layer"
        layer = goat_sink.seeded_layer(12, 4, 4, seed=0)
        expected = {"alpha": layer.alpha, "beta": layer.beta,
                    "omega": goat_sink.frequencies(4),
                    "u": goat_sink.key_prior(layer, 1024)}
        for name, value in expected.items():
            stored = np.load(folder / f"{name}.npy")
            self.assertEqual(stored.dtype, np.float32, name)
            np.testing.assert_allclose(stored, value, rtol=1e-6, atol=1e-7,
                                       err_msg=name)


if __name__ == "__main__":
    unittest.main()
