# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in ONNX: every attention is found, and what the kernels give in the
simulator is what ONNX's reference gives."""

import itertools
import unittest

import ml_dtypes
import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

from checking import TOLERANCE, difference, record
from goatc.frontends.builder import ImportRefused
from goatc.frontends.onnx import from_onnx

RNG = np.random.default_rng(7)


class Graph:
    """A model, node by node."""

    def __init__(self, opset=23):
        self.nodes, self.weights, self.opset = [], [], opset

    def op(self, kind, *inputs, outputs=1, **attributes):
        names = [self.weight(i) if isinstance(i, np.ndarray) else i
                 for i in inputs]
        out = [f"v{len(self.nodes)}_{n}" for n in range(outputs)]
        self.nodes.append(helper.make_node(kind, names, out,
                                           name=f"n{len(self.nodes)}",
                                           **attributes))
        return out[0] if outputs == 1 else out

    def weight(self, array):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def model(self, inputs, output):
        graph = helper.make_graph(
            self.nodes, "g",
            [helper.make_tensor_value_info(n, t, s) for n, t, s in inputs],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
            self.weights)
        return helper.make_model(graph, opset_imports=[
            helper.make_opsetid("", self.opset)])


def draw(*shape, scale=None):
    scale = shape[0] ** -0.5 if scale is None else scale
    return (scale * RNG.normal(size=shape)).astype(np.float32)


def f32(number):
    return np.array(number, np.float32)


def i64(*numbers):
    return np.array(numbers, np.int64)


# By dtype: what ONNX calls it, and NumPy.
DTYPES = {"f32": (TensorProto.FLOAT, np.float32),
          "f16": (TensorProto.FLOAT16, np.float16),
          "bf16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16)}


def attention(g, x, length, width, count, gpt, dtype):
    """Self attention; for gpt causal, with a prior on distance and key, and
    with the part along the row's own value taken out."""
    depth = width // count
    kind, number = DTYPES[dtype]
    qkv = g.op("MatMul", g.op("Cast", x, to=kind),
               draw(width, 3 * width, scale=0.3).astype(number))
    parts = g.op("Split", qkv, outputs=3, axis=-1, num_outputs=3)
    q, k, v = (g.op("Transpose", g.op(
        "Reshape", part, i64(0, 0, count, depth)), perm=[0, 2, 1, 3])
        for part in parts)
    s = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2]))
    s = g.op("Div", g.op("Cast", s, to=TensorProto.FLOAT), f32(depth ** 0.5))
    if gpt:
        i = g.op("Range", i64(0).reshape(()), i64(length).reshape(()),
                 i64(1).reshape(()))
        row, column = (g.op("Unsqueeze", i, i64(axis)) for axis in (1, 0))
        distance = g.op("Cast", g.op("Sub", row, column), to=TensorProto.FLOAT)
        prior = draw(count, 1, length, scale=0.5)
        for omega in (1.0, 0.1):
            phase = g.op("Mul", distance, f32(omega))
            for function in ("Cos", "Sin"):
                prior = g.op("Add", prior, g.op(
                    "Mul", draw(count, 1, 1, scale=0.5), g.op(function, phase)))
        s = g.op("Add", s, prior)
        s = g.op("Where", g.op("GreaterOrEqual", row, column), s, f32(-np.inf))
    p = g.op("Cast", g.op("Softmax", s, axis=-1), to=kind)
    y = g.op("MatMul", p, v)
    if gpt:
        norm = g.op("ReduceL2", v, i64(-1), keepdims=1)
        v = g.op("Div", v, g.op("Max", norm, np.array(1e-3, number)))
        along = g.op("ReduceSum", g.op("Mul", y, v), i64(-1), keepdims=1)
        y = g.op("Sub", y, g.op("Mul", along, v))
    y = g.op("Reshape", g.op("Transpose", g.op(
        "Cast", y, to=TensorProto.FLOAT), perm=[0, 2, 1, 3]), i64(0, 0, width))
    return g.op("MatMul", y, draw(width, width))


def block(g, x, length, width, count, gpt, dtype):
    def norm(x):
        return g.op("LayerNormalization", x, draw(width, scale=1),
                    draw(width, scale=0.1), axis=-1)
    x = g.op("Add", x, attention(g, norm(x), length, width, count, gpt,
                                   dtype))
    h = g.op("Gelu", g.op("MatMul", norm(x), draw(width, 4 * width)))
    return g.op("Add", x, g.op("MatMul", h, draw(4 * width, width)))


class MatMul(OpRun):
    """NumPy multiplies bfloat16 to f32, which ONNX's reference then refuses."""

    op_domain = ""

    def _run(self, a, b):
        made = np.matmul(a.astype(np.float32), b.astype(np.float32))
        return (made.astype(a.dtype),)


