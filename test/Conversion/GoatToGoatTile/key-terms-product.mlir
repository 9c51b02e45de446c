// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 key-terms=product strip=tile key-source=tile" --convert-goat-to-goat-tile | FileCheck %s
// Functions of the key are added by the multiply, as bf16 parts in extra columns.

// CHECK-LABEL: gpu.func @layer
// CHECK:       %[[PARTS:.*]] = goat_tile.alloc : <2x64x8xbf16>
// CHECK:       goat_tile.write_parts
// CHECK:       scf.for
// CHECK:         %[[START:.*]] = goat_tile.read_diagonals
// CHECK:         %[[SLOT:.*]] = goat_tile.stage %[[PARTS]]
// CHECK:         %[[WITH:.*]] = goat_tile.mma_ones %[[SLOT]], %[[START]]
// CHECK:         goat_tile.mma {{.*}}, %[[WITH]] {b_transposed}
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
