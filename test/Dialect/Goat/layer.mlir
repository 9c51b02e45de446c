// RUN: goat-opt %s | goat-opt | FileCheck %s
// RUN: goat-opt %s --emit-bytecode | goat-opt | FileCheck %s
// A whole layer survives printing and parsing, and bytecode.

// CHECK-LABEL: func.func @layer
// CHECK: goat.attention {{.*}} sink({{.*}} : tensor<12xf32>)
// CHECK: goat.distance
// CHECK: goat.fourier_prior {{.*}} at(
// CHECK: goat.key_prior {{.*}} at(
// CHECK: goat.causal_mask
// CHECK: goat.xsa {{.*}} {eps_mode = #goat.eps_mode<add>} : tensor<64xf32>
// CHECK: static_scale = 1.250000e-01 : f32
func.func @layer(%q: tensor<?x12x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %alpha: tensor<4x4xf32>, %beta: tensor<4x4xf32>, %omega: tensor<4xf32>, %u: tensor<4x?xf32>, %sink: tensor<12xf32>)
   -> (tensor<?x12x?x64xbf16>, tensor<?x12x?xf32>) {
  %out, %lse = goat.attention %q, %k, %v sink(%sink : tensor<12xf32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %rel = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %d : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>
      %key = goat.key_prior %u at (%b, %h, %j) : tensor<4x?xf32>
      %p = arith.addf %rel, %key : f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
      %z = goat.xsa %y, %own {eps_mode = #goat.eps_mode<add>} : tensor<64xf32>
      goat.yield %z : tensor<64xf32>
    } attributes {static_scale = 0.125 : f32} : (tensor<?x12x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>) -> (tensor<?x12x?x64xbf16>, tensor<?x12x?xf32>)
  return %out, %lse : tensor<?x12x?x64xbf16>, tensor<?x12x?xf32>
}
