// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64" --convert-goat-to-goat-tile | FileCheck %s
// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64" --convert-goat-to-goat-tile --verify-diagnostics -o /dev/null
// A function with goat.strided becomes two variants: one for rows and addresses that are
// multiples of 16 bytes, one that takes any. Tensors without it stay as they were.

// CHECK-LABEL: gpu.func @layer(
// CHECK-SAME:    %[[KEY0:[a-z0-9]*]]: i64 {goat_tile.role = #goat_tile.input_stride<1, 0>}
// CHECK-SAME:    #goat_tile.input_stride<1, 1>
// CHECK-NOT:     input_stride<1, 3>
// CHECK-SAME:    #goat_tile.output_stride<0, 2>
// CHECK-SAME:    goat_tile.memory = [#goat_tile.memory<contiguous, alignment = 16>, #goat_tile.memory<rows, alignment = 16>, #goat_tile.memory<contiguous, alignment = 16>, #goat_tile.memory<rows, alignment = 16>]
// CHECK-SAME:    goat_tile.variant = "rows"
// CHECK-NOT:     alignment = 2
// CHECK-LABEL: gpu.func @layer_any(
// CHECK-SAME:    goat_tile.memory = [#goat_tile.memory<contiguous, alignment = 16>, #goat_tile.memory<any, alignment = 2>, #goat_tile.memory<contiguous, alignment = 16>, #goat_tile.memory<any, alignment = 2>]
// CHECK-SAME:    goat_tile.variant = "any"
// CHECK:         goat_tile.copy_async {{.*}} column_stride({{.*}}) into {{.*}} {alignment = 2 : i64}
// CHECK:         goat_tile.store_rows {{.*}} column_stride({{.*}}) {alignment = 2 : i64}
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x2x?x64xbf16> {goat.strided}, %v: tensor<?x2x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16> {goat.strided}) {
  // expected-remark @below {{tensors with goat.strided get a second variant of the kernel, which copies element by element, for strides and addresses that are no multiples of 16 bytes}}
  %out = goat.attention %q, %k, %v
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
