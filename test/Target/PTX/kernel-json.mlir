// RUN: goat-translate %s --nvvm-to-kernel-json --target=sm_80 | FileCheck %s
// What a schedule wrote on a kernel is what kernel.json says.

#grid = affine_map<()[s0, s1] -> (s0 ceildiv 128, 12, s1 * 2)>

// CHECK: "choices": {
// CHECK:   "schedule": "flash_mma",
// CHECK:   "tile_rows": 128
// CHECK: "cubin": null
// CHECK: "inputs": [
// CHECK:   "dtype": "bf16",
// CHECK:   "name": "query",
// CHECK:   "shape": [
// CHECK-NEXT: null,
// CHECK-NEXT: 12,
// CHECK-NEXT: null,
// CHECK-NEXT: 64
// CHECK:   "name": "key"
// CHECK:   "dtype": "f32"
// CHECK:   "name": "scale"
// CHECK:   "shape": []
// CHECK: "name": "layer"
// CHECK: "outputs": [
// CHECK:   "name": "lse"
// CHECK:   "shape": [
// CHECK:   "dim": [
// CHECK-NEXT: 0,
// CHECK-NEXT: 0
// CHECK:   12,
// CHECK: "requires": [
// CHECK:   "equal": [
// CHECK:   "message": "key.0 equals query.0"
// CHECK:   "op": "max"
// CHECK:   "message": "key.2 is at least query.2"
// CHECK: "schema": "goat-kernel/1"
// CHECK: "target": "sm_80"
// CHECK: "block": [
// CHECK-NEXT: 128,
// CHECK: "entry": "layer",
// CHECK: "grid": [
// CHECK:   "op": "ceildiv"
// CHECK:   12,
// CHECK:   "op": "*"
// CHECK: "parameters": [
// CHECK:   "index": 0,
// CHECK-NEXT: "kind": "input"
// CHECK:   "index": 1,
// CHECK-NEXT: "kind": "input"
// CHECK:   "index": 2,
// CHECK-NEXT: "kind": "input"
// CHECK:   "index": 0,
// CHECK-NEXT: "kind": "output"
// CHECK:   "axis": 2,
// CHECK:   "kind": "dim"
// CHECK: "shared_bytes": 49152
gpu.module @layer {
  llvm.func @layer(
      %q: !llvm.ptr<1> {goat_tile.role = #goat_tile.input<0>},
      %k: !llvm.ptr<1> {goat_tile.role = #goat_tile.input<1>},
      %scale: f32 {goat_tile.role = #goat_tile.input<2>},
      %lse: !llvm.ptr<1> {goat_tile.role = #goat_tile.output<0>},
      %lq: i32 {goat_tile.role = #goat_tile.dim<0, 2>})
      attributes {
        nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>,
        goat_tile.grid = #grid,
        goat_tile.grid_dims = [#goat_tile.dim<0, 2>, #goat_tile.dim<0, 0>],
        goat_tile.shared_bytes = 49152 : i32,
        goat_tile.source = (tensor<?x12x?x64xbf16>, tensor<?x4x?x64xbf16>, f32) -> tensor<?x12x?xf32>,
        goat_tile.argument_names = ["query", "key", "scale"],
        goat_tile.result_names = ["lse"],
        goat_tile.result_dims = [[#goat_tile.dim<0, 0>, 12, #goat_tile.dim<0, 2>]],
        goat_tile.equal_dims = [[#goat_tile.dim<1, 0>, #goat_tile.dim<0, 0>]],
        goat_tile.at_least_dims = [[#goat_tile.dim<1, 2>, #goat_tile.dim<0, 2>]],
        goat_tile.choices = {schedule = "flash_mma", tile_rows = 128}} {
    llvm.return
  }
}
