// RUN: goat-opt --goat-raise-attention %s | FileCheck %s

// One batch of heads; the scale multiplies the logits, the query or both.
#q = affine_map<(n, i, j, d) -> (n, i, d)>
#k = affine_map<(n, i, j, d) -> (n, j, d)>
#s = affine_map<(n, i, j, d) -> (n, i, j)>
func.func @scaled_logits(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %c = arith.constant dense<0.5> : tensor<4x16x16xf32>
  %t = arith.mulf %c, %s : tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @scaled_logits(
// CHECK-SAME:    %[[Q:.*]]: tensor<4x16x8xf32>, %[[K:.*]]: tensor<4x16x8xf32>, %[[V:.*]]: tensor<4x16x8xf32>)
// CHECK-DAG:     %[[Q4:.*]] = tensor.expand_shape %[[Q]] {{\[}}[0, 1], [2], [3]] output_shape [1, 4, 16, 8]
// CHECK-DAG:     %[[K4:.*]] = tensor.expand_shape %[[K]]
// CHECK-DAG:     %[[V4:.*]] = tensor.expand_shape %[[V]]
// CHECK:         %[[OUT:.*]] = goat.attention %[[Q4]], %[[K4]], %[[V4]] attributes {static_q_offset = 0 : i32, static_scale = 5.000000e-01 : f32}
// CHECK:         %[[Y:.*]] = tensor.collapse_shape %[[OUT]] {{\[}}[0, 1], [2], [3]]
// CHECK:         return %[[Y]]

func.func @scaled_query(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %c = arith.constant dense<0.5> : tensor<4x16x8xf32>
  %q2 = arith.mulf %q, %c : tensor<4x16x8xf32>
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q2, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %c8 = arith.constant dense<8.0> : tensor<4x16x16xf32>
  %t = arith.divf %s, %c8 : tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @scaled_query(
// CHECK-SAME:    %[[Q:[a-z0-9]*]]: tensor<4x16x8xf32>,
// CHECK:         tensor.expand_shape %[[Q]]
// CHECK:         static_scale = 6.250000e-02 : f32
// CHECK-NOT:     linalg.
