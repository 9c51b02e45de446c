// RUN: goat-opt --goat-raise-attention --verify-diagnostics --split-input-file %s | FileCheck %s

// What looks like attention and is left alone says why; what does not is left
// alone in silence.

#q = affine_map<(n, i, j, d) -> (n, i, d)>
#k = affine_map<(n, i, j, d) -> (n, j, d)>
#s = affine_map<(n, i, j, d) -> (n, i, j)>
#q2 = affine_map<(n, i, j) -> (n, i, j)>
// CHECK-LABEL: func.func @softmax_over_queries(
// CHECK:         linalg.softmax dimension(1)
// CHECK-NOT:     goat.attention
func.func @softmax_over_queries(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  // expected-remark @+1 {{left as it is, though it multiplies weights by values: expected a softmax or a sigmoid of the logits, over the keys}}
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}

// -----

// CHECK-LABEL: func.func @given_logits(
// CHECK-NOT:     goat.attention
func.func @given_logits(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>, %t: tensor<4x16x16xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  // expected-remark @+1 {{expected logits from one product of query and key but got 0}}
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}

// -----

#q = affine_map<(n, i, j, d) -> (n, i, d)>
#k = affine_map<(n, i, j, d) -> (n, j, d)>
#s = affine_map<(n, i, j, d) -> (n, i, j)>
// CHECK-LABEL: func.func @two_products(
// CHECK-NOT:     goat.attention
func.func @two_products(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>, %q2: tensor<4x16x8xf32>, %k2: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s2 = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q2, %k2 : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %t = arith.addf %s, %s2 : tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  // expected-remark @+1 {{expected logits from one product of query and key but got 2}}
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}

// -----

#q = affine_map<(n, i, j, d) -> (n, i, d)>
#k = affine_map<(n, i, j, d) -> (n, j, d)>
#s = affine_map<(n, i, j, d) -> (n, i, j)>
// CHECK-LABEL: func.func @not_normalised(
// CHECK-NOT:     goat.attention
func.func @not_normalised(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %p = math.exp %s : tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  // expected-remark @+1 {{expected a softmax or a sigmoid of the logits, over the keys}}
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}

// -----

// CHECK-LABEL: func.func @two_matmuls(
// CHECK-COUNT-2: linalg.batch_matmul
#q = affine_map<(n, i, j, d) -> (n, i, d)>
#k = affine_map<(n, i, j, d) -> (n, j, d)>
#s = affine_map<(n, i, j, d) -> (n, i, j)>
func.func @two_matmuls(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%s, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}

// -----

// The mean of a SiLU: what a sigmoid is multiplied with has no column.
// CHECK-LABEL: func.func @mean_of_gated(
// CHECK-NOT:     goat.attention
func.func @mean_of_gated(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant dense<1.0> : tensor<4x16xf32>
  %n = arith.negf %x : tensor<4x16xf32>
  %e = math.exp %n : tensor<4x16xf32>
  %d = arith.addf %e, %one : tensor<4x16xf32>
  %g = arith.divf %one, %d : tensor<4x16xf32>
  %y = arith.mulf %x, %g : tensor<4x16xf32>
  %ey = tensor.empty() : tensor<4xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.reduce ins(%y : tensor<4x16xf32>) outs(%fy : tensor<4xf32>) dimensions = [1]
    (%in: f32, %acc: f32) {
      %r = arith.addf %acc, %in : f32
      linalg.yield %r : f32
    }
  return %sum : tensor<4xf32>
}
