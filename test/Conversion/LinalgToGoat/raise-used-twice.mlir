// RUN: goat-opt --goat-raise-attention %s | FileCheck %s

// Rows that are needed with and without their exclusion are computed twice.
#q = affine_map<(n, i, j, d) -> (n, i, d)>
#k = affine_map<(n, i, j, d) -> (n, j, d)>
#s = affine_map<(n, i, j, d) -> (n, i, j)>
func.func @both(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
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
  %vv = arith.mulf %v, %v : tensor<4x16x8xf32>
  %n0 = linalg.reduce { arith.addf } ins(%vv : tensor<4x16x8xf32>) outs(%fr : tensor<4x16xf32>) dimensions = [2]
  %n = linalg.broadcast ins(%n0 : tensor<4x16xf32>) outs(%ey : tensor<4x16x8xf32>) dimensions = [2]
  %eps = arith.constant dense<1.0e-6> : tensor<4x16x8xf32>
  %ne = arith.maximumf %n, %eps : tensor<4x16x8xf32>
  %yv = arith.mulf %y, %v : tensor<4x16x8xf32>
  %dot0 = linalg.reduce { arith.addf } ins(%yv : tensor<4x16x8xf32>) outs(%fr : tensor<4x16xf32>) dimensions = [2]
  %dot = linalg.broadcast ins(%dot0 : tensor<4x16xf32>) outs(%ey : tensor<4x16x8xf32>) dimensions = [2]
  %c = arith.divf %dot, %ne : tensor<4x16x8xf32>
  %along = arith.mulf %c, %v : tensor<4x16x8xf32>
  %x = arith.subf %y, %along : tensor<4x16x8xf32>
  %e = math.absf %y : tensor<4x16x8xf32>
  %z = arith.divf %x, %e : tensor<4x16x8xf32>
  return %z : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @both(
// CHECK-COUNT-2: goat.attention
// CHECK-NOT:     goat.attention
