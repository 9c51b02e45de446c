//===- TestDependence.cpp - print what values depend on -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass that shows DependenceAnalysis at work.
//
//===----------------------------------------------------------------------===//

#include "TestDependence.h"

#include "goat/Analysis/Dependence.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace goat;

namespace {

struct TestDependence : public PassWrapper<TestDependence, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestDependence)

  StringRef getArgument() const override { return "test-dependence"; }
  StringRef getDescription() const override {
    return "say what each value in a region of goat.attention depends on";
  }

  void runOnOperation() override {
    getOperation()->walk([](AttentionOp attention) {
      DependenceAnalysis analysis(attention);
      attention->walk([&](Operation *op) {
        if (op != attention && op->getNumResults() == 1)
          report(op, analysis.of(op->getResult(0)));
      });
    });
  }

  static void report(Operation *op, Dependence dependence) {
    InFlightDiagnostic remark = op->emitRemark("depends on");
    if (dependence == Dependence::None)
      remark << " nothing";
    for (auto [flag, name] : {std::pair{Dependence::Score, "score"},
                              {Dependence::Query, "query"},
                              {Dependence::Key, "key"},
                              {Dependence::Relative, "relative"},
                              {Dependence::Head, "head"},
                              {Dependence::Batch, "batch"}})
      if (dependsOn(dependence, flag))
        remark << " " << name;
  }
};

} // namespace

void goat::test::registerTestDependencePass() {
  PassRegistration<TestDependence>();
}
