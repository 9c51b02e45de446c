# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy
# RUN: %python -B %s
"""Tests of what Python functions become, as text."""

import functools
import math
from pathlib import Path
import sys
import unittest

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python")]

import goatc  # noqa: E402
from goatc.trace import show_float  # noqa: E402

Q = goatc.Tensor((None, 4, None, 8), "f16")
GLOBAL_TABLE = np.arange(4, dtype=np.float32)


def helper(h):
    return GLOBAL_TABLE[h]


def layer(score=None, **parts):
    """Returns the text of a layer."""
    return goatc.attention(Q, Q, Q, score=score, **parts).text


def body(score):
    """Returns the ops of a score function."""
    lines = layer(score).splitlines()
    start = next(n for n, line in enumerate(lines) if "^bb0" in line)
    end = next(n for n, line in enumerate(lines) if "goat.yield" in line)
    return [line.strip() for line in lines[start + 1:end + 1]]


class TextTest(unittest.TestCase):
    def test_a_plain_layer(self):
        self.assertEqual(layer(), (
            "func.func @attention(%query: tensor<?x4x?x8xf16>, "
            "%key: tensor<?x4x?x8xf16>, %value: tensor<?x4x?x8xf16>)\n"
            '    -> (tensor<?x4x?x8xf16> {goat.name = "out"}) {\n'
            "  %out = goat.attention %query, %key, %value \n"
            "    : (tensor<?x4x?x8xf16>, tensor<?x4x?x8xf16>, "
            "tensor<?x4x?x8xf16>) -> (tensor<?x4x?x8xf16>)\n"
            "  return %out : tensor<?x4x?x8xf16>\n}\n"))

    def test_repeated_and_unused_ops_are_left_out(self):
        def score(s, b, h, i, j):
            unused = np.exp(s)
            return s * 2.0 + s * 2.0

        self.assertEqual(body(score), [
            "%v1 = arith.constant 2.0 : f32",
            "%v2 = arith.mulf %s, %v1 : f32",
            "%v3 = arith.addf %v2, %v2 : f32",
            "goat.yield %v3 : f32"])

    def test_an_integer_becomes_f32_through_32_bits_where_it_fits(self):
        self.assertIn("%v0 = arith.index_cast %j : index to i32",
                      body(lambda s, b, h, i, j: s + j))
        self.assertIn("index to i64", "".join(body(
            lambda s, b, h, i, j: s + j * 1000000)))

    def test_what_is_not_negative_divides_unsigned(self):
        text = "".join(body(lambda s, b, h, i, j: s + i // 3 + j % 5))
        self.assertIn("arith.divui", text)
        self.assertIn("arith.remui", text)
        text = "".join(body(lambda s, b, h, i, j: s + (i - j) // 3))
        self.assertIn("arith.floordivsi", text)

    def test_constants_are_exact(self):
        for value in (0.1, 1e-30, -3.4028235e38, 1.0, 1e10, 5e-45):
            text = show_float(value)
            self.assertEqual(np.float32(float(text)), np.float32(value))
            self.assertIn(".", text)
        self.assertEqual(show_float(-math.inf), "0xFF800000")

    def test_options_of_the_layer(self):
        text = layer(scale=0.5, q_offset=0, normalizer="sigmoid",
                     k_offset=goatc.Tensor((), "i32"), k_lengths=np.array(
                         [3], np.int32), return_lse=False)
        self.assertIn("static_scale = 0.5 : f32, static_q_offset = 0 : i32, "
                      "normalizer = #goat.normalizer<sigmoid>", text)
        self.assertIn("k_offset(%k_offset : i32) "
                      "k_lengths(%k_lengths : tensor<?xi32>)", text)

    def test_static_shapes_stay(self):
        q = goatc.Tensor((2, 4, 16, 8), "bf16")
        text = goatc.attention(q, q, q).text
        self.assertIn("%query: tensor<2x4x16x8xbf16>", text)

    def test_arrays_give_free_lengths(self):
        q = np.zeros((2, 4, 16, 8), np.float32)
        self.assertIn("%query: tensor<?x4x?x8xf32>",
                      goatc.attention(q, q, q).text)


class CaptureTest(unittest.TestCase):
    def check(self, function, name, kind):
        built = goatc.attention(Q, Q, Q, score=function)
        self.assertIn(f"%{name}: {kind}", built.text)
        self.assertIn(name, built.bound)
        return built

    def test_closures(self):
        bias = np.zeros((4, 9, 9), np.float64)
        built = self.check(lambda s, b, h, i, j: s + bias[h, i, j], "bias",
                           "tensor<4x?x?xf32>")
        self.assertEqual(built.bound["bias"].dtype, np.float32)

    def test_globals_and_functions_that_use_them(self):
        self.check(lambda s, b, h, i, j: s + GLOBAL_TABLE[h], "GLOBAL_TABLE",
                   "tensor<4xf32>")
        self.check(lambda s, b, h, i, j: s + helper(h), "GLOBAL_TABLE",
                   "tensor<4xf32>")

    def test_defaults(self):
        table = np.zeros(4, np.float16)
        self.check(lambda s, b, h, i, j, t=table: s + t[h], "t",
                   "tensor<4xf16>")

    def test_partial_functions(self):
        table = np.zeros(4, np.float32)

        def score(weights, s, b, h, i, j):
            return s + weights[h]

        built = goatc.attention(Q, Q, Q, score=functools.partial(score, table))
        self.assertEqual(len(built.bound), 1)

    def test_lists_of_arrays(self):
        tables = [np.zeros(4, np.float32), np.ones(4, np.float32)]
        built = goatc.attention(
            Q, Q, Q, score=lambda s, b, h, i, j: s + tables[0][h] +
            tables[1][h])
        self.assertEqual(list(built.bound), ["tables_0", "tables_1"])

    def test_one_array_in_two_functions_is_one_input(self):
        ids = np.zeros(9, np.int64)
        built = goatc.attention(
            Q, Q, Q, score=lambda s, b, h, i, j: s + ids[j],
            mask=lambda b, h, i, j: ids[i] == ids[j])
        self.assertEqual(built.inputs, ["query", "key", "value", "ids"])
        self.assertIn("%ids: tensor<?xi32>", built.text)

    def test_an_axis_that_a_constant_indexes_keeps_its_size(self):
        table = np.zeros((9, 2), np.float32)
        self.check(lambda s, b, h, i, j: s + table[j][-1], "table",
                   "tensor<?x2xf32>")

    def test_an_axis_that_is_indexed_by_more_keeps_its_size(self):
        table = np.zeros(9, np.float32)
        self.check(lambda s, b, h, i, j: s + table[j] + table[i - j], "table",
                   "tensor<9xf32>")

    def test_truth_values(self):
        allowed = np.ones((9, 9), bool)
        text = layer(mask=lambda b, h, i, j: allowed[i, j])
        self.assertIn("arith.cmpi ne", text)

    def test_the_original_function_is_left_alone(self):
        bias = np.zeros((4,), np.float32)

        def score(s, b, h, i, j):
            return s + bias[h]

        goatc.attention(Q, Q, Q, score=score)
        self.assertIs(score.__closure__[0].cell_contents, bias)

    def test_integers_that_do_not_fit(self):
        far = np.array([2 ** 40])
        with self.assertRaisesRegex(ValueError, "32 bits but got 1099511627776"):
            layer(lambda s, b, h, i, j: s + far[j])

    def test_tensors_are_inputs_without_a_value(self):
        gate = goatc.Tensor((None, 4, None), "f32")
        slope = goatc.Tensor((), "f32")
        built = goatc.attention(
            Q, Q, Q, score=lambda s, b, h, i, j: s + gate[b, h, j] -
            slope * goatc.distance(b, i, j))
        self.assertEqual(built.inputs[3:], ["gate", "slope"])
        self.assertEqual(built.bound, {})
        self.assertIn("%gate: tensor<?x4x?xf32>, %slope: f32", built.text)


class RefusalTest(unittest.TestCase):
    def refuses(self, message, score=None, **parts):
        with self.assertRaisesRegex((goatc.TraceError, ValueError), message):
            goatc.attention(Q, Q, Q, score=score, **parts)

    def test_truth_of_a_value(self):
        self.refuses("use goatc.where, &, | and ~",
                     lambda s, b, h, i, j: s if i > j else 0.0)
        self.refuses("chained comparisons",
                     mask=lambda b, h, i, j: 0 <= i - j < 4)

    def test_functions_of_math(self):
        self.refuses("functions of goatc or NumPy in place of those of math",
                     lambda s, b, h, i, j: math.exp(s))

    def test_functions_numpy_has_and_a_kernel_not(self):
        self.refuses("but got spacing",
                     lambda s, b, h, i, j: np.spacing(s))
        self.refuses("np.where, np.clip or a ufunc on a traced value but got "
                     "cumsum", lambda s, b, h, i, j: np.cumsum(s))

    def test_an_index_that_is_no_integer(self):
        self.refuses("integers as indices of .* for axis 0",
                     lambda s, b, h, i, j: s + GLOBAL_TABLE[s])

    def test_an_index_that_is_out_of_range(self):
        self.refuses("but got 7", lambda s, b, h, i, j: s + GLOBAL_TABLE[7])

    def test_too_many_indices(self):
        self.refuses("at most 1 indices",
                     lambda s, b, h, i, j: s + GLOBAL_TABLE[h, i])

    def test_a_tensor_that_is_not_indexed(self):
        self.refuses("index all of its axes",
                     lambda s, b, h, i, j: s + GLOBAL_TABLE)

    def test_an_array_that_cannot_be_found(self):
        class Holder:
            table = np.zeros(4, np.float32)

        self.refuses("goatc.capture", lambda s, b, h, i, j: s + Holder.table[h])

    def test_other_parameters(self):
        self.refuses(r"'score' to be a function of \(s, b, h, i, j\) but got "
                     r"\(s\)", lambda s: s)
        self.refuses("'mask' to be a function of .* got a bool", mask=True)

    def test_the_wrong_kind_of_part(self):
        self.refuses("'mask' to be one of goatc.mask",
                     mask=goatc.prior.alibi(np.ones(4)))
        self.refuses("'score' to be one of goatc.prior",
                     score=goatc.mask.causal())

    def test_the_wrong_kind_of_result(self):
        self.refuses("the mask function to return a truth value",
                     mask=lambda b, h, i, j: i - j)
        self.refuses("the score function to return a value but got None",
                     lambda s, b, h, i, j: None)
        self.refuses("truth values for &, . and",
                     mask=lambda b, h, i, j: (i > j) & 1)

    def test_integers_by_what_may_be_zero(self):
        self.refuses("a constant other than 0", lambda s, b, h, i, j: s + i // j)
        self.refuses("a constant other than 0", lambda s, b, h, i, j: s + i % 0)

    def test_a_value_of_another_function(self):
        kept = []

        def score(s, b, h, i, j):
            kept.append(s)
            return s

        self.refuses("of this function but got one of another", score,
                     mask=lambda b, h, i, j: kept[0] > 0)

    def test_operands(self):
        with self.assertRaisesRegex(ValueError, "'key' of rank 4"):
            goatc.attention(Q, np.zeros((4, 8), np.float16), Q)
        with self.assertRaisesRegex(ValueError, "softmax or sigmoid"):
            goatc.attention(Q, Q, Q, normalizer="relu")
        with self.assertRaisesRegex(ValueError, "letters, digits and _"):
            goatc.attention(Q, Q, Q, name="my layer")
        with self.assertRaisesRegex(ValueError, "'sink' of dtype f32"):
            goatc.attention(Q, Q, Q, sink=np.zeros(4, np.int32))

    def test_outside_of_a_function(self):
        with self.assertRaisesRegex(goatc.TraceError, "inside of a function"):
            goatc.distance(0, 1, 2)


if __name__ == "__main__":
    unittest.main()
