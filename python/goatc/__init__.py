# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention layers, from Python functions to GPU kernels.

    layer = goatc.attention(q, k, v, score=prior, mask=goatc.mask.causal())
    kernel = goatc.compile(layer, target="sm_90")
    out = goatc.run(kernel, q, k, v, on="sim")

docs/python.md is the tutorial. The package is called goatc because `goat` is
the import name of the official module of the method.
"""

from goatc import cache, exclude, mask, prior, rows
from goatc.attention import Attention, attention
from goatc.arrays import to_float
from goatc.artifact import ArtifactError
from goatc.capture import capture
from goatc.device import DeviceArray, DeviceKernel, launch, to_device
from goatc.driver import DeviceError
from goatc.frontends.builder import ImportRefused
from goatc.frontends.jax import from_jax
from goatc.frontends.module import Module
from goatc.frontends.onnx import from_onnx
from goatc.frontends.torch import from_torch
from goatc.kernel import (Comparison, Kernel, KernelFault, Parameter, compare,
                          compile, count, emit, load, run, transform)
from goatc.library import (CompileError, Diagnostic, GoatError,
                           option_names as options, version)
from goatc.ops import (ceil, clip, cos, exp, exp2, floor, log, log1p, log2,
                       maximum, minimum, row_max, row_sum, rsqrt, sigmoid, sin,
                       softcap, softplus, sqrt, tanh, where)
from goatc.simulate import SimDriver
from goatc.terms import distance, key_position, query_position
from goatc.trace import Tensor, TraceError, Value
