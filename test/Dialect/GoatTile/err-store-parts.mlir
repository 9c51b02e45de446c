// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.store_parts refuses other elements, pointers, and rows or masks of another shape.

#lin = #goat_tile.linear<threads = 32>
func.func @store_parts_c1(%v: tensor<64xbf16, #lin>, %p: !goat_tile.ptr<bf16>, %r: tensor<64xi32, #lin>, %m: tensor<64xi1, #lin>) {
  // expected-error@+1 {{(C1) expected an f32 vector with a goat_tile encoding but got}}
  goat_tile.store_parts %v, %p[%r] masked(%m) : tensor<64xbf16, #lin>, !goat_tile.ptr<bf16>, tensor<64xi32, #lin>, tensor<64xi1, #lin>
  return
}

// -----

#lin = #goat_tile.linear<threads = 32>
func.func @store_parts_c2(%v: tensor<64xf32, #lin>, %p: !goat_tile.ptr<f32>, %r: tensor<64xi32, #lin>, %m: tensor<64xi1, #lin>) {
  // expected-error@+1 {{(C2) expected a pointer to bf16 but got '!goat_tile.ptr<f32>'}}
  goat_tile.store_parts %v, %p[%r] masked(%m) : tensor<64xf32, #lin>, !goat_tile.ptr<f32>, tensor<64xi32, #lin>, tensor<64xi1, #lin>
  return
}

// -----

#lin = #goat_tile.linear<threads = 32>
func.func @store_parts_c3_row(%v: tensor<64xf32, #lin>, %p: !goat_tile.ptr<bf16>, %r: tensor<32xi32, #lin>, %m: tensor<64xi1, #lin>) {
  // expected-error@+1 {{(C3) expected row and mask of 'tensor<64xi32, #goat_tile.linear<threads = 32>>' but got 'tensor<32xi32}}
  goat_tile.store_parts %v, %p[%r] masked(%m) : tensor<64xf32, #lin>, !goat_tile.ptr<bf16>, tensor<32xi32, #lin>, tensor<64xi1, #lin>
  return
}

// -----

#lin = #goat_tile.linear<threads = 32>
func.func @store_parts_c3_mask(%v: tensor<64xf32, #lin>, %p: !goat_tile.ptr<bf16>, %r: tensor<64xi32, #lin>, %m: tensor<64xi32, #lin>) {
  // expected-error@+1 {{(C3) expected row and mask of 'tensor<64xi1, #goat_tile.linear<threads = 32>>' but got 'tensor<64xi32}}
  goat_tile.store_parts %v, %p[%r] masked(%m) : tensor<64xf32, #lin>, !goat_tile.ptr<bf16>, tensor<64xi32, #lin>, tensor<64xi32, #lin>
  return
}
