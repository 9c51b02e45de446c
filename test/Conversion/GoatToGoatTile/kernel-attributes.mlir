// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// What a launcher has to know stands on the kernel.

// CHECK:       #[[GRID:.*]] = affine_map<()[s0, s1] -> (12, s0 ceildiv 128, s1)>
// CHECK-NOT:   func.func
// CHECK:       gpu.module @layer
// CHECK-NEXT:    gpu.func @layer(
// CHECK-SAME:    %{{.*}}: !goat_tile.ptr<bf16> {goat_tile.role = #goat_tile.input<0>},
// CHECK-SAME:    %{{.*}}: !goat_tile.ptr<bf16> {goat_tile.role = #goat_tile.input<1>},
// CHECK-SAME:    %{{.*}}: !goat_tile.ptr<bf16> {goat_tile.role = #goat_tile.input<2>},
// CHECK-SAME:    %{{.*}}: f32 {goat_tile.role = #goat_tile.input<3>},
// CHECK-SAME:    %{{.*}}: !goat_tile.ptr<bf16> {goat_tile.role = #goat_tile.output<0>},
// CHECK-SAME:    %{{.*}}: !goat_tile.ptr<f32> {goat_tile.role = #goat_tile.output<1>},
// CHECK-SAME:    %{{.*}}: i32 {goat_tile.role = #goat_tile.dim<0, 2>},
// CHECK-SAME:    %{{.*}}: i32 {goat_tile.role = #goat_tile.dim<1, 2>})
// CHECK-SAME:    kernel
// CHECK-SAME:    goat_tile.argument_names = ["query", "arg1", "arg2", "arg3"]
// CHECK-SAME:    goat_tile.choices = {schedule = #goat_tile.schedule<flash_mma, rows = 128, keys = 64, warps = 4, stages = 2>
// CHECK-SAME:    goat_tile.equal_dims = {{\[\[}}#goat_tile.dim<1, 0>, #goat_tile.dim<0, 0>], [#goat_tile.dim<2, 0>, #goat_tile.dim<0, 0>], [#goat_tile.dim<2, 2>, #goat_tile.dim<1, 2>]]
// CHECK-SAME:    goat_tile.grid = #[[GRID]]
// CHECK-SAME:    goat_tile.grid_dims = [#goat_tile.dim<0, 2>, #goat_tile.dim<0, 0>]
// CHECK-SAME:    goat_tile.result_dims = {{\[\[}}#goat_tile.dim<0, 0>, 12, #goat_tile.dim<0, 2>, 64], [#goat_tile.dim<0, 0>, 12, #goat_tile.dim<0, 2>]]
// CHECK-SAME:    goat_tile.result_names = ["result0", "result1"]
// CHECK-SAME:    goat_tile.source = (tensor<?x12x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, f32) -> (tensor<?x12x?x64xbf16>, tensor<?x12x?xf32>)
// CHECK-SAME:    known_block_size = array<i32: 128, 1, 1>
func.func @layer(%q: tensor<?x12x?x64xbf16> {goat.name = "query"}, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %scale: f32)
    -> (tensor<?x12x?x64xbf16>, tensor<?x12x?xf32>) {
  %out, %lse = goat.attention %q, %k, %v scale(%scale)
    : (tensor<?x12x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x12x?x64xbf16>, tensor<?x12x?xf32>)
  return %out, %lse : tensor<?x12x?x64xbf16>, tensor<?x12x?xf32>
}
