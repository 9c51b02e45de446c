// RUN: goat-opt --goat-raise-attention %s | FileCheck %s

// The values are rounded to f16 after their projection; what is taken off the
// rows afterwards is computed from the rounded ones.
#v = affine_map<(n, i, d) -> (n, i, d)>
#row = affine_map<(n, i, d) -> (n, i)>
func.func @rounded(%q: tensor<4x16x8xf16>, %k: tensor<4x16x8xf16>, %wide: tensor<4x16x8xf32>) -> tensor<4x16x8xf16> {
  %zero = arith.constant 0.0 : f16
  %ev = tensor.empty() : tensor<4x16x8xf16>
  %v = arith.truncf %wide : tensor<4x16x8xf32> to tensor<4x16x8xf16>
  %ekt = tensor.empty() : tensor<4x8x16xf16>
  %kT = linalg.transpose ins(%k : tensor<4x16x8xf16>) outs(%ekt : tensor<4x8x16xf16>) permutation = [0, 2, 1]
  %es = tensor.empty() : tensor<4x16x16xf16>
  %fs = linalg.fill ins(%zero : f16) outs(%es : tensor<4x16x16xf16>) -> tensor<4x16x16xf16>
  %s = linalg.batch_matmul ins(%q, %kT : tensor<4x16x8xf16>, tensor<4x8x16xf16>) outs(%fs : tensor<4x16x16xf16>) -> tensor<4x16x16xf16>
  %p = linalg.softmax dimension(2) ins(%s : tensor<4x16x16xf16>) outs(%es : tensor<4x16x16xf16>) -> tensor<4x16x16xf16>
  %fy = linalg.fill ins(%zero : f16) outs(%ev : tensor<4x16x8xf16>) -> tensor<4x16x8xf16>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf16>, tensor<4x16x8xf16>) outs(%fy : tensor<4x16x8xf16>) -> tensor<4x16x8xf16>
  %er = tensor.empty() : tensor<4x16xf16>
  %fr = linalg.fill ins(%zero : f16) outs(%er : tensor<4x16xf16>) -> tensor<4x16xf16>
  %inner = linalg.generic {indexing_maps = [#v, #v, #row], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%y, %v : tensor<4x16x8xf16>, tensor<4x16x8xf16>) outs(%fr : tensor<4x16xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16):
    %x = arith.mulf %a, %b : f16
    %z = arith.addf %c, %x : f16
    linalg.yield %z : f16
  } -> tensor<4x16xf16>
  %norm = linalg.generic {indexing_maps = [#v, #row], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%v : tensor<4x16x8xf16>) outs(%fr : tensor<4x16xf16>) {
  ^bb0(%a: f16, %c: f16):
    %x = arith.mulf %a, %a : f16
    %z = arith.addf %c, %x : f16
    linalg.yield %z : f16
  } -> tensor<4x16xf16>
  %z = linalg.generic {indexing_maps = [#v, #v, #row, #row, #v], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%y, %v, %inner, %norm : tensor<4x16x8xf16>, tensor<4x16x8xf16>, tensor<4x16xf16>, tensor<4x16xf16>) outs(%ev : tensor<4x16x8xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %d: f16, %o: f16):
    %part = arith.divf %c, %d : f16
    %along = arith.mulf %part, %b : f16
    %x = arith.subf %a, %along : f16
    linalg.yield %x : f16
  } -> tensor<4x16x8xf16>
  return %z : tensor<4x16x8xf16>
}
// CHECK-LABEL: func.func @rounded(
// CHECK-SAME:    %[[WIDE:[a-z0-9]*]]: tensor<4x16x8xf32>)
// CHECK:         %[[V:.*]] = arith.truncf %[[WIDE]]
// CHECK:         goat.attention {{.*}} exclude {
// CHECK-NEXT:    ^bb0(%[[Y:.*]]: tensor<8xf32>, %[[OWN:.*]]: tensor<8xf32>,
// CHECK-NEXT:      goat.xsa %[[Y]], %[[OWN]] {eps_mode = #goat.eps_mode<where>}
// CHECK-NOT:     linalg.generic
