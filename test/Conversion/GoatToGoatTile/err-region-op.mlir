// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile --split-input-file --verify-diagnostics=only-expected
// Ops in a region that cannot be evaluated on a tile.

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  %true = arith.constant true
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @below {{expected ops with a tile form in a region but got scf.if; use arith, math, tensor.extract and goat ops, or implement goat::PluginOpInterface}}
    %t = scf.if %true -> f32 {
      scf.yield %s : f32
    } else {
      %n = arith.negf %s : f32
      scf.yield %n : f32
    }
    goat.yield %t : f32
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}

// -----

func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @below {{expected ops with a tile form in a region but got math.sincos; use arith, math, tensor.extract and goat ops, or implement goat::PluginOpInterface}}
    %x, %t = math.sincos %s : f32
    goat.yield %t : f32
  } : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}
