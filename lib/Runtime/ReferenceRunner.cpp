//===- ReferenceRunner.cpp - the reference as a runner --------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hands inputs to the reference and turns its diagnostics into an error.
//
//===----------------------------------------------------------------------===//

#include "goat/Runtime/Runner.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace goat;
using namespace goat::runtime;

namespace {
class ReferenceRunner : public Runner {
public:
  explicit ReferenceRunner(func::FuncOp function) : function(function) {}

  llvm::StringRef name() const override { return "reference"; }

  llvm::Expected<RunResult> run(llvm::ArrayRef<Tensor> inputs,
                                const Progress &progress) override {
    std::string said;
    ScopedDiagnosticHandler handler(
        function.getContext(), [&](Diagnostic &diagnostic) {
          llvm::raw_string_ostream stream(said);
          stream << (said.empty() ? "" : "; ") << diagnostic;
          return success();
        });
    FailureOr<std::vector<Tensor>> outputs =
        reference::evaluate(function, inputs);
    if (failed(outputs))
      return llvm::createStringError("the reference refused '" +
                                     function.getSymName() + "': " + said);
    RunResult result;
    result.outputs = std::move(*outputs);
    return result;
  }

private:
  func::FuncOp function;
};
} // namespace

std::unique_ptr<Runner>
goat::runtime::createReferenceRunner(func::FuncOp function) {
  return std::make_unique<ReferenceRunner>(function);
}
