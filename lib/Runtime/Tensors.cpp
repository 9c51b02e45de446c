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
  case DType::I32:
    break;
  }
  llvm_unreachable("an integer type has no float semantics");
}

/// The bits of one element, in the low bytes.
static uint32_t bitsOf(DType dtype, double value) {
  if (dtype == DType::I32)
    return static_cast<uint32_t>(static_cast<int64_t>(value));
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(semanticsOf(dtype), llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return static_cast<uint32_t>(number.bitcastToAPInt().getZExtValue());
}

static double valueOf(DType dtype, uint32_t bits) {
  if (dtype == DType::I32)
    return static_cast<int32_t>(bits);
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
    uint32_t bits = bitsOf(dtype, tensor.data[i]);
    if (width == 2)
      llvm::support::endian::write16le(&bytes[2 * i], bits);
    else
      llvm::support::endian::write32le(&bytes[4 * i], bits);
  }
  return bytes;
}

Tensor goat::runtime::unpack(llvm::ArrayRef<uint8_t> bytes, DType dtype,
                             llvm::ArrayRef<int64_t> shape) {
  Tensor tensor;
  tensor.shape.assign(shape.begin(), shape.end());
  const int64_t width = ptx::dtypeBytes(dtype);
  tensor.data.resize(bytes.size() / width);
  for (size_t i = 0; i < tensor.data.size(); ++i)
    tensor.data[i] = valueOf(
        dtype, width == 2 ? llvm::support::endian::read16le(&bytes[2 * i])
                          : llvm::support::endian::read32le(&bytes[4 * i]));
  return tensor;
}
