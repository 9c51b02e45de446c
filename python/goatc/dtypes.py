# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types of a kernel and what NumPy holds them in.

NumPy has no bf16: its values travel as float32 and are stored as the upper 16
bits, rounded to nearest even.
"""

from typing import Any, Dict

import numpy as np

STORAGE: Dict[str, np.dtype] = {
    "bf16": np.dtype(np.uint16), "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32), "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8), "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64)}


def encode(values: Any, dtype: str) -> np.ndarray:
    """Returns an array as it lies in device memory, contiguous.

    `dtype` is a key of STORAGE. Floats are rounded to nearest even; every NaN
    becomes the quiet NaN of the type.
    """
    if dtype != "bf16":
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(values, STORAGE[dtype])
    single = np.ascontiguousarray(values, np.float32)
    bits = single.view(np.uint32)
    carry = np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    rounded = ((bits + carry) >> np.uint32(16)).astype(np.uint16)
    return np.where(np.isnan(single), np.uint16(0x7FC0), rounded)


def decode(stored: np.ndarray, dtype: str) -> np.ndarray:
    """Returns the values of device memory: floats as float32,
    integers as they are."""
    if dtype == "bf16":
        return (stored.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return stored.astype(np.float32) if dtype == "f16" else stored
