// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile | FileCheck %s
// A distance whose operands are swapped still is a function of i − j: it has a strip.
// One of twice the query is not.

// CHECK-LABEL: gpu.func @layer_distance_table
// CHECK-LABEL: gpu.func @layer(
// CHECK-SAME:  relative_terms = "strip over the distance
// CHECK-LABEL: gpu.func @twice(
// CHECK-SAME:  other_terms = "element by element, accumulator start"
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %j, %i
      %n = arith.index_cast %d : index to i32
      %p = arith.sitofp %n : i32 to f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}

func.func @twice(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %i2 = arith.addi %i, %i : index
      %d = goat.distance %b, %i2, %j
      %n = arith.index_cast %d : index to i32
      %p = arith.sitofp %n : i32 to f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
