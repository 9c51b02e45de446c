// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.copy_async refuses buffers it cannot fill by the bytes of its alignment.

func.func @copy_c1(%p: !goat_tile.ptr<f16>, %i: i32, %s: i64, %b: !goat_tile.buffer<64x64xbf16, swizzled>) {
  // expected-error@+1 {{(C1) expected a buffer of rank 2 of 'f16' but got '!goat_tile.buffer<64x64xbf16, swizzled>'}}
  %t = goat_tile.copy_async %p[%i to %i] stride(%s) into %b : !goat_tile.ptr<f16>, !goat_tile.buffer<64x64xbf16, swizzled>
  return
}

// -----

func.func @copy_c2(%p: !goat_tile.ptr<bf16>, %i: i32, %s: i64, %b: !goat_tile.buffer<64x60xbf16>) {
  // expected-error@+1 {{(C2) expected the buffer's rows to be a multiple of 16 bytes but got 120 bytes}}
  %t = goat_tile.copy_async %p[%i to %i] stride(%s) into %b : !goat_tile.ptr<bf16>, !goat_tile.buffer<64x60xbf16>
  return
}

// -----

func.func @copy_c3(%p: !goat_tile.ptr<bf16>, %i: i32, %s: i64, %b: !goat_tile.buffer<64x64xbf16>) {
  // expected-error@+1 {{(C3) expected columns to be a multiple of 8 up to 64 but got 60}}
  %t = goat_tile.copy_async %p[%i to %i] stride(%s) into %b {columns = 60 : i64} : !goat_tile.ptr<bf16>, !goat_tile.buffer<64x64xbf16>
  return
}

// -----

func.func @copy_c3_of_four(%p: !goat_tile.ptr<bf16>, %i: i32, %s: i64, %b: !goat_tile.buffer<64x64xbf16>) {
  // expected-error@+1 {{(C3) expected columns to be a multiple of 2 up to 64 but got 61}}
  %t = goat_tile.copy_async %p[%i to %i] stride(%s) into %b {alignment = 4 : i64, columns = 61 : i64} : !goat_tile.ptr<bf16>, !goat_tile.buffer<64x64xbf16>
  return
}

// -----

func.func @copy_c4(%p: !goat_tile.ptr<bf16>, %i: i32, %s: i64, %b: !goat_tile.buffer<64x64xbf16>) {
  // expected-error@+1 {{(C4) expected an alignment of a power of two from 2 to 16 bytes but got 1}}
  %t = goat_tile.copy_async %p[%i to %i] stride(%s) into %b {alignment = 1 : i64} : !goat_tile.ptr<bf16>, !goat_tile.buffer<64x64xbf16>
  return
}

// -----

func.func @copy_c4_apart(%p: !goat_tile.ptr<bf16>, %i: i32, %s: i64, %b: !goat_tile.buffer<64x64xbf16>) {
  // expected-error@+1 {{(C4) expected an alignment of 2 bytes with a column_stride, one element, but got 16}}
  %t = goat_tile.copy_async %p[%i to %i] stride(%s) column_stride(%s) into %b : !goat_tile.ptr<bf16>, !goat_tile.buffer<64x64xbf16>
  return
}
