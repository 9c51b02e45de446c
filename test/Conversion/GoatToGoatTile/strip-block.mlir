// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=block" --convert-goat-to-goat-tile | FileCheck %s
// Each block generates the values of all its tiles before the first: 128 rows and 512
// keys have less than 640 distances.

// CHECK-LABEL: gpu.func @layer
// CHECK:       %[[STRIP:.*]] = goat_tile.alloc : <640xf32>
// CHECK:       math.cos
// CHECK:       goat_tile.write
// CHECK:       scf.for
// CHECK:         math.cos
// CHECK:         goat_tile.write
// CHECK:       scf.for
// CHECK-NOT:     math.cos
// CHECK:         goat_tile.read_diagonals
func.func @layer(%q: tensor<?x4x512x64xbf16>, %k: tensor<?x4x512x64xbf16>, %v: tensor<?x4x512x64xbf16>,
    %a: tensor<4x2xf32>, %w: tensor<2xf32>, %u: tensor<4x?xf32>) -> tensor<?x4x512x64xbf16> {
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
    : (tensor<?x4x512x64xbf16>, tensor<?x4x512x64xbf16>, tensor<?x4x512x64xbf16>)
    -> (tensor<?x4x512x64xbf16>)
  return %out : tensor<?x4x512x64xbf16>
}
