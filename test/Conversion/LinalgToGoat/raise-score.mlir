// RUN: goat-opt --goat-raise-attention %s | FileCheck %s

// Whatever the logits are as a function of the product, of indices and of
// captured tensors is the score region.
#q = affine_map<(n, i, j, d) -> (n, i, d)>
#k = affine_map<(n, i, j, d) -> (n, j, d)>
#s = affine_map<(n, i, j, d) -> (n, i, j)>
#id = affine_map<(n, i, j) -> (n, i, j)>
#u = affine_map<(n, i, j) -> (n, j)>
func.func @softcap_and_key_bias(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>, %u: tensor<4x16xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %cap = arith.constant dense<20.0> : tensor<4x16x16xf32>
  %t0 = arith.divf %s, %cap : tensor<4x16x16xf32>
  %t1 = math.tanh %t0 : tensor<4x16x16xf32>
  %t2 = arith.mulf %t1, %cap : tensor<4x16x16xf32>
  %t = linalg.generic {indexing_maps = [#id, #u, #id], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%t2, %u : tensor<4x16x16xf32>, tensor<4x16xf32>) outs(%es : tensor<4x16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %x = arith.addf %a, %b : f32
    linalg.yield %x : f32
  } -> tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @softcap_and_key_bias(
// CHECK-SAME:    %[[U:[a-z0-9]*]]: tensor<4x16xf32>)
// CHECK:         goat.attention {{.*}} score {
// CHECK-NEXT:    ^bb0(%[[S:.*]]: f32, %[[B:.*]]: index, %[[H:.*]]: index, %[[I:.*]]: index, %[[J:.*]]: index):
// CHECK:           %[[T:.*]] = math.tanh %[[S]]
// CHECK:           %[[CAP:.*]] = arith.constant 2.000000e+01 : f32
// CHECK:           %[[C:.*]] = arith.mulf %[[T]], %[[CAP]]
// CHECK:           %[[X:.*]] = tensor.extract %[[U]][%[[H]], %[[J]]]
// CHECK:           arith.addf %[[C]], %[[X]]
// CHECK:         static_scale = 5.000000e-02 : f32

// A second, shorter product is a part of the score: a rotated part of query and
// key, say, that is kept apart.
func.func @rotated_part(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>, %qr: tensor<4x16x2xf32>, %kr: tensor<4x16x2xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%qr, %kr : tensor<4x16x2xf32>, tensor<4x16x2xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s2 = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %t = arith.addf %s, %s2 : tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @rotated_part(
// CHECK-SAME:    %[[QR:[a-z0-9]*]]: tensor<4x16x2xf32>, %[[KR:[a-z0-9]*]]: tensor<4x16x2xf32>)
// CHECK:         goat.attention {{.*}} score {
// CHECK-NEXT:    ^bb0(%[[S:.*]]: f32,
// CHECK-COUNT-2:   tensor.extract %[[QR]]
// CHECK:           arith.addf %{{.*}}, %[[S]]
