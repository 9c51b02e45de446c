# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is taken from PyTorch: exported programs, dtypes, elements."""

import functools
from typing import Any, Callable, Dict, Sequence

import numpy as np

from goatc.frontends.builder import ImportRefused

# What says more as a whole than broken up.
KEPT = ("linear", "matmul", "scaled_dot_product_attention", "silu",
        "layer_norm", "rms_norm", "repeat_interleave", "native_layer_norm")


def dtype_name(dtype: Any) -> str:
    """Returns what a torch.dtype is called here."""
    import torch
    names = {torch.float16: "f16", torch.bfloat16: "bf16",
             torch.float32: "f32", torch.bool: "i1", torch.int8: "i8",
             torch.int32: "i32", torch.int64: "i64"}
    if dtype not in names:
        raise ImportRefused(f"expected a dtype that kernels know but got {dtype}")
    return names[dtype]


def numpy_of(tensor: Any) -> np.ndarray:
    """Returns a tensor's elements; those of bf16 in f32."""
    import torch
    tensor = tensor.detach().cpu()
    if tensor.dtype == torch.bfloat16:
        tensor = tensor.float()
    return np.asarray(tensor.numpy())


@functools.lru_cache(maxsize=None)
def decompositions() -> Dict[Any, Callable[..., Any]]:
    """Returns how aten is broken up before it is translated."""
    import torch
    table = torch.export.default_decompositions()
    for name in KEPT:
        packet = getattr(torch.ops.aten, name)
        for overload in packet.overloads():
            table.pop(getattr(packet, overload), None)
    # All at once, which PyTorch would do again for each program.
    return table.materialize()


def export(model: Any, inputs: Sequence[Any], keywords: Dict[str, Any]) -> Any:
    """Returns the program of a module or a function."""
    import torch

    class Calling(torch.nn.Module):
        """A function as a module."""

        def forward(self, *given: Any, **named: Any) -> Any:
            return model(*given, **named)
    module = model if isinstance(model, torch.nn.Module) else Calling()
    return torch.export.export(module, tuple(inputs), keywords)