class OnnxTest(unittest.TestCase):
    def check(self, model, *arrays, attentions, label, fused, dtype):
        module = from_onnx(model)
        self.assertEqual(len(module.attentions), attentions, module.remarks)
        names = [given.name for given in model.graph.input]
        expected = ReferenceEvaluator(model, new_ops=[MatMul]).run(
            None, dict(zip(names, arrays)))
        for on in ("reference", "sim"):
            worst = difference(module.run(*arrays, on=on), expected[0])
            self.assertLess(worst, TOLERANCE[dtype], on)
        record("models", (label, "ONNX", dtype),
               f"{attentions} of {attentions}", fused, worst)
        return module

    def test_gpt(self):
        for dtype in DTYPES:
            g = Graph()
            x = g.op("Gather", draw(17, 32, scale=1), "ids")
            x = g.op("Add", x, draw(24, 32, scale=0.3))
            for _ in range(2):
                x = block(g, x, 24, 32, 2, gpt=True, dtype=dtype)
            out = g.op("MatMul", x, draw(32, 17))
            model = g.model([("ids", TensorProto.INT64, (2, 24))], out)
            with self.subTest(dtype=dtype):
                module = self.check(
                    model, RNG.integers(0, 17, (2, 24)), attentions=2,
                    label="GPT, 2 layers", fused="causal mask, spectral and key "
                    "prior, exclusion", dtype=dtype)
                self.assertEqual(module.text.count("goat.xsa"), 2)
                self.assertNotIn("math.exp ", module.text)

    def test_vit(self):
        for dtype in DTYPES:
            g = Graph()
            x = g.op("Reshape", "images", i64(2, 4, 4, 4, 4, 3))
            x = g.op("Reshape", g.op("Transpose", x, perm=[0, 1, 3, 2, 4, 5]),
                     i64(2, 16, 48))
            x = g.op("MatMul", x, draw(48, 32))
            first = g.op("Expand", draw(1, 1, 32), i64(2, 1, 32))
            x = g.op("Concat", first, x, axis=1)
            for _ in range(2):
                x = block(g, x, 17, 32, 2, gpt=False, dtype=dtype)
            x = g.op("Gather", x, np.array(0, np.int64), axis=1)
            out = g.op("Gemm", x, draw(5, 32, scale=0.2), draw(5), transB=1)
            model = g.model([("images", TensorProto.FLOAT, (2, 16, 16, 3))], out)
            with self.subTest(dtype=dtype):
                self.check(model,
                           RNG.normal(size=(2, 16, 16, 3)).astype(np.float32),
                           attentions=2, label="ViT, 2 layers", fused="",
                           dtype=dtype)

    def check_op(self, opset, dtype, label, fused, *, heads=4, mask=None,
                 **attributes):
        """One Attention on tensors of a dtype, with the result in f32."""
        g, (kind, _) = Graph(opset), DTYPES[dtype]
        q, k, v = (g.op("Cast", name, to=kind) for name in "qkv")
        extra = [] if mask is None else [mask if mask.dtype == bool else g.op(
            "Cast", mask, to=kind)]
        out = g.op("Cast", g.op("Attention", q, k, v, *extra, **attributes),
                   to=TensorProto.FLOAT)
        shapes = ((1, 4, 9, 16), (1, heads, 13, 16), (1, heads, 13, 16))
        return self.check(
            g.model([(n, TensorProto.FLOAT, s) for n, s in zip("qkv", shapes)],
                    out),
            *(RNG.normal(size=s).astype(np.float32) for s in shapes),
            attentions=1, label=f"{label} of opset {opset}", fused=fused,
            dtype=dtype)

    def test_the_attention_op(self):
        seen = RNG.random((9, 13)) < 0.8
        seen[:, 0] = True
        for opset, dtype in itertools.product((23, 24), DTYPES):
            with self.subTest(opset=opset, dtype=dtype):
                module = self.check_op(opset, dtype, "Causal Attention",
                                       "causal from the top left",
                                       is_causal=1, scale=0.3)
                self.assertIn("top left", module.remarks[0].message)
                module = self.check_op(opset, dtype, "Masked Attention",
                                       "mask, shared heads", heads=2, mask=seen)
                self.assertEqual(module.remarks, [])
                self.check_op(opset, dtype, "Attention with softcap", "softcap",
                              softcap=2.0)

    def test_softcap_after_the_mask(self):
        """As the specification orders them, which is remarked."""
        added = RNG.normal(size=(1, 4, 9, 13)).astype(np.float32)
        for opset in (23, 24):
            module = self.check_op(
                opset, "f32", "Attention with mask and softcap",
                "mask and softcap, in this order", mask=added, softcap=2.0)
            self.assertIn("caps after the mask", module.remarks[0].message)

    def test_an_unknown_node_is_refused_by_name(self):
        g = Graph()
        out = g.op("Det", "x")
        with self.assertRaisesRegex(ImportRefused, "node 0 'n0' of Det: "):
            from_onnx(g.model([("x", TensorProto.FLOAT, (3, 3))], out))

    # Ops of models with convolutions; ONNX Runtime has versions of old.

    def check_ops(self, opset, x, *ops):
        """Each op is (kind, more inputs, attributes), on x alone."""
        g = Graph(opset)
        outputs = [g.op(kind, "x", *more, **attributes)
                   for kind, more, attributes in ops]
        model = g.model([("x", TensorProto.FLOAT, x.shape)], outputs[0])
        for name in outputs[1:]:
            model.graph.output.append(helper.make_tensor_value_info(
                name, TensorProto.FLOAT, None))
        model.ir_version = 8
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"])
        found = from_onnx(model).run(x, on="reference")
        for (kind, _, attributes), one, other in zip(
                ops, found, session.run(None, {"x": x})):
            with self.subTest(kind, **attributes):
                self.assertEqual(one.shape, other.shape)
                self.assertLess(difference(one, other), TOLERANCE["f32"])

    def test_convolutions_and_pools(self):
        x = RNG.normal(size=(2, 4, 7, 9)).astype(np.float32)
        self.check_ops(
            17, x,
            ("Conv", [draw(6, 4, 3, 3), draw(6)], {"pads": [1, 1, 1, 1]}),
            ("Conv", [draw(4, 1, 3, 2)], {"group": 4, "strides": [2, 1],
                                          "pads": [0, 1, 2, 0]}),
            ("Conv", [draw(6, 2, 3, 3)], {"group": 2, "dilations": [2, 3]}),
            ("Conv", [draw(6, 4, 1, 1)], {"auto_pad": "VALID"}),
            ("MaxPool", [], {"kernel_shape": [3, 2], "strides": [2, 1],
                             "pads": [1, 0, 1, 1]}),
            ("AveragePool", [], {"kernel_shape": [3, 2], "strides": [3, 2]}),
            ("AveragePool", [], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
            ("AveragePool", [], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1],
                                 "count_include_pad": 1}),
            ("GlobalAveragePool", [], {}),
            ("BatchNormalization", [draw(4), draw(4), draw(4),
                                    np.abs(draw(4))], {"epsilon": 1e-3}))
        for attributes, message in (
                ({"auto_pad": "SAME_UPPER"}, "pads that are given but got "
                 "auto_pad SAME_UPPER"),
                ({"ceil_mode": 1}, "ceil_mode to be 0 but got 1")):
            g = Graph()
            out = g.op("MaxPool", "x", kernel_shape=[2, 2], **attributes)
            with self.assertRaisesRegex(ImportRefused, message):
                from_onnx(g.model([("x", TensorProto.FLOAT, x.shape)], out))

    def test_activations(self):
        x = RNG.normal(size=(3, 8), scale=3).astype(np.float32)
        self.check_ops(17, x, ("Clip", [f32(-1), f32(2)], {}),
                       ("Clip", ["", f32(2)], {}), ("HardSwish", [], {}),
                       ("HardSigmoid", [], {"alpha": 0.3, "beta": 0.4}))

    def test_powers(self):
        x = np.abs(RNG.normal(size=(3, 1))).astype(np.float32)
        wide = np.full(4, 2, np.float32)
        self.check_ops(17, x, *(("Pow", [by], {}) for by in (
            wide, wide / 4, i64(3), f32(-0.5), f32(2.5))))

    def test_ops_of_opset_11(self):
        """Axes and parts are attributes, and Softmax is along many axes."""
        x = RNG.normal(size=(2, 1, 3, 4)).astype(np.float32)
        self.check_ops(11, x, ("Softmax", [], {}), ("Softmax", [], {"axis": 3}),
                       ("Squeeze", [], {"axes": [1]}),
                       ("Unsqueeze", [], {"axes": [0, -1]}),
                       ("ReduceSum", [], {"axes": [2], "keepdims": 0}))
        g = Graph(11)
        _, part = g.op("Split", "x", outputs=2, axis=3, split=[1, 3])
        model = g.model([("x", TensorProto.FLOAT, x.shape)], part)
        np.testing.assert_array_equal(from_onnx(model).run(x), x[..., 1:])

    def test_a_cast_to_an_unknown_dtype_is_refused(self):
        for kind, name in ((TensorProto.DOUBLE, "DOUBLE"),
                           (TensorProto.STRING, "STRING")):
            g = Graph()
            out = g.op("Cast", "x", to=kind)
            with self.assertRaisesRegex(ImportRefused, "node 0 'n0' of Cast: "
                                        f"expected a dtype that .* got {name}"):
                from_onnx(g.model([("x", TensorProto.FLOAT, (3, 3))], out))

    def test_an_old_opset_is_refused(self):
        g = Graph()
        model = g.model([("x", TensorProto.FLOAT, (3, 3))], g.op("Neg", "x"))
        model.opset_import[0].version = 10
        with self.assertRaisesRegex(ImportRefused, "opset 11 or later but got 10"):
            from_onnx(model)

    def test_open_sizes_are_given(self):
        g = Graph()
        model = g.model([("x", TensorProto.FLOAT, ("n", 3))],
                        g.op("Neg", "x"))
        with self.assertRaisesRegex(ImportRefused, "'x' to have known sizes"):
            from_onnx(model)
        self.assertEqual(from_onnx(model, shapes={"x": (2, 3)}).inputs[0].shape,
                         (2, 3))


if __name__ == "__main__":
    unittest.main()
