# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The official module of the method, goat-attention 0.1.1: its forward results
come from one attention, whose packed columns have become the prior again."""

import unittest
from unittest import mock

import torch
from goat import GoatAttention

from checking import TOLERANCE, difference, record
from goatc.frontends.builder import ImportRefused
from goatc.frontends.torch import from_torch

WIDTH, HEADS, LENGTH = 64, 2, 24


def module(**options):
    """Returns a module whose parameters are all of a size that shows."""
    torch.manual_seed(7)
    made = GoatAttention(WIDTH, HEADS, batch_first=True, **{
        "pos_rank": 3, "abs_rank": 2, **options}).eval()
    with torch.no_grad():
        for name, parameter in made.named_parameters():
            if "prior_gate" in name:
                parameter.copy_(torch.rand_like(parameter))
            elif "proj" not in name:
                parameter.copy_(0.5 * torch.randn_like(parameter))
    return made


class Self(torch.nn.Module):
    """Self attention by the module."""

    def __init__(self, layer, **options):
        super().__init__()
        self.layer, self.options = layer, options

    def forward(self, x):
        return self.layer(x, x, x, **self.options)[0]


class Cross(Self):
    def forward(self, x, y):
        return self.layer(x, y, y, **self.options)[0]


class Decode(Self):
    """Rows after cached keys, which are packed already."""

    def forward(self, x, keys, values):
        return self.layer(x, x, x, past_key_value=(keys, values),
                          **self.options)[0]


def capture(model, *inputs):
    """The module asks for addresses, to tell self attention from cross
    attention, which tensors of an export do not have."""
    model.layer.clear_feature_caches()
    with mock.patch.object(torch.Tensor, "data_ptr", lambda tensor: 0):
        program = torch.export.export(model, inputs)
    model.layer.clear_feature_caches()
    return from_torch(program)


class OfficialTest(unittest.TestCase):
    def check(self, label, model, *inputs, undone=True):
        imported = capture(model, *inputs)
        self.assertEqual(len(imported.attentions), 1, imported.remarks)
        with torch.no_grad():
            expected = model(*inputs)
        worst = difference(imported.run(*inputs), expected)
        self.assertLess(worst, TOLERANCE["f32"])
        said = any("packed columns" in r.message for r in imported.remarks)
        self.assertEqual(said, undone, imported.remarks)
        record("official", (label,), "the prior again" if undone else
               "columns of query and key", worst)
        return imported

    def test_modes(self):
        x = torch.randn(2, LENGTH, WIDTH)
        padding = torch.zeros(2, LENGTH, dtype=torch.bool)
        padding[1, 18:] = True
        causal = {"is_causal": True, "need_weights": False}
        for label, options, call in (
                ("bidirectional", {}, {"need_weights": False}),
                ("causal", {}, causal),
                ("need_weights", {}, {"is_causal": True}),
                ("fused projections", {"fuse_qkv": True}, causal),
                ("shared key heads", {"kv_num_heads": 1}, causal),
                ("no key bias", {"enable_key_bias": False}, causal),
                ("key bias alone (R = 0)", {"pos_rank": 0}, causal),
                ("query_norm gate", {"prior_gate": "query_norm"}, causal),
                ("gate and shared key heads",
                 {"prior_gate": "query_norm", "kv_num_heads": 1}, causal),
                ("key_padding_mask", {}, {"key_padding_mask": padding}),
                ("training length", {"training_seq_len": 64}, causal)):
            with self.subTest(label):
                self.check(label, Self(module(**options), **call), x)
        with self.subTest("cross attention"):
            self.check("cross attention", Cross(module()), x,
                       torch.randn(2, 31, WIDTH))

    def test_modes_that_keep_the_columns(self):
        x = torch.randn(2, 17, WIDTH)
        for label, options, call in (
                ("2-D with a class token", {"pos_encoding": "2d", "pos_rank": 4,
                                            "has_cls_token_default": True}, {}),
                ("add_bias_kv", {"add_bias_kv": True}, {"is_causal": True}),
                ("add_zero_attn", {"add_zero_attn": True}, {})):
            with self.subTest(label):
                self.check(label, Self(module(**options), **call), x,
                           undone=False)
        for heads in (1, 2):
            cache = torch.randn(2, 2, heads, 9, WIDTH // HEADS)
            for rows in (1, 3):
                self.check("decode with a cache",
                           Decode(module(kv_num_heads=heads), is_causal=True),
                           x[:, :rows], *cache, undone=False)

    def test_the_prior_is_one_of_distance(self):
        imported = self.check("causal", Self(module(), is_causal=True),
                              torch.randn(2, LENGTH, WIDTH))
        kernel = imported.kernels()[0]
        # 25 columns of content are left of 32.
        self.assertEqual([given.shape[3] for given in kernel.inputs[:3]],
                         [25, 25, 32])
        region = imported.text[imported.text.index("score {"):]
        self.assertEqual(region.count("math.cos"), 3)

    def test_dropout_is_refused(self):
        layer = Self(module(dropout=0.1).train(), need_weights=False)
        with self.assertRaisesRegex(ImportRefused, "dropout_p to be 0 but got "
                                    r"0.1; call eval\(\) on the model first"):
            capture(layer, torch.randn(1, 4, WIDTH))


if __name__ == "__main__":
    unittest.main()
