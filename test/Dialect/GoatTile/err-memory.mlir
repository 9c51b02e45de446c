// RUN: goat-opt %s -split-input-file -verify-diagnostics
// What operations on memory refuse.

func.func @load_c1_offset(%p: !goat_tile.ptr<f32>, %o: index) {
  // expected-error@+1 {{(C1) expected the offset to be i32, i64 or a tile of them but got 'index'}}
  %r = goat_tile.load %p[%o] : !goat_tile.ptr<f32>, index -> f32
  return
}

// -----

func.func @load_c1_result(%p: !goat_tile.ptr<f32>, %o: i32) {
  // expected-error@+1 {{(C1) expected the result to be 'f32' but got 'f16'}}
  %r = goat_tile.load %p[%o] : !goat_tile.ptr<f32>, i32 -> f16
  return
}

// -----

func.func @load_c2(%p: !goat_tile.ptr<f32>, %o: tensor<8xi32, #goat_tile.linear<threads = 32>>, %m: i1) {
  // expected-error@+1 {{(C2) expected the mask to be 'tensor<8xi1, #goat_tile.linear<threads = 32>>' but got 'i1'}}
  %r = goat_tile.load %p[%o] masked(%m : i1) : !goat_tile.ptr<f32>, tensor<8xi32, #goat_tile.linear<threads = 32>> -> tensor<8xf32, #goat_tile.linear<threads = 32>>
  return
}

// -----

func.func @store_c1(%p: !goat_tile.ptr<f32>, %o: i32, %v: f16) {
  // expected-error@+1 {{(C1) expected the value to be 'f32' but got 'f16'}}
  goat_tile.store %v, %p[%o] : f16, !goat_tile.ptr<f32>, i32
  return
}

// -----

func.func @store_c2(%p: !goat_tile.ptr<f32>, %o: i32, %v: f32, %m: i32) {
  // expected-error@+1 {{(C2) expected the mask to be 'i1' but got 'i32'}}
  goat_tile.store %v, %p[%o] masked(%m : i32) : f32, !goat_tile.ptr<f32>, i32
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
#row = #goat_tile.slice<axis = 1, #mma>
func.func @load_rows_c1(%p: !goat_tile.ptr<f32>, %r: tensor<16xi32, #row>, %m: tensor<16xi1, #row>, %s: i64) {
  // expected-error@+1 {{(C1) expected the result to be a tile of rank 2 of 'f32' but got}}
  %t = goat_tile.load_rows %p[%r] masked(%m) stride(%s) : !goat_tile.ptr<f32>, tensor<16xi32, #row>, tensor<16xi1, #row> -> tensor<16x8xbf16, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
#row = #goat_tile.slice<axis = 1, #mma>
func.func @load_rows_c2(%p: !goat_tile.ptr<f32>, %r: tensor<16xi32, #row>, %m: tensor<16xi1, #goat_tile.linear<threads = 32>>, %s: i64) {
  // expected-error@+1 {{(C2) expected mask to be 'tensor<16xi1, #goat_tile.slice<axis = 1, #goat_tile.mma<warps = 1>>>' but got}}
  %t = goat_tile.load_rows %p[%r] masked(%m) stride(%s) : !goat_tile.ptr<f32>, tensor<16xi32, #row>, tensor<16xi1, #goat_tile.linear<threads = 32>> -> tensor<16x8xf32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
#row = #goat_tile.slice<axis = 1, #mma>
func.func @load_rows_c3(%p: !goat_tile.ptr<f32>, %r: tensor<16xi32, #row>, %m: tensor<16xi1, #row>, %s: i64) {
  // expected-error@+1 {{(C3) expected 1 to 8 columns but got 9}}
  %t = goat_tile.load_rows %p[%r] masked(%m) stride(%s) {columns = 9 : i64} : !goat_tile.ptr<f32>, tensor<16xi32, #row>, tensor<16xi1, #row> -> tensor<16x8xf32, #mma>
  return
}

// -----

#mma = #goat_tile.mma<warps = 1>
#row = #goat_tile.slice<axis = 1, #mma>
func.func @store_rows_c2(%p: !goat_tile.ptr<f32>, %v: tensor<16x8xf32, #mma>, %r: tensor<16xi64, #row>, %m: tensor<16xi1, #row>, %s: i64) {
  // expected-error@+1 {{(C2) expected row to be 'tensor<16xi32, #goat_tile.slice<axis = 1, #goat_tile.mma<warps = 1>>>' but got}}
  goat_tile.store_rows %v, %p[%r] masked(%m) stride(%s) : tensor<16x8xf32, #mma>, !goat_tile.ptr<f32>, tensor<16xi64, #row>, tensor<16xi1, #row>
  return
}

// -----

func.func @stage_c1_ring(%b: !goat_tile.buffer<64x64xbf16, swizzled>, %i: i32) {
  // expected-error@+1 {{(C1) expected a ring of buffers but got '!goat_tile.buffer<64x64xbf16, swizzled>'}}
  %s = goat_tile.stage %b[%i] : !goat_tile.buffer<64x64xbf16, swizzled> -> !goat_tile.buffer<64xbf16>
  return
}

// -----

func.func @stage_c1_result(%b: !goat_tile.buffer<2x64x64xbf16, swizzled>, %i: i32) {
  // expected-error@+1 {{(C1) expected the result to be '!goat_tile.buffer<64x64xbf16, swizzled>' but got '!goat_tile.buffer<64x64xbf16>'}}
  %s = goat_tile.stage %b[%i] : !goat_tile.buffer<2x64x64xbf16, swizzled> -> !goat_tile.buffer<64x64xbf16>
  return
}

// -----

func.func @write_c1(%b: !goat_tile.buffer<64xf32>, %v: tensor<63xf32, #goat_tile.linear<threads = 32>>) {
  // expected-error@+1 {{(C1) expected a vector with a goat_tile encoding and a buffer of its shape and element type but got}}
  goat_tile.write %v, %b : tensor<63xf32, #goat_tile.linear<threads = 32>>, !goat_tile.buffer<64xf32>
  return
}

// -----

func.func @read_c1(%b: !goat_tile.buffer<64xf32>) {
  // expected-error@+1 {{(C1) expected a vector with a goat_tile encoding and a buffer of its shape and element type but got}}
  %v = goat_tile.read %b : !goat_tile.buffer<64xf32> -> tensor<64xf32>
  return
}

// -----

func.func @read_diagonals_c1(%b: !goat_tile.buffer<64xf32>) {
  // expected-error@+1 {{(C1) expected the result to be a tile of rank 2 of 'f32' but got}}
  %v = goat_tile.read_diagonals %b : !goat_tile.buffer<64xf32> -> tensor<16x8xf16, #goat_tile.mma<warps = 1>>
  return
}

// -----

func.func @read_diagonals_c2(%b: !goat_tile.buffer<22xf32>) {
  // expected-error@+1 {{(C2) expected a strip of rank 1 of at least 23 elements but got '!goat_tile.buffer<22xf32>'}}
  %v = goat_tile.read_diagonals %b : !goat_tile.buffer<22xf32> -> tensor<16x8xf32, #goat_tile.mma<warps = 1>>
  return
}

// -----

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

func.func @wait_pending(%g: !goat_tile.group) {
  // expected-error@+1 {{attribute 'pending' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  goat_tile.wait %g pending = -1
  return
}

// -----

func.func @commit_nothing() {
  // expected-error@+1 {{'goat_tile.commit' op expected 1 or more operands, but found 0}}
  %g = "goat_tile.commit"() : () -> !goat_tile.group
  return
}
