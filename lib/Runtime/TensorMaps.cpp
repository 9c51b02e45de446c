//===- TensorMaps.cpp - TMA descriptors in the simulator ------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates element types and swizzles.
//
//===----------------------------------------------------------------------===//

#include "goat/Runtime/TensorMaps.h"

using namespace goat;
using ptx::DType;

ptxsim::TensorMapType runtime::tensorMapType(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return ptxsim::TensorMapType::F16;
  case DType::BF16:
    return ptxsim::TensorMapType::BF16;
  case DType::F32:
    return ptxsim::TensorMapType::F32;
  case DType::I1:
  case DType::I8:
    return ptxsim::TensorMapType::U8;
  case DType::I32:
    return ptxsim::TensorMapType::S32;
  case DType::I64:
    return ptxsim::TensorMapType::S64;
  }
  llvm_unreachable("unknown dtype");
}

std::optional<ptxsim::TensorMapSwizzle>
runtime::tensorMapSwizzle(int64_t bytes) {
  switch (bytes) {
  case 0:
    return ptxsim::TensorMapSwizzle::None;
  case 32:
    return ptxsim::TensorMapSwizzle::B32;
  case 64:
    return ptxsim::TensorMapSwizzle::B64;
  case 128:
    return ptxsim::TensorMapSwizzle::B128;
  default:
    return std::nullopt;
  }
}
