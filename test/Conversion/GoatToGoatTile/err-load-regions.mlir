// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile --split-input-file --verify-diagnostics
// Rows that no kernel can read in another order.

func.func @exclusion(%q: tensor<1x1x8x16xbf16>) -> tensor<1x1x8x16xbf16> {
  %out = goat.attention %q, %q, %q exclude {
  ^bb0(%y: tensor<16xf32>, %own: tensor<16xf32>, %b: index, %h: index, %i: index):
    %c = goat.columns : tensor<16xi32>
    // expected-error @below {{expected goat.gather_row of a captured vector, or in a load region; the row of an exclusion is in registers and has no other order}}
    %g = goat.gather_row %y[%c] : tensor<16xf32>, tensor<16xi32> -> tensor<16xf32>
    goat.yield %g : tensor<16xf32>
  } : (tensor<1x1x8x16xbf16>, tensor<1x1x8x16xbf16>, tensor<1x1x8x16xbf16>) -> (tensor<1x1x8x16xbf16>)
  return %out : tensor<1x1x8x16xbf16>
}

// -----

func.func @varying(%q: tensor<1x1x8x16xbf16>) -> tensor<1x1x8x16xbf16> {
  %out = goat.attention %q, %q, %q load_q {
  ^bb0(%row: tensor<16xf32>, %b: index, %h: index, %i: index):
    %c = goat.columns : tensor<16xi32>
    %n = arith.index_cast %i : index to i32
    %s = tensor.splat %n : tensor<16xi32>
    %d = arith.subi %c, %s : tensor<16xi32>
    // expected-error @below {{expected columns that are the same for every row; gather a captured vector instead}}
    %g = goat.gather_row %row[%d] : tensor<16xf32>, tensor<16xi32> -> tensor<16xf32>
    goat.yield %g : tensor<16xf32>
  } : (tensor<1x1x8x16xbf16>, tensor<1x1x8x16xbf16>, tensor<1x1x8x16xbf16>) -> (tensor<1x1x8x16xbf16>)
  return %out : tensor<1x1x8x16xbf16>
}

// -----

func.func @few_queries(%q: tensor<1x1x8x16xbf16>, %k: tensor<1x1x?x16xbf16>) -> tensor<1x1x8x16xbf16> {
  // expected-remark @below {{writes all key rows to memory once more for load_k, for 8 queries; keep a cache of keys that are transformed already}}
  %out = goat.attention %q, %k, %k load_k {
  ^bb0(%row: tensor<16xf32>, %b: index, %h: index, %j: index):
    %n = goat.l2_norm %row : tensor<16xf32>
    goat.yield %n : tensor<16xf32>
  } : (tensor<1x1x8x16xbf16>, tensor<1x1x?x16xbf16>, tensor<1x1x?x16xbf16>) -> (tensor<1x1x8x16xbf16>)
  return %out : tensor<1x1x8x16xbf16>
}
