// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// The exclusion works on the unrounded row and reads the own value; a row without
// one is left as it is.

// CHECK-LABEL: gpu.func @layer
// CHECK-SAME:  %[[V:[a-z0-9]*]]: !goat_tile.ptr<bf16> {goat_tile.role = #goat_tile.input<2>}
// CHECK:       goat_tile.advance %[[V]]
// CHECK:       scf.for
// CHECK:       %[[LOOP:.*]]:5 = scf.for
// CHECK:         scf.yield
// CHECK:       %[[Y:.*]] = arith.mulf %[[LOOP]]#0
// CHECK:       %[[NOT_BEFORE:.*]] = arith.cmpi sge, %[[OWN:.*]], %{{.*}} : tensor<128xi32
// CHECK:       %[[NOT_AFTER:.*]] = arith.cmpi slt, %[[OWN]]
// CHECK:       %[[EXISTS:.*]] = arith.andi %[[NOT_BEFORE]], %[[NOT_AFTER]]
// The own rows are loaded anew after each reduction.
// CHECK:       %[[VALUES:.*]] = goat_tile.advance %[[V]]
// CHECK:       %[[NARROW:.*]] = goat_tile.load_rows %[[VALUES]][%{{.*}}] masked(%{{.*}})
// CHECK:       %[[ROW:.*]] = arith.extf %[[NARROW]]
// CHECK:       %[[YV:.*]] = arith.mulf %[[Y]], %[[ROW]]
// CHECK:       %[[DOT:.*]] = goat_tile.reduce sum %[[YV]]
// CHECK:       goat_tile.load_rows
// CHECK:       %[[ROW2:.*]] = arith.extf
// CHECK:       %[[VV:.*]] = arith.mulf %[[ROW2]], %[[ROW2]]
// CHECK:       goat_tile.reduce sum %[[VV]]
// CHECK:       arith.divf %[[DOT]]
// CHECK:       goat_tile.load_rows
// CHECK:       %[[ROW3:.*]] = arith.extf
// CHECK:       %[[Z:.*]] = math.fma %{{.*}}, %[[ROW3]], %[[Y]]
// CHECK:       %[[HAS:.*]] = goat_tile.expand %[[EXISTS]] axis = 1
// CHECK:       arith.select %[[HAS]], %[[Z]], %[[Y]]
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    exclude {
    ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
      %z = goat.xsa %y, %own : tensor<64xf32>
      goat.yield %z : tensor<64xf32>
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
