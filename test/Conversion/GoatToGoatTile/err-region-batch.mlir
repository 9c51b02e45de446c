// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile --split-input-file --verify-diagnostics=only-expected
// Positions of another batch entry than the one at hand.

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected the batch coordinate of the region as the batch entry; a kernel's block knows the offsets of its own only}}
    %x = goat.query_position %c0, %i
    %n = arith.index_cast %x : index to i32
    %p = arith.sitofp %n : i32 to f32
    %t = arith.addf %s, %p : f32
    goat.yield %t : f32
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected the batch coordinate of the region as the batch entry; a kernel's block knows the offsets of its own only}}
    %x = goat.key_position %c0, %j
    %n = arith.index_cast %x : index to i32
    %p = arith.sitofp %n : i32 to f32
    %t = arith.addf %s, %p : f32
    goat.yield %t : f32
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %c0 = arith.constant 0 : index
    // expected-error @below {{expected the batch coordinate of the region as the batch entry; a kernel's block knows the offsets of its own only}}
    %x = goat.distance %c0, %i, %j
    %n = arith.index_cast %x : index to i32
    %p = arith.sitofp %n : i32 to f32
    %t = arith.addf %s, %p : f32
    goat.yield %t : f32
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}
