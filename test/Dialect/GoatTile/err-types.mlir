// RUN: goat-opt %s -split-input-file -verify-diagnostics
// Types and encodings that mean nothing are refused where they are written.

// expected-error@+1 {{(C1) expected integers or floats of 8, 16, 32 or 64 bits but got 'index'}}
func.func private @pointer_c1(!goat_tile.ptr<index>)

// -----

// expected-error@+1 {{(C1) expected a buffer of rank 1 to 3 but got rank 4}}
func.func private @buffer_c1_rank(!goat_tile.buffer<2x2x64x64xbf16>)

// -----

// expected-error@+1 {{(C1) expected a positive length but got 0}}
func.func private @buffer_c1_empty(!goat_tile.buffer<0x64xbf16>)

// -----

// expected-error@+1 {{(C1) expected less than 2^31 elements}}
func.func private @buffer_c1_large(!goat_tile.buffer<65536x65536xbf16>)

// -----

// expected-error@+1 {{(C2) expected integers or floats of 8, 16, 32 or 64 bits but got 'i1'}}
func.func private @buffer_c2(!goat_tile.buffer<64xi1>)

// -----

// expected-error@+1 {{(C3) expected a swizzled buffer to have rank 2 or 3 but got rank 1}}
func.func private @buffer_c3_rank(!goat_tile.buffer<64xbf16, swizzled>)

// -----

// expected-error@+1 {{(C3) expected a swizzled buffer to have elements of 16 or 32 bits but got 'i8'}}
func.func private @buffer_c3_element(!goat_tile.buffer<64x32xi8, swizzled>)

// -----

// expected-error@+1 {{(C3) swizzled buffer: expected a positive multiple of 8 rows but got 12}}
func.func private @buffer_c3_rows(!goat_tile.buffer<12x64xbf16, swizzled>)

// -----

// expected-error@+1 {{(C3) swizzled buffer: expected rows of a positive multiple of 16 bytes but got 24; pad the rows}}
func.func private @buffer_c3_row(!goat_tile.buffer<16x12xbf16, swizzled>)

// -----

// expected-error@+1 {{#goat_tile.mma<warps = 4> does not lay out this tile: mma accumulator layout, dimension 0: expected a positive multiple of 64 but got 32}}
func.func private @mma(tensor<32x64xf32, #goat_tile.mma<warps = 4>>)

// -----

// expected-error@+1 {{does not lay out this tile: expected a tile of rank 2 but got rank 1}}
func.func private @rank(tensor<64xf32, #goat_tile.mma<warps = 4>>)

// -----

// expected-error@+1 {{does not lay out this tile: expected a static, positive length below 2^31 but got ?}}
func.func private @dynamic(tensor<?x64xf32, #goat_tile.mma<warps = 4>>)

// -----

// expected-error@+1 {{#goat_tile.mma_operand<warps = 1> does not lay out this tile: mma operand A layout, dimension 1: expected a positive multiple of 16 but got 8}}
func.func private @operand(tensor<16x8xbf16, #goat_tile.mma_operand<warps = 1>>)

// -----

// expected-error@+1 {{(C1) expected axis 0 or 1 but got 2}}
func.func private @slice_c1(tensor<16xf32, #goat_tile.slice<axis = 2, #goat_tile.mma<warps = 1>>>)

// -----

// expected-error@+1 {{(C2) expected an encoding of tiles of rank 2 but got #goat_tile.linear<threads = 32>}}
func.func private @slice_c2(tensor<16xf32, #goat_tile.slice<axis = 1, #goat_tile.linear<threads = 32>>>)

// -----

// expected-error@+1 {{blocked layout: expected 32, 64, ... or 1024 threads but got 33}}
func.func private @linear(tensor<16xf32, #goat_tile.linear<threads = 33>>)
