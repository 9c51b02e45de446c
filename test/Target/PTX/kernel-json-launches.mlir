// RUN: goat-translate %s --nvvm-to-kernel-json --target=sm_80 | FileCheck %s
// Kernels are launched as they stand; regions of the workspace start at
// multiples of 256 bytes; extents of a grid that may go past the limits of every
// device are required not to. x has more room than any size or quotient of one.

// CHECK: "name": "main"
// CHECK: "requires": [
// CHECK: "message": "(x.0 * x.1), axis 0 of the grid of 'first', is at most 2147483647"
// CHECK: "equal": [
// CHECK-NEXT: {
// CHECK-NEXT: "args": [
// CHECK-NEXT: {
// CHECK-NEXT: "dim": [
// CHECK-NEXT: 0,
// CHECK-NEXT: 1
// CHECK-NEXT: ]
// CHECK-NEXT: },
// CHECK-NEXT: 65535
// CHECK-NEXT: ],
// CHECK-NEXT: "op": "max"
// CHECK-NEXT: },
// CHECK-NEXT: 65535
// CHECK-NEXT: ],
// CHECK-NEXT: "message": "x.1, axis 2 of the grid of 'main', is at most 65535"
// CHECK-NEXT: }
// CHECK-NEXT: ]
// CHECK: "launches": [
// CHECK: 64,
// CHECK: "entry": "first"
// CHECK: "kind": "workspace",
// CHECK-NEXT: "offset": 256
// CHECK: "shared_bytes": 0
// CHECK: 128,
// CHECK: "entry": "main"
// CHECK: "kind": "workspace",
// CHECK-NEXT: "offset": 0
// CHECK: "kind": "workspace",
// CHECK-NEXT: "offset": 256
// CHECK: "kind": "workspace",
// CHECK-NEXT: "offset": {
// CHECK-NEXT: "args": [
// CHECK-NEXT: 256,
// CHECK-NEXT: {
// CHECK-NEXT: "args": [
// CHECK-NEXT: {
// CHECK-NEXT: "args": [
// CHECK: "dim"
// CHECK: 256
// CHECK-NEXT: ],
// CHECK-NEXT: "op": "ceildiv"
// CHECK-NEXT: },
// CHECK-NEXT: 256
// CHECK-NEXT: ],
// CHECK-NEXT: "op": "*"
// CHECK-NEXT: }
// CHECK-NEXT: ],
// CHECK-NEXT: "op": "+"
// CHECK: "shared_bytes": 1024
// CHECK: "workspace_bytes": {
// CHECK-NEXT: "args": [
// CHECK-NEXT: {
// CHECK: "op": "+"
// CHECK-NEXT: },
// CHECK-NEXT: 8
// CHECK-NEXT: ],
// CHECK-NEXT: "op": "+"
gpu.module @main {
  llvm.func @first(%t: !llvm.ptr<1> {goat_tile.role = #goat_tile.workspace<1>})
      attributes {
        nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>,
        goat_tile.grid = affine_map<()[s0, s1] -> (s0 * s1, 1, 1)>,
        goat_tile.grid_dims = [#goat_tile.dim<0, 0>, #goat_tile.dim<0, 1>],
        goat_tile.shared_bytes = 0 : i32} {
    llvm.return
  }
  llvm.func @main(
      %x: !llvm.ptr<1> {goat_tile.role = #goat_tile.input<0>},
      %s: !llvm.ptr<1> {goat_tile.role = #goat_tile.workspace<0>},
      %t: !llvm.ptr<1> {goat_tile.role = #goat_tile.workspace<1>},
      %u: !llvm.ptr<1> {goat_tile.role = #goat_tile.workspace<2>})
      attributes {
        nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>,
        goat_tile.grid = affine_map<()[s0, s1] -> (s0 ceildiv 128, 12, s1)>,
        goat_tile.grid_dims = [#goat_tile.dim<0, 0>, #goat_tile.dim<0, 1>],
        goat_tile.shared_bytes = 1024 : i32,
        goat_tile.source = (tensor<?x?xf32>) -> (),
        goat_tile.argument_names = ["x"], goat_tile.result_names = [],
        goat_tile.result_dims = [],
        goat_tile.workspaces = [affine_map<()[s0] -> (100)>, affine_map<()[s0] -> (s0 * 4)>, affine_map<()[s0] -> (8)>],
        goat_tile.workspace_dims = [#goat_tile.dim<0, 0>]} {
    llvm.return
  }
}
