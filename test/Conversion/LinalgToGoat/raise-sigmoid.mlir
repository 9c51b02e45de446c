// RUN: goat-opt --goat-raise-attention %s | FileCheck %s

// 1 / (1 + e^-t) for weights.
#q = affine_map<(n, i, j, d) -> (n, i, d)>
#k = affine_map<(n, i, j, d) -> (n, j, d)>
#s = affine_map<(n, i, j, d) -> (n, i, j)>
func.func @sigmoid(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %one = arith.constant dense<1.0> : tensor<4x16x16xf32>
  %n = arith.negf %s : tensor<4x16x16xf32>
  %e = math.exp %n : tensor<4x16x16xf32>
  %d = arith.addf %one, %e : tensor<4x16x16xf32>
  %p = arith.divf %one, %d : tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @sigmoid(
// CHECK:         goat.attention {{.*}} attributes {normalizer = #goat.normalizer<sigmoid>, static_q_offset = 0 : i32, static_scale = 1.000000e+00 : f32}
// CHECK-NOT:     math.exp
