// RUN: goat-opt --goat-raise-attention %s | FileCheck %s

// A logit per head joins the row: gpt-oss says it in the denominator.
#q = affine_map<(n, i, j, d) -> (n, i, d)>
#k = affine_map<(n, i, j, d) -> (n, j, d)>
#s = affine_map<(n, i, j, d) -> (n, i, j)>
#id = affine_map<(n, i, j) -> (n, i, j)>
#row = affine_map<(n, i) -> (n, i)>
#h = affine_map<(n, i) -> (n)>
func.func @sink(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>, %sinks: tensor<4xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %low = arith.constant 0xFF800000 : f32
  %er = tensor.empty() : tensor<4x16xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<4x16xf32>) -> tensor<4x16xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<4x16x16xf32>) outs(%fm : tensor<4x16xf32>) dimensions = [2]
  %mb = linalg.broadcast ins(%m : tensor<4x16xf32>) outs(%es : tensor<4x16x16xf32>) dimensions = [2]
  %d = arith.subf %s, %mb : tensor<4x16x16xf32>
  %e = math.exp %d : tensor<4x16x16xf32>
  %fl = linalg.fill ins(%zero : f32) outs(%er : tensor<4x16xf32>) -> tensor<4x16xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<4x16x16xf32>) outs(%fl : tensor<4x16xf32>) dimensions = [2]
  %l2 = linalg.generic {indexing_maps = [#row, #row, #h, #row], iterator_types = ["parallel", "parallel"]}
    ins(%l, %m, %sinks : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4xf32>) outs(%er : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %x = arith.subf %c, %b : f32
    %w = math.exp %x : f32
    %z = arith.addf %a, %w : f32
    linalg.yield %z : f32
  } -> tensor<4x16xf32>
  %lb = linalg.broadcast ins(%l2 : tensor<4x16xf32>) outs(%es : tensor<4x16x16xf32>) dimensions = [2]
  %p = arith.divf %e, %lb : tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @sink(
// CHECK-SAME:    %[[SINKS:[a-z0-9]*]]: tensor<4xf32>)
// CHECK:         goat.attention {{.*}} sink(%[[SINKS]] : tensor<4xf32>)
// CHECK-NOT:     math.exp
