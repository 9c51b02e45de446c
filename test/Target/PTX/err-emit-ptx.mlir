// RUN: not goat-translate %s --nvvm-to-ptx 2>&1 | FileCheck %s
// An op that has no translation is named, and so is the way out.

// CHECK: error: {{.*}}arith.addi
// CHECK: error: expected only llvm and nvvm ops that can be translated to LLVM IR; run goat-to-ptx's passes before this step
gpu.module @module {
  llvm.func @f(%a: i32) -> i32 {
    %b = arith.addi %a, %a : i32
    llvm.return %b : i32
  }
}
