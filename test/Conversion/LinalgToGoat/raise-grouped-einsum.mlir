// RUN: goat-opt --goat-raise-attention %s | FileCheck %s

// Heads counted by key head and place in the group, in another order of axes.
#q = affine_map<(b, k, g, i, j, d) -> (b, i, k, g, d)>
#k = affine_map<(b, k, g, i, j, d) -> (b, j, k, d)>
#s = affine_map<(b, k, g, i, j, d) -> (b, k, g, i, j)>
#p = affine_map<(b, k, g, i, d, j) -> (b, k, g, i, j)>
#v = affine_map<(b, k, g, i, d, j) -> (b, j, k, d)>
#o = affine_map<(b, k, g, i, d, j) -> (b, i, k, g, d)>
func.func @einsum(%q: tensor<?x16x2x3x8xbf16>, %k: tensor<?x20x2x8xbf16>, %v: tensor<?x20x2x8xbf16>,
    %e0: tensor<?x2x3x16x20xf32>, %e1: tensor<?x16x2x3x8xf32>) -> tensor<?x16x2x3x8xf32> {
  %zero = arith.constant 0.0 : f32
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x2x3x16x20xf32>) -> tensor<?x2x3x16x20xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%q, %k : tensor<?x16x2x3x8xbf16>, tensor<?x20x2x8xbf16>) outs(%f0 : tensor<?x2x3x16x20xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %aw = arith.extf %a : bf16 to f32
    %bw = arith.extf %b : bf16 to f32
    %m = arith.mulf %aw, %bw : f32
    %n = arith.addf %c, %m : f32
    linalg.yield %n : f32
  } -> tensor<?x2x3x16x20xf32>
  %p = linalg.softmax dimension(4) ins(%s : tensor<?x2x3x16x20xf32>) outs(%e0 : tensor<?x2x3x16x20xf32>) -> tensor<?x2x3x16x20xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x16x2x3x8xf32>) -> tensor<?x16x2x3x8xf32>
  %y = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%p, %v : tensor<?x2x3x16x20xf32>, tensor<?x20x2x8xbf16>) outs(%f1 : tensor<?x16x2x3x8xf32>) {
  ^bb0(%a: f32, %b: bf16, %c: f32):
    %bw = arith.extf %b : bf16 to f32
    %m = arith.mulf %a, %bw : f32
    %n = arith.addf %c, %m : f32
    linalg.yield %n : f32
  } -> tensor<?x16x2x3x8xf32>
  return %y : tensor<?x16x2x3x8xf32>
}
// CHECK-LABEL: func.func @einsum(
// CHECK-SAME:    %[[Q:.*]]: tensor<?x16x2x3x8xbf16>, %[[K:.*]]: tensor<?x20x2x8xbf16>, %[[V:[a-z0-9]*]]: tensor<?x20x2x8xbf16>,
// CHECK:         %[[QT:.*]] = linalg.transpose ins(%[[Q]] {{.*}} permutation = [0, 2, 3, 1, 4]
// CHECK:         %[[Q4:.*]] = tensor.collapse_shape %[[QT]] {{\[}}[0], [1, 2], [3], [4]]
// CHECK:         %[[K4:.*]] = linalg.transpose ins(%[[K]] {{.*}} permutation = [0, 2, 1, 3]
// CHECK:         %[[V4:.*]] = linalg.transpose ins(%[[V]] {{.*}} permutation = [0, 2, 1, 3]
// CHECK:         %[[OUT:.*]] = goat.attention %[[Q4]], %[[K4]], %[[V4]] attributes
// CHECK-SAME:      (tensor<?x6x16x8xbf16>, tensor<?x2x20x8xbf16>, tensor<?x2x20x8xbf16>) -> (tensor<?x6x16x8xbf16>)
// CHECK:         %[[WIDE:.*]] = arith.extf %[[OUT]]
// CHECK:         tensor.expand_shape %[[WIDE]] {{\[}}[0], [1, 2], [3], [4]]
// CHECK:         linalg.transpose {{.*}} permutation = [0, 3, 1, 2, 4]
