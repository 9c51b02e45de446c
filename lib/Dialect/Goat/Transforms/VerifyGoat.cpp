//===- VerifyGoat.cpp - check that a module can be compiled ---------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The labels (V1), (V2), … are those of Passes.td.
//
//===----------------------------------------------------------------------===//

#include "goat/Dialect/Goat/Transforms/Layer.h"
#include "goat/Dialect/Goat/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace goat {
#define GEN_PASS_DEF_GOATVERIFYGOAT
#include "goat/Dialect/Goat/Transforms/Passes.h.inc"
} // namespace goat

using namespace mlir;
using namespace goat;

namespace {

struct GoatVerifyGoat : public goat::impl::GoatVerifyGoatBase<GoatVerifyGoat> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    for (Operation &op : *getOperation().getBody()) {
      auto function = dyn_cast<func::FuncOp>(op);
      if (!function)
        op.emitError("(V1) expected nothing but functions in a file to compile "
                     "but got ")
            << op.getName();
      if (!function || failed(findLayer(function)))
        signalPassFailure();
    }
  }
};

} // namespace
