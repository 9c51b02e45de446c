# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# REQUIRES: numpy
# RUN: %python -B %s
"""Tests of the extraction of Q, K, V from a text encoder."""

import json
import math
from pathlib import Path
import struct
import sys
import unittest

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python" / "scripts"))

import extract_encoder_layer as extract  # noqa: E402
from goatc.dtypes import decode, encode  # noqa: E402


def safetensors(tensors):
    """Packs float32 arrays in the safetensors format."""
    header, data = {}, b""
    for name, value in tensors.items():
        blob = value.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(value.shape),
                        "data_offsets": [len(data), len(data) + len(blob)]}
        data += blob
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


class TokenizerTest(unittest.TestCase):
    def setUp(self):
        pieces = ["[UNK]", "[CLS]", "[SEP]", "river", "rise", "##rs", ","]
        self.vocabulary = {piece: i for i, piece in enumerate(pieces)}

    def test_words_are_lower_case_without_accents(self):
        self.assertEqual(extract.split_words("The Caf\u00e9, 40$!"),
                         ["the", "cafe", ",", "40", "$", "!"])

    def test_pieces_are_the_longest_that_fit(self):
        self.assertEqual(extract.split_pieces("rivers", {"river": 0, "riv": 1,
                                                         "##s": 2}),
                         ["river", "##s"])

    def test_a_word_with_one_unknown_piece_is_unknown_as_a_whole(self):
        self.assertEqual(extract.split_pieces("riverz", self.vocabulary),
                         ["[UNK]"])

    def test_ids_are_framed(self):
        self.assertEqual(extract.tokenize("River, risers", self.vocabulary),
                         [1, 3, 6, 4, 5, 2])


class ReaderTest(unittest.TestCase):
    def test_values_come_back(self):
        values = np.arange(6.0).reshape(2, 3)
        read = extract.read_safetensors(safetensors({"w": values}))
        np.testing.assert_array_equal(read["w"], values)

    def test_a_file_cut_short_is_refused(self):
        blob = safetensors({"w": np.zeros((2, 3))})
        with self.assertRaisesRegex(ValueError, "for w but the file has"):
            extract.read_safetensors(blob[:-1])


class ArithmeticTest(unittest.TestCase):
    def test_layer_norm_gives_zero_mean_and_unit_variance(self):
        weights = {"n.weight": np.ones(8), "n.bias": np.zeros(8)}
        x = np.random.default_rng(0).normal(3.0, 2.0, (4, 8))
        y = extract.layer_norm(x, weights, "n", 0.0)
        np.testing.assert_allclose(y.mean(-1), 0.0, atol=1e-12)
        np.testing.assert_allclose(y.var(-1), 1.0, atol=1e-12)

    def test_gelu_is_the_exact_one(self):
        x = np.array([1.0])
        tail = 0.5 * (1 + math.erf(1 / math.sqrt(2)))
        np.testing.assert_allclose(extract.gelu(x), tail, rtol=1e-15)


class CommittedLayerTest(unittest.TestCase):
    def test_shapes_and_bf16_values(self):
        folder = ROOT / "test" / "Inputs" / "encoder-layer"
        for name in "qkv":
            x = np.load(folder / f"{name}.npy")
            self.assertEqual(x.shape, (1, 12, 123, 32))
            self.assertEqual(x.dtype, np.float32)
            np.testing.assert_array_equal(x, decode(encode(x, "bf16"), "bf16"))
            self.assertGreater(x.std(), 0.1)


if __name__ == "__main__":
    unittest.main()
