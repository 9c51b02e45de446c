// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=table" --convert-goat-to-goat-tile | FileCheck %s
// A kernel before writes the values over the distance to a workspace, a quad for each
// row of the table; the main kernel copies the new rows of a tile beside its keys.

// CHECK:       gpu.func @layer_distance_table({{.*}}%[[W:[a-z0-9]+]]: !goat_tile.ptr<f32> {goat_tile.role = #goat_tile.workspace<0>}
// CHECK:       math.cos
// CHECK-COUNT-4: goat_tile.store %{{.*}} : tensor<128xf32, #goat_tile.linear<threads = 128>>, <f32>
// CHECK-NOT:   goat_tile.store
// CHECK:       gpu.return

// CHECK:       gpu.func @layer(
// CHECK-SAME:  goat_tile.workspaces = [#
// CHECK:       %[[STRIP:.*]] = goat_tile.alloc : <384x4xf32>
// CHECK-NOT:   math.cos
// The first tile's rows, all of them.
// CHECK:       %[[ALL:.*]] = goat_tile.window %[[STRIP]]{{.*}} -> <192x4xf32>
// CHECK:       goat_tile.copy_async {{.*}} into %[[ALL]]
// CHECK:       scf.for
// The new rows, which stand twice if they are at the ring's start.
// CHECK:         %[[TWIN:.*]] = goat_tile.window %[[STRIP]]{{.*}} -> <64x4xf32>
// CHECK:         goat_tile.copy_async {{.*}} into %[[TWIN]] if %{{[0-9]+}} :
// CHECK:         %[[NEW:.*]] = goat_tile.window %[[STRIP]]{{.*}} -> <64x4xf32>
// CHECK:         goat_tile.copy_async {{.*}} into %[[NEW]]
// CHECK:         goat_tile.read_diagonal_quads
// CHECK:         goat_tile.mma
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %a: tensor<4x2xf32>, %w: tensor<2xf32>, %u: tensor<4x?xf32>) -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %r = goat.fourier_prior %a, %a, %w at (%b, %h) distance %d : tensor<4x2xf32>, tensor<4x2xf32>, tensor<2xf32>
      %s1 = arith.addf %s, %r : f32
      %u1 = goat.key_prior %u at (%b, %h, %j) : tensor<4x?xf32>
      %t = arith.addf %s1, %u1 : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
