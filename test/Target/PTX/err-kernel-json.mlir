// RUN: goat-translate %s --nvvm-to-kernel-json --split-input-file --verify-diagnostics --target=sm_80
// A kernel that does not say how it is launched is refused.

// expected-error @below {{expected one of the 0 kernels of this module to be the main one, with goat_tile.source}}
gpu.module @none {
}

// -----

gpu.module @shared {
  // expected-error @below {{expected at most 166912 bytes of shared memory on sm_80 but got 200000; choose smaller tiles or fewer stages}}
  llvm.func @kernel(%q: !llvm.ptr<1> {goat_tile.role = #goat_tile.input<0>}) attributes {
      nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>,
      goat_tile.grid = affine_map<() -> (1, 1, 1)>, goat_tile.grid_dims = [],
      goat_tile.shared_bytes = 200000 : i32, goat_tile.source = (tensor<4xf32>) -> (),
      goat_tile.argument_names = ["q"], goat_tile.result_names = [], goat_tile.result_dims = []} {
    llvm.return
  }
}

// -----

gpu.module @role {
  // expected-error @below {{expected kernel argument 0 to say its goat_tile.role}}
  llvm.func @kernel(%q: !llvm.ptr<1>) attributes {
      nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>,
      goat_tile.grid = affine_map<() -> (1, 1, 1)>, goat_tile.grid_dims = [],
      goat_tile.shared_bytes = 0 : i32, goat_tile.source = (tensor<4xf32>) -> (),
      goat_tile.argument_names = ["q"], goat_tile.result_names = [], goat_tile.result_dims = []} {
    llvm.return
  }
}

// -----

gpu.module @attribute {
  // expected-error @below {{expected the kernel to have the attribute 'goat_tile.argument_names' as a schedule writes it}}
  llvm.func @kernel() attributes {nvvm.kernel, goat_tile.grid = affine_map<() -> (1, 1, 1)>,
      goat_tile.source = () -> (), goat_tile.result_names = []} {
    llvm.return
  }
}

// -----

gpu.module @axis {
  // expected-error @below {{expected an axis of one of the 1 source arguments but got #goat_tile.dim<0, 1>}}
  llvm.func @kernel() attributes {
      nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>,
      goat_tile.grid = affine_map<()[s0] -> (s0, 1, 1)>, goat_tile.grid_dims = [#goat_tile.dim<0, 1>],
      goat_tile.shared_bytes = 0 : i32, goat_tile.source = (tensor<4xf32>) -> (),
      goat_tile.argument_names = ["q"], goat_tile.result_names = [], goat_tile.result_dims = []} {
    llvm.return
  }
}

// -----

gpu.module @dtype {
  // expected-error @below {{expected elements of type f16, bf16, f32, i1, i8, i32 or i64 at the border of a kernel but got 'f64'}}
  llvm.func @kernel() attributes {nvvm.kernel,
      goat_tile.grid = affine_map<() -> (1, 1, 1)>, goat_tile.source = (tensor<4xf64>) -> (),
      goat_tile.argument_names = ["q"], goat_tile.result_names = []} {
    llvm.return
  }
}

// -----

gpu.module @blocks {
  // expected-error @below {{expected from 0 to 65535 blocks on axis 1 of the grid of 'kernel' but got 65536}}
  llvm.func @kernel() attributes {
      nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>,
      goat_tile.grid = affine_map<() -> (1, 65536, 1)>, goat_tile.grid_dims = [],
      goat_tile.shared_bytes = 0 : i32, goat_tile.source = (tensor<4xf32>) -> (),
      goat_tile.argument_names = ["q"], goat_tile.result_names = [], goat_tile.result_dims = []} {
    llvm.return
  }
}

// -----

// What is wrong with a kernel that comes before is said there.
gpu.module @before {
  // expected-error @below {{expected the kernel to have the attribute 'goat_tile.shared_bytes' as a schedule writes it}}
  llvm.func @first() attributes {
      nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>,
      goat_tile.grid = affine_map<() -> (1, 1, 1)>, goat_tile.grid_dims = []} {
    llvm.return
  }
  llvm.func @kernel() attributes {
      nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>,
      goat_tile.grid = affine_map<() -> (1, 1, 1)>, goat_tile.grid_dims = [],
      goat_tile.shared_bytes = 0 : i32, goat_tile.source = (tensor<4xf32>) -> (),
      goat_tile.argument_names = ["q"], goat_tile.result_names = [], goat_tile.result_dims = []} {
    llvm.return
  }
}
