// Two masks of finite numbers, under which most rows see no key.
#q = affine_map<(n, i, j, d) -> (n, i, d)>
#k = affine_map<(n, i, j, d) -> (n, j, d)>
#s = affine_map<(n, i, j, d) -> (n, i, j)>
#id = affine_map<(n, i, j) -> (n, i, j)>

func.func @none_together(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%s : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) {
  ^bb0(%a: f32, %c: f32):
    %none = arith.constant 0.0 : f32
    %never = arith.constant -1.0e9 : f32
    %n = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %past = arith.cmpi slt, %j, %i : index
    %m = arith.select %past, %never, %none : f32
    %one = arith.addf %a, %m : f32
    %zeroth = arith.constant 0 : index
    %first = arith.cmpi eq, %j, %zeroth : index
    %l = arith.select %first, %none, %never : f32
    %x = arith.addf %one, %l : f32
    linalg.yield %x : f32
  } -> tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  // expected-remark @+1 {{a mask of finite numbers stays in the score}}
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}
