# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TMA descriptors: what kernel.json says of one, at the sizes of a call."""

from typing import Any, Mapping, NamedTuple, Sequence, Tuple

from goatc.artifact import ArtifactError, Shape
from goatc.dtypes import STORAGE

ENCODED_BYTES = 128
ALIGNMENT = 16  # bytes, of the address and of strides


class TensorMap(NamedTuple):
    """A tensor in device memory and the box that one copy moves. Axes count
    from the innermost one, whose elements lie one after the other; strides are
    in bytes, of the axes from the second on."""

    dtype: str
    address: int
    extents: Tuple[int, ...]
    strides: Tuple[int, ...]
    box: Tuple[int, ...]
    swizzle: int


def describe(entry: Mapping[str, Any], name: str, dtype: str, shape: Shape,
             strides: Sequence[int], address: int) -> TensorMap:
    """Returns the tensor map that an entry of kernel.json asks for.

    strides: those of the tensor, in elements. Raises ArtifactError for a
    tensor that no descriptor can describe.
    """
    width = STORAGE[dtype].itemsize
    if shape[-1] > 1 and strides[-1] != 1:
        raise ArtifactError(f"expected a stride of 1 of the last axis of "
                            f"'{name}', which has a tensor map, but got "
                            f"{strides[-1]}")
    # Nothing steps along an axis of one index, whose stride may be anything.
    outer = [stride * width if size > 1 else ALIGNMENT
             for size, stride in zip(shape[:-1], strides[:-1])]
    for what, value in [("address", address),
                        *(("stride in bytes", stride) for stride in outer)]:
        if value % ALIGNMENT:
            raise ArtifactError(f"expected the {what} of '{name}', which has a "
                                f"tensor map, to be a multiple of {ALIGNMENT} "
                                f"but got {value}")
    return TensorMap(dtype, address,
                     tuple(max(size, 1) for size in reversed(shape)),
                     tuple(reversed(outer)), tuple(reversed(entry["box"])),
                     entry["swizzle"])
