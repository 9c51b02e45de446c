// RUN: goat-opt %s --goat-normalize-score --goat-choose-schedule="tile-keys=64" --convert-goat-to-goat-tile --canonicalize | FileCheck %s
// RUN: goat-opt %s --goat-normalize-score --goat-choose-schedule="tile-keys=64 strip=tile" --convert-goat-to-goat-tile --canonicalize | FileCheck %s --check-prefix=TILE
// A function of differences on a grid is a table, in which a score's place is the sum of
// a number of its query and one of its key.

// 23 differences along x are padded to 24; a tile of 128 × 64 meets 18 along y.
// CHECK-LABEL: gpu.func @swin_grid_table
// CHECK:         goat_tile.store
// CHECK-LABEL: gpu.func @swin(
// CHECK-SAME:    grid_terms = "table over differences on a grid, copied from one that a kernel before writes, accumulator start"
// CHECK-DAG:     %[[VALUES:.*]] = goat_tile.alloc : <2x18x24xf32>
// CHECK-DAG:     %[[NUMBERS:.*]] = goat_tile.alloc : <2x64xi32>
// CHECK:         scf.for
// CHECK:           goat_tile.copy_async {{.*}} : <f32>, <18x24xf32>
// CHECK:           %[[KEYS:.*]] = goat_tile.read {{.*}} : <64xi32>
// CHECK:           %[[PLACE:.*]] = arith.addi
// CHECK:           %[[START:.*]] = goat_tile.read_at %{{.*}}[%[[PLACE]]] : <18x24xf32>
// CHECK:           goat_tile.mma %{{.*}}, %{{.*}}, %[[START]] {b_transposed}
// TILE-LABEL:  gpu.func @swin(
// TILE-SAME:     grid_terms = "table over differences on a grid, generated per tile, accumulator start"
// TILE-DAG:      goat_tile.alloc : <2x432xf32>
// TILE:          scf.for
// TILE:            goat_tile.load {{.*}} tensor<432xf32
// TILE:            goat_tile.read_at
func.func @swin(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %table: tensor<4x23x23xf32>, %omega: tensor<2xf32>, %alpha: tensor<4x2xf32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %w = arith.constant 12 : index
      %yi = arith.divui %i, %w : index
      %xi = arith.remui %i, %w : index
      %yj = arith.divui %j, %w : index
      %xj = arith.remui %j, %w : index
      %r = arith.constant 11 : index
      %dy = arith.subi %yi, %yj : index
      %dx = arith.subi %xi, %xj : index
      %ay = arith.addi %dy, %r : index
      %ax = arith.addi %dx, %r : index
      %p = tensor.extract %table[%h, %ay, %ax] : tensor<4x23x23xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}

// The sum of a term for each axis is one table; a shift is a division, and the key may
// come first.
// CHECK-LABEL: gpu.func @axes_grid_table
// CHECK:         math.cos
// CHECK-LABEL: gpu.func @axes(
// CHECK-SAME:    grid_terms = "table over differences on a grid
// CHECK-NOT:     other_terms
// CHECK:         goat_tile.alloc : <2x25x16xf32>
// CHECK:         scf.for
// CHECK-NOT:       math.cos
// CHECK:           goat_tile.read_at
// CHECK-NOT:       goat_tile.read_at
// CHECK:           goat_tile.mma
func.func @axes(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %table: tensor<4x23x23xf32>, %omega: tensor<2xf32>, %alpha: tensor<4x2xf32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %w = arith.constant 3 : index
      %c = arith.constant 8 : index
      %yi = arith.shrui %i, %w : index
      %yj = arith.shrui %j, %w : index
      %xi = arith.remsi %i, %c : index
      %xj = arith.remsi %j, %c : index
      %dy = arith.subi %yj, %yi : index
      %dx = arith.subi %xi, %xj : index
      %py = goat.fourier_prior %alpha, %alpha, %omega at (%b, %h) distance %dy
      : tensor<4x2xf32>, tensor<4x2xf32>, tensor<2xf32>
      %px = goat.fourier_prior %alpha, %alpha, %omega at (%b, %h) distance %dx
      : tensor<4x2xf32>, tensor<4x2xf32>, tensor<2xf32>
      %p = arith.addf %py, %px : f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}

// Query and key are divided by different numbers: no grid.
// CHECK-LABEL: gpu.func @other(
// CHECK-SAME:    other_terms = "element by element, accumulator start"
func.func @other(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %table: tensor<4x23x23xf32>, %omega: tensor<2xf32>, %alpha: tensor<4x2xf32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %w = arith.constant 12 : index
      %v0 = arith.constant 10 : index
      %yi = arith.divui %i, %w : index
      %yj = arith.divui %j, %v0 : index
      %dy = arith.subi %yi, %yj : index
      %n = arith.index_cast %dy : index to i32
      %p = arith.sitofp %n : i32 to f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
