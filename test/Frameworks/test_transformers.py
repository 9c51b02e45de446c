# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Architectures of the Transformers library: every attention is found, in both
ways the library writes it, and the models' outputs are those of PyTorch."""

import re
import unittest
import warnings

import torch

from checking import TOLERANCE, difference, record, surprising
from goatc.frontends.torch import from_torch
from transformers_models import ARCHITECTURES, build, ways


def became(module):
    """Returns what is inside the attentions of a module."""
    found = re.findall(r"goat\.attention (.*?)\) -> \(", module.text, re.DOTALL)
    words = set()
    for attention in found:
        words |= {word for word in ("score", "mask")
                  if re.search(rf"\b{word} \{{", attention)}
        heads = re.search(r": \(tensor<\d+x(\d+)x.*?, tensor<\d+x(\d+)x",
                          attention)
        if heads[1] != heads[2]:
            words.add("shared heads")
    return ", ".join(sorted(words)) or "nothing else"


class TransformersTest(unittest.TestCase):
    def check(self, name):
        cells, worst = [], 0.0
        for attention in ("sdpa", "eager"):
            if attention not in ways(name):
                cells.append("–")
                continue
            model, tensors = build(name, attention)
            with warnings.catch_warnings(), torch.no_grad():
                warnings.simplefilter("ignore")
                expected = model(*tensors)
                module = from_torch(model, *tensors)
            self.assertEqual(len(module.attentions),
                             ARCHITECTURES[name].attentions)
            self.assertEqual(surprising(module.remarks), [])
            out = module.run(*tensors, on="sim")
            worst = max(worst, difference(out, expected))
            cells.append(became(module))
        self.assertLess(worst, TOLERANCE["f32"])
        count = ARCHITECTURES[name].attentions
        record("transformers", (name,), f"{count} of {count}", *cells, worst)

    def test_least_of_f16_as_a_mask(self):
        model, tensors = build("Llama", "eager")
        model = model.half()
        with torch.no_grad():
            expected = model(*tensors).float()
        module = from_torch(model, *tensors)
        self.assertEqual(became(module), "mask, shared heads")
        self.assertLess(difference(module.run(*tensors, on="sim"), expected),
                        TOLERANCE["f16"])


for label in ARCHITECTURES:
    setattr(TransformersTest,
            "test_" + re.sub(r"\W+", "_", label).lower().strip("_"),
            lambda self, label=label: self.check(label))


if __name__ == "__main__":
    unittest.main()
