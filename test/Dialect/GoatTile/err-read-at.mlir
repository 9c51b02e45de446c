// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.read_at refuses swizzled buffers and offsets of another shape.

func.func @read_at_c1(%b: !goat_tile.buffer<64x64xf32, swizzled>, %o: tensor<16x8xi32, #goat_tile.mma<warps = 1>>) {
  // expected-error@+1 {{(C1) expected a buffer of rank 1 or 2 of 'f32', not swizzled, but got '!goat_tile.buffer<64x64xf32, swizzled>'}}
  %v = goat_tile.read_at %b[%o] : !goat_tile.buffer<64x64xf32, swizzled>, tensor<16x8xi32, #goat_tile.mma<warps = 1>> -> tensor<16x8xf32, #goat_tile.mma<warps = 1>>
  return
}

// -----

func.func @read_at_c2(%b: !goat_tile.buffer<64xf32>, %o: tensor<16x16xi32, #goat_tile.mma<warps = 1>>) {
  // expected-error@+1 {{(C2) expected offsets of i32 in the shape and encoding of}}
  %v = goat_tile.read_at %b[%o] : !goat_tile.buffer<64xf32>, tensor<16x16xi32, #goat_tile.mma<warps = 1>> -> tensor<16x8xf32, #goat_tile.mma<warps = 1>>
  return
}
