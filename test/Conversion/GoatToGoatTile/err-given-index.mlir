// RUN: goat-opt %s -split-input-file -verify-diagnostics --goat-choose-schedule
// A given index of tiles has the tiles' size, a mask it belongs to, and one shape.

// expected-error@+1 {{expected goat.mask_index to be array<i64: rows, keys> of a tile but got 64 : i64}}
func.func @attribute(%q: tensor<1x2x200x64xbf16>, %classes: tensor<1x1x4x7xi8> {goat.mask_index = 64 : i64}) -> tensor<1x2x200x64xbf16> {
  %out = goat.attention %q, %q, %q mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %m = goat.causal_mask %b, %i, %j
    goat.yield %m : i1
  } : (tensor<1x2x200x64xbf16>, tensor<1x2x200x64xbf16>, tensor<1x2x200x64xbf16>) -> (tensor<1x2x200x64xbf16>)
  return %out : tensor<1x2x200x64xbf16>
}

// -----

// expected-error@+1 {{expected goat.mask_index on one argument but got it on 1 and 2; drop one}}
func.func @twice(%q: tensor<1x2x200x64xbf16>, %classes: tensor<1x1x4x7xi8> {goat.mask_index = array<i64: 64, 32>}, %others: tensor<1x1x4x7xi8> {goat.mask_index = array<i64: 64, 32>}) -> tensor<1x2x200x64xbf16> {
  %out = goat.attention %q, %q, %q mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %m = goat.causal_mask %b, %i, %j
    goat.yield %m : i1
  } : (tensor<1x2x200x64xbf16>, tensor<1x2x200x64xbf16>, tensor<1x2x200x64xbf16>) -> (tensor<1x2x200x64xbf16>)
  return %out : tensor<1x2x200x64xbf16>
}

// -----

// expected-error@+1 {{expected a mask region for goat.mask_index; drop the argument, without a mask every tile is full}}
func.func @no_mask(%q: tensor<1x2x200x64xbf16>, %classes: tensor<1x1x4x7xi8> {goat.mask_index = array<i64: 64, 32>}) -> tensor<1x2x200x64xbf16> {
  %out = goat.attention %q, %q, %q
    : (tensor<1x2x200x64xbf16>, tensor<1x2x200x64xbf16>, tensor<1x2x200x64xbf16>) -> (tensor<1x2x200x64xbf16>)
  return %out : tensor<1x2x200x64xbf16>
}

// -----

// expected-error@+1 {{expected the classes of tiles that goat.mask_index gives to be 'tensor<1x2x4x7xi8>', with 1 in place of any of the first two sizes, but got 'tensor<1x1x7x4xi8>'}}
func.func @shape(%q: tensor<1x2x200x64xbf16>, %classes: tensor<1x1x7x4xi8> {goat.mask_index = array<i64: 64, 32>}) -> tensor<1x2x200x64xbf16> {
  %out = goat.attention %q, %q, %q mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %m = goat.causal_mask %b, %i, %j
    goat.yield %m : i1
  } : (tensor<1x2x200x64xbf16>, tensor<1x2x200x64xbf16>, tensor<1x2x200x64xbf16>) -> (tensor<1x2x200x64xbf16>)
  return %out : tensor<1x2x200x64xbf16>
}
