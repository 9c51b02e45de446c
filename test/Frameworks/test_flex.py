# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every example of the gallery is captured from PyTorch as one attention, and the
simulator gives what PyTorch's own flex_attention gives on the CPU."""

import unittest
import warnings

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from checking import TOLERANCE, difference, record
from flex_gallery import GALLERY
from goatc.frontends.builder import ImportRefused
from goatc.frontends.torch import from_torch
from goatc.frontends.torch_export import dtype_name


class FlexTest(unittest.TestCase):
    def setUp(self):
        # PyTorch says that it is slow without being compiled.
        warnings.simplefilter("ignore")
        torch.manual_seed(3)
        torch._dynamo.reset()

    def check(self, example, dtype):
        size = example.sizes
        variant = example.make(size)
        q = torch.randn(size.batch, size.heads, size.rows, 16, dtype=dtype)
        k, v = torch.randn(2, size.batch, size.heads // 2, size.columns, 16,
                           dtype=dtype)
        blocks = variant.mask and create_block_mask(
            variant.mask, None, None, size.rows, size.columns, device="cpu")

        def attention(q, k, v):
            return flex_attention(q, k, v, variant.score, blocks,
                                  enable_gqa=True)
        module = from_torch(attention, q, k, v)
        self.assertEqual(len(module.attentions), 1, module.remarks)
        self.assertNotIn("linalg.generic", module.text.split(
            f"@{module.attentions[0]}(")[-1])
        worst = difference(module.run(q, k, v), attention(q, k, v).double())
        self.assertLess(worst, TOLERANCE[dtype_name(dtype)])
        return worst

    def check_gallery(self, part):
        for example in GALLERY[part::4]:
            with self.subTest(example.name):
                torch._dynamo.reset()
                record("flex", (example.name, example.source),
                       self.check(example, torch.float32))

    # Parts that processes can share.

    def test_gallery_0(self):
        self.check_gallery(0)

    def test_gallery_1(self):
        self.check_gallery(1)

    def test_gallery_2(self):
        self.check_gallery(2)

    def test_gallery_3(self):
        self.check_gallery(3)

    def test_narrow_types(self):
        for name in ("alibi", "documents", "goat"):
            example = next(e for e in GALLERY if e.name == name)
            for dtype in (torch.float16, torch.bfloat16):
                with self.subTest(name, dtype=dtype):
                    self.check(example, dtype)

    def test_the_lse_is_refused(self):
        q = torch.randn(1, 2, 8, 16)
        with self.assertRaisesRegex(ImportRefused, "a use of the lse"):
            from_torch(lambda q: flex_attention(q, q, q, return_lse=True), q)


if __name__ == "__main__":
    unittest.main()
