// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.mma refuses what it cannot multiply.

#mma = #goat_tile.mma<warps = 1>
#op = #goat_tile.mma_operand<warps = 1>
func.func @c1_element(%a: !goat_tile.buffer<16x16xbf16>, %b: !goat_tile.buffer<16x8xbf16>, %c: tensor<16x8xf16, #mma>) {
  // expected-error@+1 {{(C1) expected the accumulator to be an f32 tile in #goat_tile.mma but got}}
  %r = goat_tile.mma %a, %b, %c : !goat_tile.buffer<16x16xbf16>, !goat_tile.buffer<16x8xbf16> -> tensor<16x8xf16, #mma>
  return
}

// -----

func.func @c1_encoding(%a: !goat_tile.buffer<16x16xbf16>, %b: !goat_tile.buffer<16x8xbf16>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{(C1) expected the accumulator to be an f32 tile in #goat_tile.mma but got}}
  %r = goat_tile.mma %a, %b, %c : !goat_tile.buffer<16x16xbf16>, !goat_tile.buffer<16x8xbf16> -> tensor<16x8xf32>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
func.func @c2_rows(%a: !goat_tile.buffer<32x16xbf16>, %b: !goat_tile.buffer<16x8xbf16>, %c: tensor<16x8xf32, #mma>) {
  // expected-error@+1 {{(C2) expected a to have rank 2 and the accumulator's 16 rows but got '!goat_tile.buffer<32x16xbf16>'}}
  %r = goat_tile.mma %a, %b, %c : !goat_tile.buffer<32x16xbf16>, !goat_tile.buffer<16x8xbf16> -> tensor<16x8xf32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
func.func @c2_encoding(%a: tensor<16x16xbf16, #mma>, %b: !goat_tile.buffer<16x8xbf16>, %c: tensor<16x8xf32, #mma>) {
  // expected-error@+1 {{(C2) expected a tile a to be in #goat_tile.mma_operand<warps = 1> but got 'tensor<16x16xbf16, #goat_tile.mma<warps = 1>>'; convert it with goat_tile.convert_layout}}
  %r = goat_tile.mma %a, %b, %c : tensor<16x16xbf16, #mma>, !goat_tile.buffer<16x8xbf16> -> tensor<16x8xf32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
func.func @c2_scalar(%a: bf16, %b: !goat_tile.buffer<16x8xbf16>, %c: tensor<16x8xf32, #mma>) {
  // expected-error@+1 {{(C2) expected a to be a buffer or a tile but got 'bf16'}}
  %r = goat_tile.mma %a, %b, %c : bf16, !goat_tile.buffer<16x8xbf16> -> tensor<16x8xf32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
func.func @c3_transposed(%a: !goat_tile.buffer<16x16xbf16>, %b: !goat_tile.buffer<16x8xbf16>, %c: tensor<16x8xf32, #mma>) {
  // expected-error@+1 {{(C3) expected b to be a buffer of 8x16x'bf16' but got '!goat_tile.buffer<16x8xbf16>'}}
  %r = goat_tile.mma %a, %b, %c {b_transposed} : !goat_tile.buffer<16x16xbf16>, !goat_tile.buffer<16x8xbf16> -> tensor<16x8xf32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
func.func @c4_element(%a: !goat_tile.buffer<16x16xi32>, %b: !goat_tile.buffer<16x8xi32>, %c: tensor<16x8xf32, #mma>) {
  // expected-error@+1 {{(C4) expected bf16, f16 or f32 elements but got 'i32'}}
  %r = goat_tile.mma %a, %b, %c : !goat_tile.buffer<16x16xi32>, !goat_tile.buffer<16x8xi32> -> tensor<16x8xf32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
func.func @c4_depth(%a: !goat_tile.buffer<16x24xbf16>, %b: !goat_tile.buffer<24x8xbf16>, %c: tensor<16x8xf32, #mma>) {
  // expected-error@+1 {{(C4) expected K to be a multiple of 16 but got 24; pad with zeros}}
  %r = goat_tile.mma %a, %b, %c : !goat_tile.buffer<16x24xbf16>, !goat_tile.buffer<24x8xbf16> -> tensor<16x8xf32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
#op = #goat_tile.mma_operand<warps = 1>
func.func @c2_f32_encoding(%a: tensor<16x16xf32, #op>, %b: !goat_tile.buffer<16x8xf32>, %c: tensor<16x8xf32, #mma>) {
  // expected-error@+1 {{(C2) expected a tile a to be in #goat_tile.mma<warps = 1> but got 'tensor<16x16xf32, #goat_tile.mma_operand<warps = 1>>'; convert it with goat_tile.convert_layout}}
  %r = goat_tile.mma %a, %b, %c {f32_product = #goat_tile.f32_product<tf32>} : tensor<16x16xf32, #op>, !goat_tile.buffer<16x8xf32> -> tensor<16x8xf32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
func.func @c3_narrow(%a: !goat_tile.buffer<16x16xbf16>, %b: !goat_tile.buffer<16x8xbf16>, %c: tensor<16x16xf32, #mma>) {
  // expected-error@+1 {{(C3) expected b to be a buffer of 16x16x'bf16' but got '!goat_tile.buffer<16x8xbf16>'}}
  %r = goat_tile.mma %a, %b, %c : !goat_tile.buffer<16x16xbf16>, !goat_tile.buffer<16x8xbf16> -> tensor<16x16xf32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
func.func @c3_transposed_wide(%a: !goat_tile.buffer<16x16xbf16>, %b: !goat_tile.buffer<8x32xbf16>, %c: tensor<16x8xf32, #mma>) {
  // expected-error@+1 {{(C3) expected b to be a buffer of 8x16x'bf16' but got '!goat_tile.buffer<8x32xbf16>'}}
  %r = goat_tile.mma %a, %b, %c {b_transposed} : !goat_tile.buffer<16x16xbf16>, !goat_tile.buffer<8x32xbf16> -> tensor<16x8xf32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
func.func @c4_f32_depth(%a: !goat_tile.buffer<16x12xf32>, %b: !goat_tile.buffer<12x8xf32>, %c: tensor<16x8xf32, #mma>) {
  // expected-error@+1 {{(C4) expected K to be a multiple of 8 but got 12; pad with zeros}}
  %r = goat_tile.mma %a, %b, %c {f32_product = #goat_tile.f32_product<exact>} : !goat_tile.buffer<16x12xf32>, !goat_tile.buffer<12x8xf32> -> tensor<16x8xf32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
func.func @c5_missing(%a: !goat_tile.buffer<16x16xf32>, %b: !goat_tile.buffer<16x8xf32>, %c: tensor<16x8xf32, #mma>) {
  // expected-error@+1 {{(C5) expected f32_product, exact or tf32, for f32 elements but got none}}
  %r = goat_tile.mma %a, %b, %c : !goat_tile.buffer<16x16xf32>, !goat_tile.buffer<16x8xf32> -> tensor<16x8xf32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
func.func @c5_other(%a: !goat_tile.buffer<16x16xf16>, %b: !goat_tile.buffer<16x8xf16>, %c: tensor<16x8xf32, #mma>) {
  // expected-error@+1 {{(C5) expected f32_product for f32 elements only but got it for 'f16'}}
  %r = goat_tile.mma %a, %b, %c {f32_product = #goat_tile.f32_product<exact>} : !goat_tile.buffer<16x16xf16>, !goat_tile.buffer<16x8xf16> -> tensor<16x8xf32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
func.func @c6(%a: !goat_tile.buffer<16x16xf32>, %b: !goat_tile.buffer<16x8xf32>, %c: tensor<16x8xf32, #mma>) {
  // expected-error@+1 {{(C6) expected rounded with f32_product = tf32 only}}
  %r = goat_tile.mma %a, %b, %c {f32_product = #goat_tile.f32_product<exact>, rounded} : !goat_tile.buffer<16x16xf32>, !goat_tile.buffer<16x8xf32> -> tensor<16x8xf32, #mma>
  return
}
