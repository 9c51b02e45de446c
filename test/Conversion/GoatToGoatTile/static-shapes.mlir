// RUN: goat-opt %s --goat-choose-schedule="tile-rows=128 warps=4 tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// Static sizes are constants of the kernel, not arguments.

// CHECK:       affine_map<() -> (4, 3, 2)>
// CHECK-LABEL: gpu.func @layer(
// CHECK-NOT:   #goat_tile.dim
// CHECK-SAME:  goat_tile.grid_dims = []
// CHECK-SAME:  goat_tile.result_dims = {{\[\[}}2, 4, 300, 64]]
// CHECK:       goat_tile.copy_async %{{.*}}[%{{.*}} to %c300_i32
func.func @layer(%q: tensor<2x4x300x64xbf16>, %k: tensor<2x4x500x64xbf16>, %v: tensor<2x4x500x64xbf16>)
    -> tensor<2x4x300x64xbf16> {
  %out = goat.attention %q, %k, %v
    : (tensor<2x4x300x64xbf16>, tensor<2x4x500x64xbf16>, tensor<2x4x500x64xbf16>)
    -> (tensor<2x4x300x64xbf16>)
  return %out : tensor<2x4x300x64xbf16>
}
