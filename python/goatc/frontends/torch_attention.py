# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's ops that are attention: scaled_dot_product_attention and
flex_attention."""

import math
from typing import Any, Dict, List, Optional

from goatc.frontends.blocks import attend, is_at_or_before, repeat_heads
from goatc.frontends.builder import ImportRefused, Value


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
    rows, columns = q.shape[-2], k.shape[-2]

    def score(logits: Value) -> Value:
        never = b.splat(-math.inf, "f32")
        if is_causal:
            return b.select(is_at_or_before(b, rows, columns), logits, never)
        if attn_mask is None:
            return logits
        mask = t.value(attn_mask)
        if mask.dtype == "i1":
            return b.select(mask, logits, never)
        return b.binary("add", logits, b.convert(mask, "f32"))
    if is_causal and rows != columns:
        t.remark(f"'{node.name}' is causal from the top left, as PyTorch has it; "
                 f"goat.attention by itself aligns at the bottom right")
    if scale is None:
        scale = 1 / math.sqrt(q.shape[-1])
    made = attend(b, q, k, v, scale, score)
    return b.reshape(made, t.shape_of(node))


# The arguments of the higher-order op.
QUERY, KEY, VALUE, SCORE, BLOCKS, SCALE, _, OF_SCORE, OF_MASK = range(9)


def is_flex(node: Any) -> bool:
    """Whether a node is a call of flex_attention."""
    return (node.op == "call_function" and
            str(getattr(node.target, "name", lambda: "")()) == "flex_attention")


def inputs_of_flex(node: Any) -> List[Any]:
    """Returns the nodes that a call reads: of the block mask its function
    alone, from which the compiler works out which tiles are left out."""
    arguments = node.args
    return [argument for argument in
            (*arguments[:BLOCKS], arguments[BLOCKS][-1], *arguments[OF_SCORE],
             *arguments[OF_MASK]) if hasattr(argument, "op")]


def spread(t: Any, function: Any, has_score: bool, captured: Any, sizes: Any,
           score: Optional[Value]) -> Value:
    """A function of one (score, b, h, i, j), or of (b, h, i, j), for all of
    them: torch.vmap writes it in ops of tensors."""
    import torch
    from torch.fx.experimental.proxy_tensor import make_fx
    from goatc.frontends import torch as frontend
    tensors = [argument.meta["val"] for argument in captured]
    graph = getattr(t.owner, function.target)
    count = len(tensors)

    def everywhere(*given: Any) -> Any:
        scores, others = given[:has_score], given[has_score:]
        indices = [torch.arange(size, dtype=torch.int32) for size in sizes]
        spreading = graph
        for axis in (3, 2, 1, 0):
            at = [None] * 4
            at[axis] = 0
            spreading = torch.vmap(
                spreading, in_dims=(0,) * has_score + tuple(at) + (None,) * count)
        return spreading(*scores, *indices, *others)
    mode = torch._guards.detect_fake_mode(
        [node.meta.get("val") for node in t.owner.graph.nodes])
    with mode:
        example = [torch.empty(sizes)] if has_score else []
    traced = make_fx(everywhere, frontend.decompositions(),
                     tracing_mode="fake")(*example, *tensors)
    inner = frontend.Translator(t.builder, traced, t.remarks)
    inner.natural = t.natural
    given = ([score] if has_score else []) + [t.value(argument)
                                              for argument in captured]
    places = [place for place in traced.graph.nodes if place.op == "placeholder"]
    inner.values.update(zip(places, given))
    result = next(place for place in traced.graph.nodes if place.op == "output")
    made = result.args[0]
    if isinstance(made, (tuple, list)):
        made = made[0]
    inner.known(made)
    return inner.value(made)


def flex_attention(t: Any, node: Any, *arguments: Any) -> List[Optional[Value]]:
    """Rows, and the logarithm to base 2 of the sums where they are used."""
    b = t.builder
    q, k, v = (t.value(part) for part in arguments[:SCORE])
    k, v = (repeat_heads(b, part, 1, q.shape[1] // part.shape[1])
            for part in (k, v))
    sizes = [*q.shape[:3], k.shape[2]]
    if any(user.args[1] != 0 for user in node.users if user.users):
        raise ImportRefused("expected the rows alone but got a use of the lse or "
                            "the maxima of flex_attention")

    def score(logits: Value) -> Value:
        logits = b.convert(spread(
            t, arguments[SCORE], True, arguments[OF_SCORE], sizes, logits), "f32")
        seen = spread(t, arguments[BLOCKS][-1], False, arguments[OF_MASK], sizes,
                      None)
        if seen.splat is True:
            return logits
        return b.select(seen, logits, b.splat(-math.inf, "f32"))
    return [attend(b, q, k, v, arguments[SCALE], score)]


HANDLERS: Dict[str, Any] = {
    "scaled_dot_product_attention": scaled_dot_product_attention,
    "flex_attention": flex_attention,
}
