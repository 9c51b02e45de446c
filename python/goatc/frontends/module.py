# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model's graph with its attention found."""

import re
from typing import Any, Callable, List, Optional, Sequence

from goatc import kernel as kernels
from goatc import library
from goatc.artifact import ArtifactError
from goatc.frontends.builder import Builder
from goatc.kernel import Kernel, KernelFault, Parameter
from goatc.library import Diagnostic

# What makes an attention of a graph, and a function of each attention.
PIPELINE = "func.func(goat-raise-attention,cse),goat-outline-attention"


class Module:
    """A graph with its attention found; `from_jax`, `from_torch` and
    `from_onnx` make it.

    graph: the graph as it was translated. text: after attention was found, each
    in a function of its own. attentions: those functions' names. remarks: why
    something that looks like attention was left alone, and what else the
    compiler and the frontend had to say. inputs: what a run takes.
    """

    def __init__(self, builder: Builder,
                 remarks: Sequence[Diagnostic] = (),
                 flatten: Callable[..., List[Any]] = lambda *given: list(given),
                 unflatten: Optional[Callable[[List[Any]], Any]] = None):
        # Parameters and results have integers of one kind.
        builder.results = [value if value.is_float else
                           builder.convert(value, "i32")
                           for value in builder.results]
        self.name, self.graph = builder.name, builder.text()
        self._all = builder.inputs
        self.inputs = [Parameter(i.name, i.dtype, i.shape)
                       for i in builder.inputs if i.value is None]
        self._flatten = flatten
        self._unflatten = unflatten or (lambda outputs: outputs[0]
                                        if len(outputs) == 1 else tuple(outputs))
        self.text, said = kernels.transform(self.graph, PIPELINE)
        self.remarks = list(remarks) + said
        self.attentions = re.findall(
            rf"func\.func @({re.escape(self.name)}_attention_\d+)\(", self.text)
        if not self.attentions and "goat.attention" in self.text:
            self.attentions = [self.name]

    def __repr__(self) -> str:
        return (f"<goatc.Module {self.name}"
                f"({', '.join(i.name for i in self.inputs)}) with "
                f"{len(self.attentions)} attentions>")

    def kernels(self, **options: Any) -> List[Kernel]:
        """Compiles each attention; `options` are those of `goatc.compile`."""
        return [kernels.compile(self.text, function=name, **options)
                for name in self.attentions]

    def run(self, *inputs: Any, on: str = "sim", seed: int = 0,
            **options: Any) -> Any:
        """Runs the whole graph on the CPU.

        inputs: what the framework's function takes. on: "sim" executes the
            PTX of each attention on a simulated GPU and evaluates the rest;
            "reference" evaluates everything, in double precision. seed: orders
            the simulator's blocks and warps. options: target and those of the
            pipeline.

        Returns what the framework's function returns, with arrays of float64
        for floats. Raises ArtifactError for inputs that do not fit,
        KernelFault when a kernel did what it must not do, CompileError when an
        attention cannot be compiled.
        """
        given = self._flatten(*inputs)
        if len(given) != len(self.inputs):
            raise ArtifactError(f"expected {len(self.inputs)} inputs of "
                                f"'{self.name}' but got {len(given)}")
        rest = iter(given)
        handle = library.make_options({"function": self.name, **options})
        data = self.text.encode()
        outcome, findings = kernels.run_native(
            "goatGraphRun",
            [data, len(data), f"{self.name}.mlir".encode(), handle.address],
            [next(rest) if i.value is None else i.value for i in self._all],
            [Parameter(i.name, i.dtype, i.shape) for i in self._all], on, seed)
        outputs = self._unflatten(outcome.outputs(exact=True))
        if findings:
            raise KernelFault(self.name, findings, outputs)
        return outputs
