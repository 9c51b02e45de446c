// RUN: goat-opt %s -split-input-file -verify-diagnostics
// A window has an end, its widths fit beside positions, and it stands where
// there are offsets.

// (C1) outside
func.func @outside(%i: index, %w: i32) {
  // expected-error @+1 {{(C1) expected to stand inside a region of goat.attention, whose offsets it reads}}
  %m = goat.window_mask %i, %i, %i left(%w)
  return
}

// -----

// (C2) everything passes
func.func @unbounded(%q: tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32> {
  %out = goat.attention %q, %q, %q
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      // expected-error @+1 {{(C2) expected left, right or a dilation but got none; drop the mask, which lets everything pass}}
      %m = goat.window_mask %b, %i, %j
      goat.yield %m : i1
    } : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> (tensor<1x1x4x8xf32>)
  return %out : tensor<1x1x4x8xf32>
}

// -----

// (C3) a width that a position plus it may wrap
func.func @wide(%q: tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32> {
  %out = goat.attention %q, %q, %q
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %w = arith.constant 1073741824 : i32
      // expected-error @+1 {{(C3) expected right to lie between -2^30 and 2^30 but got 1073741824; leave it out for a window without end}}
      %m = goat.window_mask %b, %i, %j right(%w)
      goat.yield %m : i1
    } : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> (tensor<1x1x4x8xf32>)
  return %out : tensor<1x1x4x8xf32>
}

// -----

// (C4) no distance is a multiple of 0
func.func @undilated(%q: tensor<1x1x4x8xf32>, %w: i32) -> tensor<1x1x4x8xf32> {
  %out = goat.attention %q, %q, %q
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      // expected-error @+1 {{(C4) expected a positive dilation but got 0}}
      %m = goat.window_mask %b, %i, %j left(%w) dilation 0
      goat.yield %m : i1
    } : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> (tensor<1x1x4x8xf32>)
  return %out : tensor<1x1x4x8xf32>
}
