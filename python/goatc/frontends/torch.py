# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch: programs of torch.export, aten op by op.

torch.export breaks most of aten into few ops; those that say more as a whole
(attention, products, norms) are kept and translated as they are.
"""

import inspect
import re
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

from goatc.frontends import (torch_attention, torch_export, torch_ops,
                             torch_shapes)
from goatc.frontends.builder import Builder, ImportRefused, Value
from goatc.frontends.module import Module
from goatc.frontends.torch_export import (decompositions, dtype_name, export,
                                          numpy_of)
from goatc.library import Diagnostic

# Arguments of aten's that say nothing about what is computed.
IRRELEVANT = ("layout", "device", "pin_memory", "memory_format", "non_blocking")


def place_of(node: Any) -> Optional[Tuple[str, int]]:
    """Returns the line of the model that a node comes from: the innermost that
    is not PyTorch's own."""
    frames = re.findall(r'File "([^"]+)", line (\d+)',
                        node.meta.get("stack_trace") or "")
    own = [frame for frame in frames if not frame[0].startswith("<") and
           "/torch/" not in frame[0].replace("\\", "/")]
    file, line = (own or [("", 0)])[-1]
    # PyTorch keeps lines of modules alone: of a function it says who called it.
    is_ours = file in ("", torch_export.__file__)
    return None if is_ours else (file, int(line))


class Translator:
    """Translates the nodes that results depend on.

    calls: of flex_attention, by number. home: where the model stands, for nodes
    that do not say.
    """

    def __init__(self, builder: Builder, remarks: List[Diagnostic],
                 calls: Sequence[torch_attention.Call] = (),
                 home: Optional[Tuple[str, int]] = None):
        self.builder, self.remarks = builder, remarks
        self.calls, self.home = calls, home
        # Of each node a tensor, or a list of tensors; by the node.
        self.values: Dict[Any, Any] = {}
        # Names of integer tensors that hold no negative number.
        self.natural: Set[str] = set()
        # Of tensors that were joined by name: the axis, and from what.
        self.joined: Dict[str, Tuple[int, List[Value]]] = {}

    def remark(self, message: str) -> None:
        """Says something about the node that is being translated."""
        file, line = self.builder.origin or ("", 0)
        self.remarks.append(Diagnostic("remark", message, file, line))

    def known(self, node: Any) -> Any:
        """Returns what a node gives; translates all it depends on first."""
        waiting = [node]
        while waiting:
            last = waiting[-1]
            needed = [] if last in self.values else [
                other for other in last.all_input_nodes
                if other not in self.values]
            if needed:
                waiting += needed
                continue
            waiting.pop()
            if last not in self.values:
                self.values[last] = self.node(last)
        return self.values[node]

    def node(self, node: Any) -> Any:
        """Translates one node."""
        outer = self.builder.origin
        self.builder.origin = place_of(node) or outer or self.home
        try:
            if node.op != "call_function":
                raise ImportRefused(f"expected an op that is translated but got "
                                    f"'{node.name}'")
            name = re.sub(r"^(aten|prims|goatc)\.", "", str(node.target))
            handler = HANDLERS.get(name) or HANDLERS.get(name.split(".")[0])
            if handler is None:
                raise ImportRefused(f"expected an op that is translated but got "
                                    f"{node.target}")
            keywords = {key: value for key, value in node.kwargs.items()
                        if key not in IRRELEVANT}
            try:
                inspect.signature(handler).bind(self, node, *node.args,
                                                **keywords)
            except TypeError as error:
                raise ImportRefused(f"expected arguments that are translated but "
                                    f"got {error} of {node.target}") from None
            return handler(self, node, *node.args, **keywords)
        except ImportRefused as error:
            place = self.builder.origin
            where = f"{place[0]}:{place[1]}: " if place else ""
            if where and str(error).startswith(where):
                raise
            raise ImportRefused(f"{where}'{node.name}': {error}") from None
        finally:
            self.builder.origin = outer

    def value(self, argument: Any, dtype: Optional[str] = None) -> Value:
        """Returns an argument of a node, as `dtype` when one is given."""
        if isinstance(argument, (bool, int, float)):
            kind = dtype or {bool: "i1", int: "i64", float: "f32"}[type(argument)]
            return self.builder.splat(argument, kind)
        made = self.values.get(argument)
        if not isinstance(made, Value):
            raise ImportRefused(f"expected a tensor but got {argument}")
        return self.convert(made, dtype) if dtype else made

    def convert(self, value: Value, dtype: str) -> Value:
        """Builder.convert, which knows of natural numbers."""
        return self.like(self.builder.convert(value, dtype), value)

    def like(self, made: Value, *sources: Value) -> Value:
        """Returns `made`, which holds no negative number when no source does."""
        if all(map(self.is_natural, sources)):
            self.natural.add(made.name)
        return made

    def is_natural(self, value: Value) -> bool:
        """Whether the tensor is known to hold no negative number."""
        return value.name in self.natural or (
            value.splat is not None and value.splat >= 0)

    def shape_of(self, node: Any) -> List[int]:
        """Returns the shape of what a node gives."""
        shape = node.meta["val"].shape
        if not all(isinstance(size, int) for size in shape):
            raise ImportRefused(f"expected sizes that are known but got "
                                f"{list(shape)}; export without dynamic shapes")
        return [int(size) for size in shape]

    def nested(self) -> "Translator":
        """Returns a translator of a graph inside this one."""
        inner = Translator(self.builder, self.remarks)
        inner.natural = self.natural
        return inner

    def dtype_of(self, node: Any) -> str:
        """Returns the dtype of what a node gives."""
        return dtype_name(node.meta["val"].dtype)


