//===- Tensors.cpp - host tensors and what is done with them --------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Casts to and from parameter types.
//
//===----------------------------------------------------------------------===//

#include "goat/Runtime/Tensors.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace goat;
using namespace goat::runtime;

bool goat::runtime::isReasonable(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    if (size < 0 || llvm::MulOverflow(count, size, count) ||
        count > maxElements)
      return false;
  return true;
}

std::string goat::runtime::shapeString(llvm::ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

static const llvm::fltSemantics &semanticsOf(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return llvm::APFloat::IEEEhalf();
  case DType::BF16:
    return llvm::APFloat::BFloat();
  case DType::F32:
    return llvm::APFloat::IEEEsingle();
  case DType::I1:
  case DType::I8:
  case DType::I32:
  case DType::I64:
    break;
  }
  llvm_unreachable("an integer type has no float semantics");
}

/// The bits of one element, in the low bytes.
/// Integers that a double holds exactly: up to 2^53.
static uint64_t bitsOf(DType dtype, double value) {
  if (dtype == DType::I1)
    return value != 0;
  if (ptx::isInteger(dtype))
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(semanticsOf(dtype), llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

static double valueOf(DType dtype, uint64_t bits) {
  if (dtype == DType::I1)
    return bits & 1;
  if (ptx::isInteger(dtype))
    return llvm::SignExtend64(bits, 8 * ptx::dtypeBytes(dtype));
  const unsigned width = 8 * ptx::dtypeBytes(dtype);
  llvm::APFloat number(semanticsOf(dtype), llvm::APInt(width, bits));
  bool losesInfo;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

double goat::runtime::roundTo(DType dtype, double value) {
  return valueOf(dtype, bitsOf(dtype, value));
}

std::vector<uint8_t> goat::runtime::pack(const Tensor &tensor, DType dtype) {
  const int64_t width = ptx::dtypeBytes(dtype);
  std::vector<uint8_t> bytes(tensor.data.size() * width);
  for (size_t i = 0; i < tensor.data.size(); ++i) {
    uint64_t bits = bitsOf(dtype, tensor.data[i]);
    for (int64_t byte = 0; byte < width; ++byte)
      bytes[width * i + byte] = static_cast<uint8_t>(bits >> (8 * byte));
  }
  return bytes;
}

Tensor goat::runtime::unpack(llvm::ArrayRef<uint8_t> bytes, DType dtype,
                             llvm::ArrayRef<int64_t> shape) {
  Tensor tensor;
  tensor.shape.assign(shape.begin(), shape.end());
  const int64_t width = ptx::dtypeBytes(dtype);
  tensor.data.resize(bytes.size() / width);
  for (size_t i = 0; i < tensor.data.size(); ++i) {
    uint64_t bits = 0;
    for (int64_t byte = 0; byte < width; ++byte)
      bits |= uint64_t(bytes[width * i + byte]) << (8 * byte);
    tensor.data[i] = valueOf(dtype, bits);
  }
  return tensor;
}
