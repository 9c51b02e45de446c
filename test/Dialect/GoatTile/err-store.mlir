// RUN: goat-opt %s -split-input-file -verify-diagnostics
// goat_tile.store refuses values and masks that do not fit the offsets.

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
