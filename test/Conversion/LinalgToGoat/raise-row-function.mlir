// RUN: goat-opt --goat-raise-attention %s | FileCheck %s

// What else is computed from a row and its own value row becomes an exclude
// region; a function of the row alone is left to what comes after.
#q = affine_map<(n, i, j, d) -> (n, i, d)>
#k = affine_map<(n, i, j, d) -> (n, j, d)>
#s = affine_map<(n, i, j, d) -> (n, i, j)>
func.func @difference(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %er = tensor.empty() : tensor<4x16xf32>
  %fr = linalg.fill ins(%zero : f32) outs(%er : tensor<4x16xf32>) -> tensor<4x16xf32>
  %d = arith.subf %y, %v : tensor<4x16x8xf32>
  %dd = arith.mulf %d, %d : tensor<4x16x8xf32>
  %n0 = linalg.reduce { arith.addf } ins(%dd : tensor<4x16x8xf32>) outs(%fr : tensor<4x16xf32>) dimensions = [2]
  %n = linalg.broadcast ins(%n0 : tensor<4x16xf32>) outs(%ey : tensor<4x16x8xf32>) dimensions = [2]
  %z = arith.divf %d, %n : tensor<4x16x8xf32>
  return %z : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @difference(
// CHECK:         goat.attention {{.*}} exclude {
// CHECK-NEXT:    ^bb0(%[[Y:.*]]: tensor<8xf32>, %[[OWN:.*]]: tensor<8xf32>, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index):
// CHECK-DAG:       %[[D:.*]] = arith.subf %[[Y]], %[[OWN]] : tensor<8xf32>
// CHECK-DAG:       %[[DD:.*]] = arith.mulf %[[D]], %[[D]]
// CHECK-DAG:       %[[N:.*]] = goat.row_sum %[[DD]]
// CHECK-DAG:       %[[NS:.*]] = tensor.splat %[[N]]
// CHECK:           arith.divf %[[D]], %[[NS]]

func.func @row_alone(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %z = math.absf %y : tensor<4x16x8xf32>
  return %z : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @row_alone(
// CHECK-NOT:     exclude
// CHECK:         math.absf

// The row of another token is no exclusion.
func.func @first_row(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %head = tensor.extract_slice %v[0, 0, 0] [4, 1, 8] [1, 1, 1] : tensor<4x16x8xf32> to tensor<4x1x8xf32>
  %h2 = tensor.collapse_shape %head [[0], [1, 2]] : tensor<4x1x8xf32> into tensor<4x8xf32>
  %first = linalg.broadcast ins(%h2 : tensor<4x8xf32>) outs(%ey : tensor<4x16x8xf32>) dimensions = [1]
  %z = arith.subf %y, %first : tensor<4x16x8xf32>
  return %z : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @first_row(
// CHECK-NOT:     exclude
// CHECK:         arith.subf
