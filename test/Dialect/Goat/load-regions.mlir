// RUN: goat-opt %s | goat-opt | FileCheck %s
// RUN: goat-opt %s --mlir-print-op-generic | goat-opt | FileCheck %s
// Load regions, the row ops in them, and axes (B, L, H, D).

// CHECK-LABEL: func.func @loads
// CHECK:       goat.attention %{{.*}}, %{{.*}}, %{{.*}} load_q {
// CHECK:         goat.rms_norm %{{.*}} weight(%{{.*}} : tensor<64xf32>) : tensor<64xf32>
// CHECK:         goat.rope %{{.*}}, %{{.*}} position %{{.*}} : tensor<64xf32>, tensor<16xf32>
// CHECK:       } load_k {
// CHECK:         goat.l2_norm %{{.*}} {eps = 9.99999997E-7 : f32} : tensor<64xf32>
// CHECK:         goat.columns : tensor<64xi32>
// CHECK:         goat.gather_row %{{.*}}[%{{.*}}] : tensor<64xf32>, tensor<64xi32> -> tensor<64xf32>
// CHECK:         goat.rope %{{.*}} {first = 2 : i64, magnitude = 1.250000e+00 : f32, pairing = #goat.pairing<neighbours>}
// CHECK:       attributes {layout = #goat.layout<bshd>}
func.func @loads(%q: tensor<?x?x4x64xbf16> {goat.strided}, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x32xbf16>,
    %w: tensor<64xf32>, %omega: tensor<16xf32>) -> (tensor<?x?x4x32xbf16> {goat.strided}) {
  %out = goat.attention %q, %k, %v load_q {
  ^bb0(%row: tensor<64xf32>, %b: index, %h: index, %i: index):
    %p = goat.query_position %b, %i
    %n = goat.rms_norm %row weight(%w : tensor<64xf32>) : tensor<64xf32>
    %r = goat.rope %n, %omega position %p : tensor<64xf32>, tensor<16xf32>
    goat.yield %r : tensor<64xf32>
  } load_k {
  ^bb0(%row: tensor<64xf32>, %b: index, %h: index, %j: index):
    %p = goat.key_position %b, %j
    %n = goat.l2_norm %row {eps = 1.0e-6 : f32} : tensor<64xf32>
    %c = goat.columns : tensor<64xi32>
    %g = goat.gather_row %n[%c] : tensor<64xf32>, tensor<64xi32> -> tensor<64xf32>
    %r = goat.rope %g, %omega position %p {first = 2 : i64, magnitude = 1.25 : f32, pairing = #goat.pairing<neighbours>}
        : tensor<64xf32>, tensor<16xf32>
    goat.yield %r : tensor<64xf32>
  } attributes {layout = #goat.layout<bshd>}
    : (tensor<?x?x4x64xbf16>, tensor<?x?x2x64xbf16>, tensor<?x?x2x32xbf16>) -> (tensor<?x?x4x32xbf16>)
  return %out : tensor<?x?x4x32xbf16>
}