Handler = Callable[..., Any]
HANDLERS: Dict[str, Handler] = {**torch_ops.HANDLERS, **torch_shapes.HANDLERS,
                                **torch_attention.HANDLERS}


def declare(translator: Translator, program: Any) -> None:
    """Makes inputs of a program's parameters, buffers, constants and inputs."""
    from torch.export.graph_signature import InputKind, TensorArgument
    builder = translator.builder
    nodes = {node.name: node for node in program.graph.nodes
             if node.op == "placeholder"}
    for given in program.graph_signature.input_specs:
        node = nodes[given.arg.name]
        if not isinstance(given.arg, TensorArgument):
            translator.values[node] = getattr(given.arg, "value", None)
            continue
        shape, dtype = translator.shape_of(node), translator.dtype_of(node)
        if given.kind == InputKind.USER_INPUT:
            translator.values[node] = builder.add_input(given.arg.name, shape,
                                                        dtype)
            continue
        name = re.sub(r"\W+", "_", given.target)
        if given.target in program.state_dict:
            array = numpy_of(program.state_dict[given.target])
        else:
            array = numpy_of(program.constants[given.target])
        is_weight = given.kind in (InputKind.PARAMETER, InputKind.BUFFER)
        if node.users or is_weight:
            translator.values[node] = (
                builder.add_input(name, shape, dtype, array) if is_weight else
                builder.constant(array, dtype, name))


def from_torch(model: Any, *inputs: Any, name: str = "main", **keywords: Any
               ) -> Module:
    """Imports a PyTorch model.

    model: an nn.Module or a function, which is exported with `inputs` and
        `keywords` as examples, or a torch.export.ExportedProgram, which needs
        none. All sizes are fixed by them. name: of the function made.

    Parameters, buffers and tensors that the model closes over become inputs
    that a run need not give. A module is taken in the mode it is in: call
    eval() first where it has dropout. Raises ImportRefused for an op that is
    not translated, by name and with the line it stands at.
    """
    import torch
    from torch.export.graph_signature import OutputKind, TensorArgument
    from torch.utils import _pytree as pytree
    program = (model if isinstance(model, torch.export.ExportedProgram) else
               export(model, inputs, keywords))
    program, calls = torch_attention.set_aside(program)
    program = program.run_decompositions(decompositions())
    signature = program.graph_signature
    for result in signature.output_specs:
        if result.kind != OutputKind.USER_OUTPUT:
            raise ImportRefused(
                f"expected a program that changes nothing but got one that "
                f"writes '{result.target}'; return it instead")
    remarks: List[Diagnostic] = []
    code = getattr(model, "__code__", None)
    translator = Translator(Builder(name), remarks, calls,
                            code and (code.co_filename, code.co_firstlineno))
    declare(translator, program)
    by_name = {node.name: node for node in program.graph.nodes}
    outputs = [result.arg for result in signature.output_specs]
    wanted = [argument for argument in outputs
              if isinstance(argument, TensorArgument)]
    for argument in wanted:
        node = by_name[argument.name]
        translator.known(node)
        translator.builder.results.append(translator.value(node))
    is_tensor = [isinstance(given.arg, TensorArgument)
                 for given in signature.input_specs
                 if given.kind.name == "USER_INPUT"]

    def flatten(*given: Any) -> List[Any]:
        leaves = pytree.tree_leaves((given, {}))
        if len(leaves) == len(is_tensor):
            leaves = [leaf for leaf, kept in zip(leaves, is_tensor) if kept]
        return [numpy_of(leaf) if isinstance(leaf, torch.Tensor) else leaf
                for leaf in leaves]

    def unflatten(arrays: List[Any]) -> Any:
        rest = iter(arrays)
        leaves = [next(rest) if isinstance(argument, TensorArgument) else
                  getattr(argument, "value", None) for argument in outputs]
        return pytree.tree_unflatten(leaves, program.call_spec.out_spec)
    return Module(translator.builder, remarks, flatten, unflatten)
