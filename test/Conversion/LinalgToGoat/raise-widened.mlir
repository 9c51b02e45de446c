// RUN: goat-opt --goat-raise-attention %s | FileCheck %s

// Query, key and value are computed in f16 and widened for products and softmax
// in f32, by ops on tensors or by structured ones: the attention takes those in
// f16, which it multiplies in f32 as well.
#id = affine_map<(n, i, d) -> (n, i, d)>
#q = affine_map<(n, i, j, d) -> (n, i, d)>
#k = affine_map<(n, i, j, d) -> (n, j, d)>
#s = affine_map<(n, i, j, d) -> (n, i, j)>
func.func @widened(%x: tensor<4x16x8xf16>, %b: tensor<4x16x8xf16>) -> tensor<4x16x8xf32> {
  %q = arith.addf %x, %b : tensor<4x16x8xf16>
  %k = arith.subf %x, %b : tensor<4x16x8xf16>
  %v = arith.mulf %x, %b : tensor<4x16x8xf16>
  %q32 = arith.extf %q : tensor<4x16x8xf16> to tensor<4x16x8xf32>
  %v32 = arith.extf %v : tensor<4x16x8xf16> to tensor<4x16x8xf32>
  %e = tensor.empty() : tensor<4x16x8xf32>
  %k32 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k : tensor<4x16x8xf16>) outs(%e : tensor<4x16x8xf32>) {
  ^bb0(%in: f16, %out: f32):
    %wide = arith.extf %in : f16 to f32
    linalg.yield %wide : f32
  } -> tensor<4x16x8xf32>
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q32, %k32 : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v32 : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @widened(
// CHECK-DAG:     %[[Q:.*]] = arith.addf
// CHECK-DAG:     %[[K:.*]] = arith.subf
// CHECK-DAG:     %[[V:.*]] = arith.mulf
// CHECK-DAG:     %[[Q4:.*]] = tensor.expand_shape %[[Q]]
// CHECK-DAG:     %[[K4:.*]] = tensor.expand_shape %[[K]]
// CHECK-DAG:     %[[V4:.*]] = tensor.expand_shape %[[V]]
// CHECK:         %[[OUT:.*]] = goat.attention %[[Q4]], %[[K4]], %[[V4]]
// CHECK:         arith.extf %[[OUT]]
// CHECK-NOT:     linalg.
