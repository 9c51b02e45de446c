// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile | FileCheck %s
// Nothing is left to check where a captured tensor is known to be large enough.

// CHECK-LABEL: gpu.func @layer(
// CHECK-SAME:  at_least_dims = []
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x500x64xbf16>, %v: tensor<?x4x500x64xbf16>,
    %x: tensor<6x500xf32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %p = tensor.extract %x[%h, %j] : tensor<6x500xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x500x64xbf16>, tensor<?x4x500x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
