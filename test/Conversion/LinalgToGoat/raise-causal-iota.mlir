// RUN: goat-opt --goat-raise-attention %s | FileCheck %s

// A causal mask of 0 and minus infinity, built from indices as integers.
#q = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#k = affine_map<(b, h, i, j, d) -> (b, h, j, d)>
#s = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#row = affine_map<(b, h, i, j) -> (b, h, i)>
#all = affine_map<(b, h, i, j) -> (b, h, i, j)>
#p = affine_map<(b, h, i, d, j) -> (b, h, i, j)>
#v = affine_map<(b, h, i, d, j) -> (b, h, j, d)>
#o = affine_map<(b, h, i, d, j) -> (b, h, i, d)>
func.func @plain(%q: tensor<2x4x32x64xf32>, %k: tensor<2x4x32x64xf32>, %v: tensor<2x4x32x64xf32>) -> tensor<2x4x32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant dense<0.125> : tensor<2x4x32x32xf32>
  %never = arith.constant dense<0xFF800000> : tensor<2x4x32x32xf32>
  %e0 = tensor.empty() : tensor<2x4x32x32xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x4x32x32xf32>) -> tensor<2x4x32x32xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%q, %k : tensor<2x4x32x64xf32>, tensor<2x4x32x64xf32>) outs(%f0 : tensor<2x4x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %c, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x4x32x32xf32>
  %scaled = arith.mulf %s, %scale : tensor<2x4x32x32xf32>
  %causal = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    outs(%e0 : tensor<2x4x32x32xf32>) {
  ^bb0(%c: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %ii = arith.index_cast %i : index to i64
    %jj = arith.index_cast %j : index to i64
    %ok = arith.cmpi sge, %ii, %jj : i64
    %x = arith.select %ok, %zero, %low : f32
    linalg.yield %x : f32
  } -> tensor<2x4x32x32xf32>
  %t = arith.addf %scaled, %causal : tensor<2x4x32x32xf32>
  %w = linalg.softmax dimension(3) ins(%t : tensor<2x4x32x32xf32>) outs(%e0 : tensor<2x4x32x32xf32>) -> tensor<2x4x32x32xf32>
  %e1 = tensor.empty() : tensor<2x4x32x64xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x4x32x64xf32>) -> tensor<2x4x32x64xf32>
  %y = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%w, %v : tensor<2x4x32x32xf32>, tensor<2x4x32x64xf32>) outs(%f1 : tensor<2x4x32x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %c, %m : f32
    linalg.yield %n : f32
  } -> tensor<2x4x32x64xf32>
  return %y : tensor<2x4x32x64xf32>
}
// CHECK-LABEL: func.func @plain(
// CHECK-SAME:    %[[Q:.*]]: tensor<2x4x32x64xf32>, %[[K:.*]]: tensor<2x4x32x64xf32>, %[[V:.*]]: tensor<2x4x32x64xf32>)
// CHECK-NEXT:    %[[OUT:.*]] = goat.attention %[[Q]], %[[K]], %[[V]] mask {
// CHECK-NEXT:    ^bb0(%{{.*}}: index, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index):
// CHECK-NEXT:      %[[SEE:.*]] = arith.cmpi sge, %[[I]], %[[J]] : index
// CHECK-NEXT:      goat.yield %[[SEE]] : i1
// CHECK-NEXT:    } attributes {static_q_offset = 0 : i32, static_scale = 1.250000e-01 : f32}
// CHECK-NEXT:    return %[[OUT]]
