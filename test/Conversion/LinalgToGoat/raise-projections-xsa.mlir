// RUN: goat-opt --goat-raise-attention %s | FileCheck %s

// A layer as PyTorch decomposes it: projections (B, L, H·D) viewed and
// transposed, key heads repeated, batch and heads in one index, a stable
// softmax, and exclusive self attention in two plain lines afterwards.
func.func @torch(%xq: tensor<2x24x256xf16>, %xk: tensor<2x24x128xf16>, %xv: tensor<2x24x128xf16>) -> tensor<2x24x256xf16> {
  %zero = arith.constant 0.0 : f16
  %low = arith.constant 0xFC00 : f16
  %q4 = tensor.expand_shape %xq [[0], [1], [2, 3]] output_shape [2, 24, 4, 64] : tensor<2x24x256xf16> into tensor<2x24x4x64xf16>
  %eq = tensor.empty() : tensor<2x4x24x64xf16>
  %qt = linalg.transpose ins(%q4 : tensor<2x24x4x64xf16>) outs(%eq : tensor<2x4x24x64xf16>) permutation = [0, 2, 1, 3]
  %k4 = tensor.expand_shape %xk [[0], [1], [2, 3]] output_shape [2, 24, 2, 64] : tensor<2x24x128xf16> into tensor<2x24x2x64xf16>
  %ek = tensor.empty() : tensor<2x2x24x64xf16>
  %kt = linalg.transpose ins(%k4 : tensor<2x24x2x64xf16>) outs(%ek : tensor<2x2x24x64xf16>) permutation = [0, 2, 1, 3]
  %v4 = tensor.expand_shape %xv [[0], [1], [2, 3]] output_shape [2, 24, 2, 64] : tensor<2x24x128xf16> into tensor<2x24x2x64xf16>
  %vt = linalg.transpose ins(%v4 : tensor<2x24x2x64xf16>) outs(%ek : tensor<2x2x24x64xf16>) permutation = [0, 2, 1, 3]
  %e5 = tensor.empty() : tensor<2x2x2x24x64xf16>
  %k5 = linalg.broadcast ins(%kt : tensor<2x2x24x64xf16>) outs(%e5 : tensor<2x2x2x24x64xf16>) dimensions = [2]
  %v5 = linalg.broadcast ins(%vt : tensor<2x2x24x64xf16>) outs(%e5 : tensor<2x2x2x24x64xf16>) dimensions = [2]
  %k = tensor.collapse_shape %k5 [[0, 1, 2], [3], [4]] : tensor<2x2x2x24x64xf16> into tensor<8x24x64xf16>
  %v = tensor.collapse_shape %v5 [[0, 1, 2], [3], [4]] : tensor<2x2x2x24x64xf16> into tensor<8x24x64xf16>
  %q = tensor.collapse_shape %qt [[0, 1], [2], [3]] : tensor<2x4x24x64xf16> into tensor<8x24x64xf16>
  %ekt = tensor.empty() : tensor<8x64x24xf16>
  %kT = linalg.transpose ins(%k : tensor<8x24x64xf16>) outs(%ekt : tensor<8x64x24xf16>) permutation = [0, 2, 1]
  %es = tensor.empty() : tensor<8x24x24xf16>
  %fs = linalg.fill ins(%zero : f16) outs(%es : tensor<8x24x24xf16>) -> tensor<8x24x24xf16>
  %s = linalg.batch_matmul ins(%q, %kT : tensor<8x24x64xf16>, tensor<8x64x24xf16>) outs(%fs : tensor<8x24x24xf16>) -> tensor<8x24x24xf16>
  %c = arith.constant dense<8.0> : tensor<8x24x24xf16>
  %t = arith.divf %s, %c : tensor<8x24x24xf16>
  %er = tensor.empty() : tensor<8x24xf16>
  %fm = linalg.fill ins(%low : f16) outs(%er : tensor<8x24xf16>) -> tensor<8x24xf16>
  %m = linalg.reduce ins(%t : tensor<8x24x24xf16>) outs(%fm : tensor<8x24xf16>) dimensions = [2]
    (%a: f16, %b: f16) {
      %x = arith.maximumf %a, %b : f16
      linalg.yield %x : f16
    }
  %mb = linalg.broadcast ins(%m : tensor<8x24xf16>) outs(%es : tensor<8x24x24xf16>) dimensions = [2]
  %d = arith.subf %t, %mb : tensor<8x24x24xf16>
  %e = math.exp %d : tensor<8x24x24xf16>
  %fz = linalg.fill ins(%zero : f16) outs(%er : tensor<8x24xf16>) -> tensor<8x24xf16>
  %l = linalg.reduce ins(%e : tensor<8x24x24xf16>) outs(%fz : tensor<8x24xf16>) dimensions = [2]
    (%a: f16, %b: f16) {
      %x = arith.addf %a, %b : f16
      linalg.yield %x : f16
    }
  %lb = linalg.broadcast ins(%l : tensor<8x24xf16>) outs(%es : tensor<8x24x24xf16>) dimensions = [2]
  %p = arith.divf %e, %lb : tensor<8x24x24xf16>
  %ey = tensor.empty() : tensor<8x24x64xf16>
  %fy = linalg.fill ins(%zero : f16) outs(%ey : tensor<8x24x64xf16>) -> tensor<8x24x64xf16>
  %y = linalg.batch_matmul ins(%p, %v : tensor<8x24x24xf16>, tensor<8x24x64xf16>) outs(%fy : tensor<8x24x64xf16>) -> tensor<8x24x64xf16>
  // z = y - (y·v̂) v̂
  %sq = arith.mulf %v, %v : tensor<8x24x64xf16>
  %n = linalg.reduce ins(%sq : tensor<8x24x64xf16>) outs(%fz : tensor<8x24xf16>) dimensions = [2]
    (%a: f16, %b: f16) {
      %x = arith.addf %a, %b : f16
      linalg.yield %x : f16
    }
  %norm = math.sqrt %n : tensor<8x24xf16>
  %eps = arith.constant dense<1.0e-3> : tensor<8x24xf16>
  %safe = arith.maximumf %norm, %eps : tensor<8x24xf16>
  %nb = linalg.broadcast ins(%safe : tensor<8x24xf16>) outs(%ey : tensor<8x24x64xf16>) dimensions = [2]
  %vn = arith.divf %v, %nb : tensor<8x24x64xf16>
  %yv = arith.mulf %y, %vn : tensor<8x24x64xf16>
  %dot = linalg.reduce ins(%yv : tensor<8x24x64xf16>) outs(%fz : tensor<8x24xf16>) dimensions = [2]
    (%a: f16, %b: f16) {
      %x = arith.addf %a, %b : f16
      linalg.yield %x : f16
    }
  %db = linalg.broadcast ins(%dot : tensor<8x24xf16>) outs(%ey : tensor<8x24x64xf16>) dimensions = [2]
  %along = arith.mulf %db, %vn : tensor<8x24x64xf16>
  %z = arith.subf %y, %along : tensor<8x24x64xf16>
  %z4 = tensor.expand_shape %z [[0, 1], [2], [3]] output_shape [2, 4, 24, 64] : tensor<8x24x64xf16> into tensor<2x4x24x64xf16>
  %ezt = tensor.empty() : tensor<2x24x4x64xf16>
  %zt = linalg.transpose ins(%z4 : tensor<2x4x24x64xf16>) outs(%ezt : tensor<2x24x4x64xf16>) permutation = [0, 2, 1, 3]
  %out = tensor.collapse_shape %zt [[0], [1], [2, 3]] : tensor<2x24x4x64xf16> into tensor<2x24x256xf16>
  return %out : tensor<2x24x256xf16>
}
// CHECK-LABEL: func.func @torch(
// CHECK-SAME:    %[[XQ:.*]]: tensor<2x24x256xf16>, %[[XK:.*]]: tensor<2x24x128xf16>, %[[XV:.*]]: tensor<2x24x128xf16>)
// CHECK:         %[[Q:.*]] = tensor.expand_shape %[[XQ]] {{.*}} output_shape [2, 24, 4, 64]
// CHECK:         %[[QT:.*]] = linalg.transpose ins(%[[Q]]
// CHECK:         %[[K:.*]] = tensor.expand_shape %[[XK]] {{.*}} output_shape [2, 24, 2, 64]
// CHECK:         %[[KT:.*]] = linalg.transpose ins(%[[K]]
// CHECK:         %[[V:.*]] = tensor.expand_shape %[[XV]] {{.*}} output_shape [2, 24, 2, 64]
// CHECK:         %[[VT:.*]] = linalg.transpose ins(%[[V]]
// CHECK:         goat.attention %[[QT]], %[[KT]], %[[VT]] exclude {
// CHECK-NEXT:    ^bb0(%[[Y:.*]]: tensor<64xf32>, %[[OWN:.*]]: tensor<64xf32>,
// CHECK-NEXT:      %[[Z:.*]] = goat.xsa %[[Y]], %[[OWN]] {eps = 1.0008{{.*}}E-6 : f32} : tensor<64xf32>
// CHECK-NEXT:      goat.yield %[[Z]]
// CHECK:         static_scale = 1.250000e-01 : f32
// CHECK-NOT:     math.exp
// CHECK-NOT:     linalg.batch_matmul
