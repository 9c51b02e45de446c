// RUN: goat-opt --goat-raise-attention %s | FileCheck %s

// Exclusive self attention in the spellings people use. A strength is what
// else is multiplied in.
#q = affine_map<(n, i, j, d) -> (n, i, d)>
#k = affine_map<(n, i, j, d) -> (n, j, d)>
#s = affine_map<(n, i, j, d) -> (n, i, j)>
func.func @quotient(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
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
  %yv = arith.mulf %y, %v : tensor<4x16x8xf32>
  %dot0 = linalg.reduce { arith.addf } ins(%yv : tensor<4x16x8xf32>) outs(%fr : tensor<4x16xf32>) dimensions = [2]
  %dot = linalg.broadcast ins(%dot0 : tensor<4x16xf32>) outs(%ey : tensor<4x16x8xf32>) dimensions = [2]
  %vv = arith.mulf %v, %v : tensor<4x16x8xf32>
  %n0 = linalg.reduce { arith.addf } ins(%vv : tensor<4x16x8xf32>) outs(%fr : tensor<4x16xf32>) dimensions = [2]
  %n = linalg.broadcast ins(%n0 : tensor<4x16xf32>) outs(%ey : tensor<4x16x8xf32>) dimensions = [2]
  %eps = arith.constant dense<1.0e-6> : tensor<4x16x8xf32>
  %ne = arith.addf %n, %eps : tensor<4x16x8xf32>
  %c = arith.divf %dot, %ne : tensor<4x16x8xf32>
  %along = arith.mulf %c, %v : tensor<4x16x8xf32>
  %z = arith.subf %y, %along : tensor<4x16x8xf32>
  return %z : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @quotient(
// CHECK:         goat.xsa %{{.*}}, %{{.*}} {eps = 9.99999997E-7 : f32, eps_mode = #goat.eps_mode<add>}

func.func @inverse_norm_half(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
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
  %ne = arith.addf %n, %eps : tensor<4x16x8xf32>
  %r = math.rsqrt %ne : tensor<4x16x8xf32>
  %u = arith.mulf %v, %r : tensor<4x16x8xf32>
  %yu = arith.mulf %y, %u : tensor<4x16x8xf32>
  %dot0 = linalg.reduce { arith.addf } ins(%yu : tensor<4x16x8xf32>) outs(%fr : tensor<4x16xf32>) dimensions = [2]
  %dot = linalg.broadcast ins(%dot0 : tensor<4x16xf32>) outs(%ey : tensor<4x16x8xf32>) dimensions = [2]
  %along = arith.mulf %dot, %u : tensor<4x16x8xf32>
  %half = arith.constant dense<-0.5> : tensor<4x16x8xf32>
  %some = arith.mulf %along, %half : tensor<4x16x8xf32>
  %z = arith.addf %some, %y : tensor<4x16x8xf32>
  return %z : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @inverse_norm_half(
// CHECK:         %[[A:.*]] = arith.constant 5.000000e-01 : f32
// CHECK:         goat.xsa %{{.*}}, %{{.*}} strength(%[[A]]) {eps = 9.99999997E-7 : f32, eps_mode = #goat.eps_mode<add>}

func.func @per_head(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>, %a: tensor<4xf32>) -> tensor<4x16x8xf32> {
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
  %c0 = arith.divf %dot, %ne : tensor<4x16x8xf32>
  %ab = linalg.broadcast ins(%a : tensor<4xf32>) outs(%ey : tensor<4x16x8xf32>) dimensions = [1, 2]
  %at = math.tanh %ab : tensor<4x16x8xf32>
  %c = arith.mulf %c0, %at : tensor<4x16x8xf32>
  %along = arith.mulf %c, %v : tensor<4x16x8xf32>
  %z = arith.subf %y, %along : tensor<4x16x8xf32>
  return %z : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @per_head(
// CHECK-SAME:    %[[A:[a-z0-9]*]]: tensor<4xf32>)
// CHECK:         %[[AH:.*]] = tensor.extract %[[A]]
// CHECK:         %[[T:.*]] = math.tanh %[[AH]] : f32
// CHECK:         goat.xsa %{{.*}}, %{{.*}} strength(%[[T]]) {eps = 9.99999997E-7 : f32} :
