//===- MemoryAccess.h - predicated loads and stores -------------*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One access of one thread to one to four words. With a predicate it is inline
// PTX, as a branch for each access would cut the kernel into hundreds of basic
// blocks; without, it is an ordinary load or store that LLVM can move.
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_LIB_CONVERSION_GOATTILETONVVM_MEMORYACCESS_H
#define GOAT_LIB_CONVERSION_GOATTILETONVVM_MEMORYACCESS_H

#include "ScalarEmitter.h"

namespace goat::tile {

/// The address of consecutive elements: an LLVM pointer (address space 1 or 3)
/// plus a constant number of elements.
struct ElementAddress {
  mlir::Value pointer;
  mlir::Type elementType;
  int64_t offset = 0;
};

/// Reads `count` consecutive elements, aligned to their total size; zeros,
/// without touching memory, where `condition` (may be null) does not hold.
llvm::SmallVector<mlir::Value> loadElements(ScalarEmitter &emitter,
                                            ElementAddress address,
                                            unsigned count,
                                            mlir::Value condition);

/// Writes consecutive elements, aligned to their total size, where `condition`
/// (may be null) holds.
void storeElements(ScalarEmitter &emitter, ElementAddress address,
                   mlir::ValueRange values, mlir::Value condition);

/// Two 16-bit elements as one i32, the first in the low half.
mlir::Value packPair(ScalarEmitter &emitter, mlir::Value low, mlir::Value high);

} // namespace goat::tile

#endif // GOAT_LIB_CONVERSION_GOATTILETONVVM_MEMORYACCESS_H
