// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile" --convert-goat-to-goat-tile | FileCheck %s
// Of two terms of which only one may reach the clamp, the sum needs none, and the
// multiply adds the term of the key.

// A constant times the distance.
// CHECK-LABEL: gpu.func @constant_slope
// CHECK:       scf.for
// CHECK:         %[[A:.*]] = goat_tile.read_diagonals
// CHECK-NOT:     arith.maximumf
// CHECK:         goat_tile.mma_ones %{{.*}}, %[[A]]
func.func @constant_slope(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %u: tensor<4x?xf32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %n = arith.index_cast %d : index to i32
      %f = arith.sitofp %n : i32 to f32
      %c = arith.constant -0.5 : f32
      %p = arith.mulf %f, %c : f32
      %r = arith.addf %s, %p : f32
      %x = goat.key_prior %u at (%b, %h, %j) : tensor<4x?xf32>
      %t = arith.addf %r, %x : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}

// A function between −1 and 1 of whatever.
// CHECK-LABEL: gpu.func @tanh
// CHECK:       scf.for
// CHECK:         goat_tile.mma_ones
func.func @tanh(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %u: tensor<4x?xf32>, %table: tensor<?xf32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %x0 = tensor.extract %table[%d] : tensor<?xf32>
      %p = math.tanh %x0 : f32
      %r = arith.addf %s, %p : f32
      %x = goat.key_prior %u at (%b, %h, %j) : tensor<4x?xf32>
      %t = arith.addf %r, %x : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}

// A run-time slope may be anything.
// CHECK-LABEL: gpu.func @slope
// CHECK:       scf.for
// CHECK-NOT:     goat_tile.mma_ones
// CHECK:         arith.maximumf
func.func @slope(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %u: tensor<4x?xf32>, %c: f32)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %n = arith.index_cast %d : index to i32
      %f = arith.sitofp %n : i32 to f32
      %p = arith.mulf %f, %c : f32
      %r = arith.addf %s, %p : f32
      %x = goat.key_prior %u at (%b, %h, %j) : tensor<4x?xf32>
      %t = arith.addf %r, %x : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
