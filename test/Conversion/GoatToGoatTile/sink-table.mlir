// RUN: goat-opt %s --goat-choose-schedule="target=sm_90" | FileCheck %s
// RUN: goat-opt %s --goat-choose-schedule="target=sm_90 key-source=tile" --convert-goat-to-goat-tile | FileCheck %s --check-prefix=TILE
// Two blocks of queries are enough for a table of the official sink, whose MLP is worth
// hundreds of instructions for each key, and too few for one of an addend.

// CHECK-LABEL: @sink
// CHECK:       key_source = table
// CHECK-LABEL: @addend
// CHECK-NOT:   key_source
// CHECK:       return

// Told to, each block makes the values of a tile, one tile ahead.
// TILE-NOT:    gpu.func @sink_key_table
// TILE-LABEL:  gpu.func @sink
// TILE:        scf.for
// TILE:          scf.if
// TILE:            math.cos
// TILE:            goat_tile.write
func.func @sink(%q: tensor<1x4x200x64xbf16>, %k: tensor<1x2x200x64xbf16>, %v: tensor<1x2x200x64xbf16>,
    %gain: tensor<2xf32>, %w1: tensor<4x6xf32>, %b1: tensor<4xf32>, %b2: tensor<1xf32>, %omega: tensor<2xf32>)
    -> tensor<1x4x200x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %at = goat.key_position %b, %j
      %n = arith.constant 1024.0 : f32
      %u = goat.sink_prior %gain, %gain, mlp(%w1, %b1, %b1, %b2) frequencies %omega length %n at (%h, %at)
      : tensor<2xf32>, tensor<2xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<2xf32>
      %t = arith.addf %s, %u : f32
      goat.yield %t : f32
    }
    : (tensor<1x4x200x64xbf16>, tensor<1x2x200x64xbf16>, tensor<1x2x200x64xbf16>)
    -> (tensor<1x4x200x64xbf16>)
  return %out : tensor<1x4x200x64xbf16>
}

func.func @addend(%q: tensor<1x4x200x64xbf16>, %k: tensor<1x2x200x64xbf16>, %v: tensor<1x2x200x64xbf16>,
    %u: tensor<2x200xf32>)
    -> tensor<1x4x200x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %p = goat.key_prior %u at (%b, %h, %j) : tensor<2x200xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<1x4x200x64xbf16>, tensor<1x2x200x64xbf16>, tensor<1x2x200x64xbf16>)
    -> (tensor<1x4x200x64xbf16>)
  return %out : tensor<1x4x200x64xbf16>
}
