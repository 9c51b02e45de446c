// RUN: goat-opt %s -split-input-file -verify-diagnostics
// The kernel fits the grid and has a middle.

// (C1) outside
func.func @outside(%i: index) {
  // expected-error @+1 {{(C1) expected to stand inside a region of goat.attention, whose offsets it reads}}
  %m = goat.neighborhood_mask %i, %i, %i grid [4] kernel [3]
  return
}

// -----

// (C2) as many sizes as axes
func.func @axes(%q: tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32> {
  %out = goat.attention %q, %q, %q
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      // expected-error @+1 {{(C2) expected one to three extents and as many sizes of the kernel but got 2 and 1}}
      %m = goat.neighborhood_mask %b, %i, %j grid [2, 2] kernel [1]
      goat.yield %m : i1
    } : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> (tensor<1x1x4x8xf32>)
  return %out : tensor<1x1x4x8xf32>
}

// -----

// (C3) no middle
func.func @even(%q: tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32> {
  %out = goat.attention %q, %q, %q
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      // expected-error @+1 {{(C3) expected an odd kernel size between 1 and its extent 4 but got 2}}
      %m = goat.neighborhood_mask %b, %i, %j grid [4] kernel [2]
      goat.yield %m : i1
    } : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> (tensor<1x1x4x8xf32>)
  return %out : tensor<1x1x4x8xf32>
}

// -----

// (C3) wider than the grid
func.func @wide(%q: tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32> {
  %out = goat.attention %q, %q, %q
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      // expected-error @+1 {{(C3) expected an odd kernel size between 1 and its extent 4 but got 5}}
      %m = goat.neighborhood_mask %b, %i, %j grid [4] kernel [5]
      goat.yield %m : i1
    } : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> (tensor<1x1x4x8xf32>)
  return %out : tensor<1x1x4x8xf32>
}

// -----

// (C4) more places than positions
func.func @many(%q: tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32> {
  %out = goat.attention %q, %q, %q
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      // expected-error @+1 {{(C4) expected a grid of less than 2^30 places}}
      %m = goat.neighborhood_mask %b, %i, %j grid [32768, 32768] kernel [3, 3]
      goat.yield %m : i1
    } : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> (tensor<1x1x4x8xf32>)
  return %out : tensor<1x1x4x8xf32>
}
