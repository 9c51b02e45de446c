// RUN: goat-opt %s --pass-pipeline='builtin.module(gpu.module(goat-verify-nvvm))' --split-input-file --verify-diagnostics
// One test for each label of the contract, and what keeps it.

gpu.module @kept {
  llvm.func @kernel(%a: !llvm.ptr<1> {goat_tile.role = #goat_tile.input<0>})
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>, goat_tile.grid = affine_map<() -> (1, 1, 1)>, goat_tile.source = (tensor<4xf32>) -> ()} {
    %x = nvvm.read.ptx.sreg.tid.x : i32
    llvm.return
  }
  llvm.func @helper(%a: i32) {
    llvm.return
  }
}

// -----

gpu.module @v1 {
  llvm.func @f(%a: i32) {
    // expected-error @below {{(V1) expected ops of llvm and nvvm only}}
    %b = arith.addi %a, %a : i32
    llvm.return
  }
}

// -----

gpu.module @v1_cast {
  llvm.func @f(%a: i64) {
    // expected-error @below {{(V1) expected ops of llvm and nvvm only}}
    %b = builtin.unrealized_conversion_cast %a : i64 to index
    llvm.return
  }
}

// -----

gpu.module @v2 {
  // expected-error @below {{(V2) expected a kernel to say its block size by nvvm.reqntid}}
  llvm.func @kernel() attributes {nvvm.kernel} {
    llvm.return
  }
}

// -----

gpu.module @v3 {
  // expected-error @below {{(V3) expected argument 1 to say its goat_tile.role}}
  llvm.func @kernel(%a: !llvm.ptr<1> {goat_tile.role = #goat_tile.input<0>}, %b: i32)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>, goat_tile.grid = affine_map<() -> (1, 1, 1)>} {
    llvm.return
  }
}

// -----

// expected-error @below {{(V4) expected one of the 1 kernels of this module to be the main one, with goat_tile.source}}
gpu.module @v4 {
  llvm.func @kernel() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>, goat_tile.grid = affine_map<() -> (1, 1, 1)>} {
    llvm.return
  }
}
