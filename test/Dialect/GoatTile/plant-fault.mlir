// The pass of the tests that lists where small faults can be planted, and plants one.

// RUN: goat-test-opt %s --test-plant-fault -o /dev/null | FileCheck %s --check-prefix=LIST
// RUN: goat-test-opt %s --test-plant-fault=site=6 | FileCheck %s --check-prefix=LESS
// RUN: goat-test-opt %s --test-plant-fault=site=7 | FileCheck %s --check-prefix=STORE
// RUN: not goat-test-opt %s --test-plant-fault=site=99 2>&1 | FileCheck %s --check-prefix=NONE

// LIST: {{^}}0{{.}}swap operands{{.}}first: arith.subi 0, 1 #{{[0-9a-f]+}}.1
// LIST: integer constant + 1{{.}}first: arith.subi operand 1 → 2 #{{[0-9a-f]+}}.1
// LIST: another operation{{.}}first: arith.subi → arith.addi #{{[0-9a-f]+}}.1
// LIST: leave an operation out{{.}}first: arith.subi → operand 0 #{{[0-9a-f]+}}.1
// LIST: another predicate{{.}}first: arith.cmpi slt → sle #{{[0-9a-f]+}}.1
// LIST: drop an effect{{.}}first: goat_tile.store #{{[0-9a-f]+}}.1
// LIST: fixed condition{{.}}first: goat_tile.store operand 3 → true #{{[0-9a-f]+}}.1
// LIST: drop an effect{{.}}second: goat_tile.barrier #{{[0-9a-f]+}}.1
// LESS: arith.cmpi sle,
// STORE: gpu.func @first
// STORE-NOT: goat_tile.store
// STORE: goat_tile.barrier
// NONE: error: expected a site below {{[0-9]+}} but got 99

#threads = #goat_tile.linear<threads = 32>

gpu.module @kernels {
  gpu.func @first(%p: !goat_tile.ptr<i32>, %n: i32) kernel {
    %c1 = arith.constant 1 : i32
    %last = arith.subi %n, %c1 : i32
    %lasts = goat_tile.splat %last : i32 -> tensor<32xi32, #threads>
    %i = goat_tile.iota : tensor<32xi32, #threads>
    %ok = arith.cmpi slt, %i, %lasts : tensor<32xi32, #threads>
    goat_tile.store %i, %p[%i] masked(%ok : tensor<32xi1, #threads>) : tensor<32xi32, #threads>, !goat_tile.ptr<i32>, tensor<32xi32, #threads>
    gpu.return
  }
  gpu.func @second() kernel {
    goat_tile.barrier
    gpu.return
  }
}
