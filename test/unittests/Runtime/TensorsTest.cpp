//===- TensorsTest.cpp - casts and .npy files -----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values survive the way through a parameter's bytes and through a file.
//
//===----------------------------------------------------------------------===//

#include "goat/Runtime/Tensors.h"
#include "goat/Runtime/Npy.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace goat;
using namespace goat::runtime;

static const double infinity = std::numeric_limits<double>::infinity();

TEST(Tensors, RoundToNearestTiesToEven) {
  // bf16 keeps 8 bits: between 256 and 512 it has every second integer.
  EXPECT_EQ(roundTo(DType::BF16, 257), 256);
  EXPECT_EQ(roundTo(DType::BF16, 259), 260);
  EXPECT_EQ(roundTo(DType::BF16, 257.001), 258);
  EXPECT_EQ(roundTo(DType::F16, 2049), 2048);
  EXPECT_EQ(roundTo(DType::F16, 2051), 2052);
  EXPECT_EQ(roundTo(DType::F16, 1e6), infinity);
  EXPECT_EQ(roundTo(DType::F32, 16777217), 16777216);
  EXPECT_EQ(roundTo(DType::I32, -3), -3);
  EXPECT_TRUE(std::isnan(roundTo(DType::BF16, std::nan(""))));
}

TEST(Tensors, PackAndUnpack) {
  Tensor tensor{{2, 2}, {1, -2, 0.5, -infinity}};
  for (DType dtype : {DType::BF16, DType::F16, DType::F32}) {
    std::vector<uint8_t> bytes = pack(tensor, dtype);
    EXPECT_EQ(bytes.size(), 4u * ptx::dtypeBytes(dtype));
    EXPECT_EQ(unpack(bytes, dtype, tensor.shape).data, tensor.data);
  }
  EXPECT_EQ(pack({{1}, {1}}, DType::BF16), (std::vector<uint8_t>{0x80, 0x3f}));
  EXPECT_EQ(pack({{1}, {1}}, DType::F16), (std::vector<uint8_t>{0x00, 0x3c}));
  EXPECT_EQ(pack({{1}, {-2}}, DType::I32),
            (std::vector<uint8_t>{0xfe, 0xff, 0xff, 0xff}));
}

namespace {
/// A temporary file that goes away with the test.
class Npy : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("goat", "npy", path));
    remover.setFile(path);
  }
  std::string contents() {
    return (*llvm::MemoryBuffer::getFile(path))->getBuffer().str();
  }
  void setContents(llvm::StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << text;
  }
  std::string errorAfter(llvm::StringRef from, llvm::StringRef to) {
    EXPECT_FALSE(
        bool(writeNpy(path, {{2, 3}, {1, 2, 3, 4, 5, 6}}, DType::F32)));
    std::string text = contents();
    size_t at = text.find(from.str());
    EXPECT_NE(at, std::string::npos);
    setContents(text.replace(at, from.size(), to.str()));
    llvm::Expected<Tensor> read = readNpy(path);
    return read ? "" : llvm::toString(read.takeError());
  }

  llvm::SmallString<128> path;
  llvm::FileRemover remover;
};
} // namespace

TEST_F(Npy, WhatIsWrittenIsRead) {
  for (const Tensor &tensor :
       {Tensor{{2, 3}, {1, 2, 3, 4, 5, 0.1f}}, Tensor{{}, {7}},
        Tensor{{4}, {1, 2, 3, -4}}, Tensor{{0, 5}, {}}})
    for (DType dtype : {DType::F32, DType::I32}) {
      ASSERT_FALSE(bool(writeNpy(path, tensor, dtype)));
      llvm::Expected<Tensor> read = readNpy(path);
      ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
      EXPECT_EQ(read->shape, tensor.shape);
      for (size_t i = 0; i < tensor.data.size(); ++i)
        EXPECT_EQ(read->data[i], roundTo(dtype, tensor.data[i]));
    }
}

TEST_F(Npy, HeaderIsNumPys) {
  ASSERT_FALSE(bool(writeNpy(path, {{3}, {1, 2, 3}}, DType::F32)));
  std::string text = contents();
  EXPECT_EQ(text.size(), 128u + 12u);
  EXPECT_EQ(text.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_NE(text.find("{'descr': '<f4', 'fortran_order': False, 'shape': "
                      "(3,), }"),
            std::string::npos);
  EXPECT_EQ(text[127], '\n');
}

TEST_F(Npy, VersionTwoHasALongerLength) {
  ASSERT_FALSE(bool(writeNpy(path, {{3}, {1, 2, 3}}, DType::F32)));
  std::string text = contents();
  text[6] = 2;
  text.insert(10, 2, '\0');
  setContents(text);
  llvm::Expected<Tensor> read = readNpy(path);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->data, (std::vector<double>{1, 2, 3}));
}

TEST_F(Npy, RefusesWhatItCannotRead) {
  for (auto [from, to, message] :
       {std::array<const char *, 3>{"NUMPY", "NUMPI",
                                    "expected a .npy file but its first bytes"},
        {"<f4", ">f4",
         "expected elements of type <f2, <f4, <f8, |b1, |i1, <i4 or <i8 "
         "but got '>f4'; save the array with "
         ".astype('float32')"},
        {"False", "True ", "expected an array in C order"},
        {"(2, 3)", "(2, 4)", "expected 8 elements of 4 bytes but got 24 bytes"},
        {"(2, 3)", "(2, x)", "expected sizes in the shape but got ' x'"},
        {"'shape': (", "'shape': [", "expected a shape in the header"},
        {"\x01", "\x09", "expected .npy format version 1, 2 or 3 but got 9"}}) {
    std::string error = errorAfter(from, to);
    EXPECT_NE(error.find(message), std::string::npos) << error;
  }
  setContents(llvm::StringRef("\x93NUMPY\x01\x00\xff\x00", 10));
  EXPECT_NE(llvm::toString(readNpy(path).takeError()).find("cut off"),
            std::string::npos);
  EXPECT_NE(llvm::toString(readNpy("/does/not/exist.npy").takeError())
                .find("'/does/not/exist.npy': cannot be read"),
            std::string::npos);
}
