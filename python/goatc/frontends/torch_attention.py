# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's ops that are attention: scaled_dot_product_attention and
flex_attention."""

import copy
import functools
import math
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from goatc.frontends.blocks import (attend, causal, masked, repeat_heads,
                                    top_left)
from goatc.frontends.builder import ImportRefused, Value
from goatc.frontends.torch_export import decompositions


def scaled_dot_product_attention(t: Any, node: Any, query: Any, key: Any,
                                 value: Any, attn_mask: Any = None,
                                 dropout_p: float = 0.0, is_causal: bool = False,
                                 *, scale: Optional[float] = None,
                                 enable_gqa: bool = False) -> Value:
    """Causal from the top left; a boolean mask says which keys are seen, any
    other is added to scale·(q·k)."""
    b = t.builder
    q, k, v = (t.value(part) for part in (query, key, value))
    if dropout_p:
        raise ImportRefused(f"expected dropout_p to be 0 but got {dropout_p}; "
                            f"call eval() on the model first")
    if attn_mask is not None and is_causal:
        raise ImportRefused("expected attn_mask or is_causal but got both, which "
                            "PyTorch refuses too")
    rank = max(len(part.shape) for part in (q, k, v))
    # Without a batch or without heads, those are 1.
    q, k, v = (b.reshape(part, [1] * (max(rank, 4) - len(part.shape)) +
                         list(part.shape)) for part in (q, k, v))
    if enable_gqa:
        k, v = (repeat_heads(b, part, -3, q.shape[-3] // part.shape[-3])
                for part in (k, v))

    def score(logits: Value) -> Value:
        if is_causal:
            return causal(b, logits)
        return (logits if attn_mask is None else
                masked(b, logits, t.value(attn_mask)))
    if is_causal and q.shape[-2] != k.shape[-2]:
        t.remark(top_left(node.name, "PyTorch"))
    if scale is None:
        scale = 1 / math.sqrt(q.shape[-1])
    made = attend(b, q, k, v, scale, score)
    return b.reshape(made, t.shape_of(node))


# flex_attention, whose score and mask are graphs of one element each.


class Call(NamedTuple):
    """A call of flex_attention: the graphs of score and mask, and the scale of
    q·k."""

    score: Any
    mask: Any
    scale: float


@functools.lru_cache(maxsize=None)
def whole_op() -> Any:
    """Returns an op that stands for a call while the rest of a program is broken
    up: PyTorch 2.9 would evaluate the graphs with indices it does not know."""
    import torch
    library = torch.library.Library("goatc", "FRAGMENT")
    library.define("flex_attention(Tensor query, Tensor key, Tensor value, "
                   "Tensor[] of_score, Tensor[] of_mask, int number) -> "
                   "(Tensor, Tensor, Tensor)")

    def describe(query: Any, key: Any, value: Any, *_: Any) -> Any:
        rows = query.new_empty([*query.shape[:3], value.shape[3]])
        return rows, rows[..., 0].float(), rows[..., 0].float()
    torch.library.register_fake("goatc::flex_attention", describe, lib=library)
    return torch.ops.goatc.flex_attention.default, library


def drop_unused(graph: Any) -> None:
    """Erases what no result depends on, such as the making of a block mask:
    PyTorch keeps some of it."""
    used = {node for node in graph.nodes if node.op in ("output", "placeholder")}
    waiting = list(used)
    while waiting:
        node = waiting.pop()
        schema = {user: getattr(user.target, "_schema", None)
                  for user in node.users}
        # What writes to a tensor that is used is used.
        for other in [*node.all_input_nodes, *(
                user for user, of in schema.items()
                if of and of.is_mutable and user.args[0] is node)]:
            if other not in used:
                used.add(other)
                waiting.append(other)
    for node in reversed(list(graph.nodes)):
        if node not in used:
            graph.erase_node(node)


def set_aside(program: Any) -> Tuple[Any, List[Call]]:
    """Returns the program with an op for each call of flex_attention, and the
    calls. Of a block mask its function stays, from which the compiler works out
    which tiles are left out."""
    import torch
    calls: List[Call] = []
    flex = torch.ops.higher_order.flex_attention
    if all(node.target is not flex for node in program.graph.nodes):
        return program, calls
    op, _ = whole_op()
    module = copy.deepcopy(program.graph_module)
    for node in list(module.graph.nodes):
        if node.target is not flex:
            continue
        query, key, value, score, blocks, scale, _, of_score, of_mask = node.args
        node.target = op
        node.args = (query, key, value, list(of_score), list(of_mask),
                     len(calls))
        if any(user.users and user.args[1] != 0 for user in node.users):
            raise ImportRefused(f"'{node.name}': expected the rows alone but got "
                                f"a use of the lse or the maxima of "
                                f"flex_attention")
        calls.append(Call(getattr(module, score.target),
                          getattr(module, blocks[-1].target), scale))
    drop_unused(module.graph)
    return torch.export.ExportedProgram(
        module, module.graph, program.graph_signature, program.state_dict,
        program.range_constraints, program.module_call_graph,
        program.example_inputs, program.constants,
        verifiers=program.verifiers), calls


def spread(t: Any, graph: Any, captured: Sequence[Any], sizes: Sequence[int],
           *score: Value) -> Value:
    """A function of one (score, b, h, i, j), or of (b, h, i, j), for all of
    them: torch.vmap writes it in ops of tensors."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    def everywhere(*given: Any) -> Any:
        scores, others = given[:len(score)], given[len(score):]
        indices = [torch.arange(size, dtype=torch.int32) for size in sizes]
        spreading = graph
        for axis in (3, 2, 1, 0):
            at: List[Optional[int]] = [None] * 4
            at[axis] = 0
            spreading = torch.vmap(spreading, in_dims=(
                (0,) * len(scores) + tuple(at) + (None,) * len(others)))
        return spreading(*scores, *indices, *others)
    with FakeTensorMode():
        examples = [torch.empty(list(sizes)) for _ in score] + [
            torch.empty(argument.meta["val"].shape,
                        dtype=argument.meta["val"].dtype)
            for argument in captured]
    traced = make_fx(everywhere, tracing_mode="fake")(*examples)
    # vmap writes to tensors.
    traced = make_fx(torch.func.functionalize(traced), decompositions(),
                     tracing_mode="fake")(*examples)
    inner = t.nested()
    *places, result = [place for place in traced.graph.nodes
                       if place.op in ("placeholder", "output")]
    inner.values.update(zip(places, (*score, *map(t.value, captured))))
    made = result.args[0]
    made = made[0] if isinstance(made, (tuple, list)) else made
    inner.known(made)
    return inner.value(made)


def flex_attention(t: Any, node: Any, query: Any, key: Any, value: Any,
                   of_score: Sequence[Any], of_mask: Sequence[Any], number: int
                   ) -> List[Value]:
    """As `set_aside` puts it; the rows alone."""
    b, call = t.builder, t.calls[number]
    q, k, v = (t.value(part) for part in (query, key, value))
    k, v = (repeat_heads(b, part, 1, q.shape[1] // part.shape[1])
            for part in (k, v))
    sizes = [*q.shape[:3], k.shape[2]]

    def score(logits: Value) -> Value:
        logits = b.convert(spread(t, call.score, of_score, sizes, logits), "f32")
        seen = spread(t, call.mask, of_mask, sizes)
        if seen.splat is True:
            return logits
        return masked(b, logits, seen)
    return [attend(b, q, k, v, call.scale, score)]


HANDLERS: Dict[str, Any] = {
    "scaled_dot_product_attention": scaled_dot_product_attention,
    "flex_attention": flex_attention,
}
