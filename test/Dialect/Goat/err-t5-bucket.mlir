// RUN: goat-opt %s -split-input-file -verify-diagnostics
// What goat.t5_bucket refuses, constraint by constraint.

// (C1) buckets
func.func @buckets(%d: index) {
  // expected-error @+1 {{(C1) expected 2 to 512 buckets, an even number of at least 4 when bidirectional, but got 5}}
  %t = goat.t5_bucket %d {buckets = 5 : i32, bidirectional}
  return
}

// -----

// (C2) max_distance
func.func @distance(%d: index) {
  // expected-error @+1 {{(C2) expected max_distance to be more than 16, the distances with a bucket of their own, but got 16}}
  %t = goat.t5_bucket %d {max_distance = 16 : i32}
  return
}
