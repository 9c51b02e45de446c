# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in PyTorch: every attention is found, and what the kernels give in the
simulator is what PyTorch gives on the CPU."""

import itertools
import unittest

import torch
import torch.nn as nn
import torch.nn.functional as F

import torch_models
from checking import TOLERANCE, difference, record
from goatc.frontends.builder import ImportRefused
from goatc.frontends.torch import HANDLERS, from_torch
from goatc.frontends.torch_export import KEPT, decompositions, dtype_name


class TorchTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)

    def check(self, model, *inputs, attentions=1, dtype=torch.float16,
              on=("reference", "sim"), **keywords):
        """Returns the module and the greatest difference in the simulator."""
        module = from_torch(model, *inputs, **keywords)
        self.assertEqual(len(module.attentions), attentions, module.remarks)
        with torch.no_grad():
            expected = model(*inputs, **keywords)
        for place in on:
            found = module.run(*inputs, *keywords.values(), on=place)
            pairs = ([(found, expected)] if isinstance(expected, torch.Tensor)
                     else list(zip(found, expected)))
            worst = max(difference(one, other.double()) for one, other in pairs)
            self.assertLess(worst, TOLERANCE[dtype_name(dtype)], place)
        return module, worst

    def test_gpt(self):
        ids = torch.randint(0, 17, (2, 24))
        for dtype in (torch.float16, torch.bfloat16, torch.float32):
            model = torch_models.GPT(dtype=dtype).eval()
            module, worst = self.check(model, ids, attentions=2, dtype=dtype)
            self.assertEqual(module.text.count("goat.xsa"), 2)
            self.assertEqual(module.text.count("math.cos"), 6)
            self.assertNotIn("math.exp ", module.text)
            self.assertEqual(module.kernels()[0].inputs[0].shape, (2, 2, 24, 16))
            record("models", ("GPT, 2 layers", "PyTorch", dtype_name(dtype)),
                   "2 of 2", "causal mask, spectral and key prior, exclusion",
                   worst)

    def test_vit(self):
        images = torch.randn(2, 3, 16, 16)
        for dtype in (torch.float16, torch.bfloat16, torch.float32):
            model = torch_models.ViT(dtype=dtype).eval()
            _, worst = self.check(model, images, attentions=2, dtype=dtype)
            record("models", ("ViT, 2 layers", "PyTorch", dtype_name(dtype)),
                   "2 of 2", "", worst)

    def test_convolutions(self):
        model = nn.Sequential(
            nn.Conv2d(4, 8, 3, stride=2, padding=(1, 0)), nn.BatchNorm2d(8),
            nn.ReLU(), nn.Conv2d(8, 8, (1, 3), groups=8, dilation=2, bias=False),
            nn.Flatten(2), nn.Conv1d(8, 3, 3, padding=1))
        for part in (model[1].weight, model[1].bias, model[1].running_mean):
            nn.init.normal_(part)
        self.check(model.eval(), torch.randn(2, 4, 9, 15), attentions=0,
                   dtype=torch.float32, on=("reference",))
        with self.assertRaisesRegex(ImportRefused, "but got a transposed one"):
            from_torch(nn.ConvTranspose1d(2, 2, 3), torch.randn(1, 2, 5))

    def test_parts_and_padding(self):
        x = torch.randn(3, 4)
        for function in (lambda x: F.pad(x, (1, 2)),
                         lambda x: F.pad(x, (-1, 2, 3, -1), value=0.5),
                         lambda x: torch.fmod(10 * x, 3),
                         # A part without elements, as of rotary embeddings.
                         lambda x: torch.cat([2 * x, 3 * x[:, 4:]], 1)):
            self.check(function, x, attentions=0, dtype=torch.float32,
                       on=("reference",))

    def test_powers_and_rounding(self):
        x = torch.rand(3, 1) + 0.5
        wide = torch.full((4,), 2.0)
        for function in (lambda x: x ** wide, lambda x: x ** (wide - 1),
                         lambda x: x ** 3, lambda x: x ** -0.5,
                         lambda x: x ** 2.5, lambda x: 1 / x,
                         lambda x: torch.round(100 * x),
                         lambda x: torch.round(x, decimals=2),
                         lambda x: torch.round(1000 * x, decimals=-2)):
            self.check(function, x, attentions=0, dtype=torch.float32,
                       on=("reference",))

    def test_no_op_is_translated_that_export_breaks_up(self):
        """Of each, PyTorch keeps an overload that is no composite."""
        table = decompositions()

        def is_left(op):
            name, schema = op.name(), op._schema
            try:
                is_composite = torch._C._dispatch_has_kernel_for_dispatch_key(
                    name, "CompositeImplicitAutograd")
            except RuntimeError:  # of numbers, not of tensors
                is_composite = True
            return op not in table and not schema.is_mutable and (
                not is_composite or name.split("::")[1].split(".")[0] in KEPT)
        for name in HANDLERS:
            if name in ("<built-in function getitem>", "flex_attention",
                        "convert_element_type"):  # not of aten
                continue
            with self.subTest(name):
                packet = getattr(torch.ops.aten, name)
                self.assertTrue(any(is_left(getattr(packet, overload))
                                    for overload in packet.overloads()))

    def test_an_rms_norm_has_the_epsilon_of_f32(self):
        self.check(nn.RMSNorm(8).half(), (0.02 * torch.randn(3, 8)).half(),
                   attentions=0, on=("reference",))

    def test_an_exported_program(self):
        ids = torch.randint(0, 17, (2, 24))
        model = torch_models.GPT().eval()
        module = from_torch(torch.export.export(model, (ids,)))
        self.assertEqual([given.name for given in module.inputs], ["ids"])
        self.assertLess(difference(module.run(ids), model(ids).detach()),
                        TOLERANCE["f16"])

    # scaled_dot_product_attention.

    def masks(self, shape, dtype):
        batch, heads, rows, columns = shape
        seen = torch.rand(rows, columns) < 0.7
        seen[1] = False  # a row that sees nothing
        padding = torch.ones(batch, 1, 1, columns, dtype=torch.bool)
        padding[-1, ..., columns // 2:] = False
        some = torch.where(torch.rand(1, heads, rows, columns) < 0.8, 0.0,
                           -torch.inf)
        return {"none": {}, "causal": {"is_causal": True},
                "bool (L, S)": {"attn_mask": seen},
                "bool (B, 1, 1, S)": {"attn_mask": padding},
                "float (L, S)": {"attn_mask": torch.randn(rows, columns,
                                                          dtype=dtype)},
                "float (1, H, L, S), 0 and -inf": {"attn_mask": some.to(dtype)},
                "float (B, H, 1, S)": {"attn_mask": torch.randn(
                    batch, heads, 1, columns, dtype=dtype)}}

    def test_sdpa(self):
        shapes = {"B, H, L, S = 2, 4, 9, 13": (2, 4, 9, 13),
                  "1, 4, 33, 20": (1, 4, 33, 20)}
        dtypes = (torch.float16, torch.bfloat16, torch.float32)
        for (label, shape), dtype, is_grouped in itertools.product(
                shapes.items(), dtypes, (False, True)):
            batch, heads, rows, columns = shape
            key_heads = heads // 2 if is_grouped else heads
            q = torch.randn(batch, heads, rows, 16, dtype=dtype)
            k, v = torch.randn(2, batch, key_heads, columns, 16, dtype=dtype)
            masks = self.masks(shape, dtype)
            cases = [{**mask, "scale": scale, "enable_gqa": is_grouped}
                     for mask in masks.values() for scale in (None, 0.3)]

            def all_cases(q, k, v):
                return [F.scaled_dot_product_attention(q, k, v, **case)
                        for case in cases]
            module = from_torch(all_cases, q, k, v)
            self.assertEqual(len(module.attentions), len(cases), module.remarks)
            expected, found = all_cases(q, k, v), module.run(q, k, v)
            for number, (one, other) in enumerate(zip(found, expected)):
                mask = list(masks)[number // 2]
                with self.subTest(mask=mask, shape=label, dtype=dtype):
                    worst = difference(one, other.double())
                    self.assertLess(worst, TOLERANCE[dtype_name(dtype)])
                    record("sdpa", (mask, dtype_name(dtype)), worst)

    def test_sdpa_of_other_ranks(self):
        for shape in ((7, 16), (3, 7, 16)):
            q, k, v = torch.randn(3, *shape)
            self.check(F.scaled_dot_product_attention, q, k, v,
                       dtype=torch.float32)

    def test_causal_from_the_top_left_is_remarked(self):
        q, k = torch.randn(1, 2, 5, 16), torch.randn(1, 2, 9, 16)
        module = from_torch(F.scaled_dot_product_attention, q, k, k,
                            is_causal=True)
        self.assertIn("top left", module.remarks[0].message)

    def test_dropout_is_refused(self):
        q = torch.randn(1, 2, 5, 16)
        with self.assertRaisesRegex(ImportRefused, r"dropout_p to be 0 but got "
                                    r"0.5; call eval\(\)"):
            from_torch(lambda q: F.scaled_dot_product_attention(
                q, q, q, dropout_p=0.5), q)
        with self.assertRaisesRegex(ImportRefused, r"no dropout but got one of "
                                    r"0.1; call eval\(\)"):
            from_torch(torch_models.ViT().train(), torch.randn(2, 3, 16, 16))

    # Softmax in other spellings.

    def test_a_sink_that_is_joined_to_the_logits(self):
        for dtype, groups in itertools.product(
                (torch.float32, torch.float16), (1, 2)):
            sinks = torch.randn(4, dtype=dtype)

            def attention(q, k, v):
                k, v = (x.repeat_interleave(groups, 1) for x in (k, v))
                s = q @ k.transpose(-2, -1) * 0.25
                s = s.masked_fill(torch.ones(9, 9, dtype=torch.bool).triu(1),
                                  -torch.inf)
                s = torch.cat([s, sinks.reshape(1, -1, 1, 1).expand(
                    q.shape[0], -1, q.shape[-2], -1)], dim=-1)
                s = s - s.max(dim=-1, keepdim=True).values
                return F.softmax(s, dim=-1)[..., :-1] @ v
            q = torch.randn(2, 4, 9, 16, dtype=dtype)
            k, v = torch.randn(2, 2, 4 // groups, 9, 16, dtype=dtype)
            module, worst = self.check(attention, q, k, v, dtype=dtype)
            self.assertIn("sink(", module.text)
            record("models", ("Attention with a sink, joined and dropped",
                              "PyTorch", dtype_name(dtype)), "1 of 1",
                   "causal mask, sink", worst)

    def test_a_division_after_the_product_with_the_values(self):
        def attention(q, k, v):
            s = q @ k.transpose(-2, -1) * 0.25
            p = (s - s.amax(-1, keepdim=True)).exp()
            y = (p @ v) / p.sum(-1, keepdim=True)
            v = F.normalize(v, dim=-1, eps=1e-3)
            return y - (y * v).sum(-1, keepdim=True) * v
        q, k, v = torch.randn(3, 2, 4, 9, 16)
        module, worst = self.check(attention, q, k, v, dtype=torch.float32)
        self.assertIn("goat.xsa", module.text)
        record("models", ("Attention divided after the values", "PyTorch",
                          "f32"), "1 of 1", "exclusion", worst)

    # torch.nn.MultiheadAttention.

    def test_multihead_attention(self):
        x = torch.randn(2, 8, 16)
        padding = torch.zeros(2, 8, dtype=torch.bool)
        padding[1, 6:] = True
        causal = torch.triu(torch.ones(8, 8, dtype=torch.bool), 1)
        additive = torch.randn(8, 8)
        per_head = torch.rand(2 * 4, 8, 8) < 0.3
        per_head[..., 0] = False
        cases = {"": {}, "key_padding_mask": {"key_padding_mask": padding},
                 "attn_mask (L, S) of bool": {"attn_mask": causal},
                 "attn_mask (L, S) of float": {"attn_mask": additive},
                 "attn_mask (B·H, L, S)": {"attn_mask": per_head},
                 "both": {"key_padding_mask": padding, "attn_mask": causal}}
        for label, case in cases.items():
            for need_weights in (False, True):
                layer = nn.MultiheadAttention(16, 4, batch_first=True).eval()
                with self.subTest(case=label, need_weights=need_weights):
                    _, worst = self.check(
                        lambda x: layer(x, x, x, need_weights=need_weights,
                                        **case)[:1 + need_weights],
                        x, dtype=torch.float32)
                    record("multihead", (label or "no mask",), worst)

    def test_transformer_layer(self):
        layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True).eval()
        x = torch.randn(2, 8, 16)
        mask = nn.Transformer.generate_square_subsequent_mask(8)
        self.check(lambda x: layer(x, src_mask=mask), x, dtype=torch.float32)

    # Refusals.

    def test_an_unknown_op_is_refused_by_name_and_place(self):
        with self.assertRaisesRegex(ImportRefused,
                                    r"test_torch.py:\d+: 'sort': .*aten.sort"):
            from_torch(lambda x: torch.sort(x)[0], torch.randn(8))

    def test_an_argument_that_is_not_translated_is_refused(self):
        x = torch.randn(4)
        with self.assertRaisesRegex(ImportRefused, r"test_torch.py:\d+: .*got an "
                                    "unexpected keyword argument 'sparse_grad'"):
            from_torch(lambda x: torch.gather(
                x, 0, torch.arange(4), sparse_grad=True), x)

    def test_a_buffer_that_is_written_is_refused(self):
        class Counting(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("count", torch.zeros(1))

            def forward(self, x):
                self.count += 1
                return x + self.count
        with self.assertRaisesRegex(ImportRefused, "one that writes 'count'"):
            from_torch(Counting(), torch.randn(1))

    def test_sizes_that_are_not_known_are_refused(self):
        length = torch.export.Dim("length", min=2, max=64)
        program = torch.export.export(nn.ReLU(), (torch.randn(8),),
                                      dynamic_shapes=({0: length},))
        with self.assertRaisesRegex(ImportRefused, "without dynamic shapes"):
            from_torch(program)

    def test_softmax_over_something_else_is_left_alone(self):
        q = torch.randn(8, 16)
        module, _ = self.check(lambda q: (q @ q.T).softmax(0) @ q, q,
                               attentions=0, dtype=torch.float32)
        self.assertIn("over the keys", module.remarks[0].message)
        self.assertTrue(module.remarks[0].file.endswith("test_torch.py"))


if __name__ == "__main__":
    unittest.main()
