//===- Npy.h - arrays in NumPy's file format ------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A .npy is its magic, two bytes of version, the length of a header and the
// header, which is the text of a Python dictionary; then the elements.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_PTXSIM_TOOL_NPY_H
#define GOAT_LIB_PTXSIM_TOOL_NPY_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace goat::ptxsim {

/// Sets `data` to the elements of an array, or to the whole of a file that is
/// no .npy, and `header` to the bytes before. Returns what is wrong, or
/// nothing.
std::string readNpy(std::string_view file, std::string_view &header,
                    std::string_view &data);

/// The bytes before the elements of an array in C order; `type` is NumPy's
/// name, for example "<f4".
std::string npyHeader(std::string_view type,
                      const std::vector<uint64_t> &shape);

} // namespace goat::ptxsim

#endif // GOAT_LIB_PTXSIM_TOOL_NPY_H
