// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile --split-input-file --verify-diagnostics
// goat.strided on tensors that kernels take without gaps only.

// expected-error @below {{expected goat.strided on query, key, value or the first result but got it on argument 1; make that tensor contiguous}}
func.func @argument(%q: tensor<1x1x8x16xbf16>, %sink: tensor<1xf32> {goat.strided}) -> tensor<1x1x8x16xbf16> {
  %out = goat.attention %q, %q, %q sink(%sink : tensor<1xf32>)
    : (tensor<1x1x8x16xbf16>, tensor<1x1x8x16xbf16>, tensor<1x1x8x16xbf16>) -> (tensor<1x1x8x16xbf16>)
  return %out : tensor<1x1x8x16xbf16>
}

// -----

// expected-error @below {{expected goat.strided on query, key, value or the first result but got it on result 1; make that tensor contiguous}}
func.func @result(%q: tensor<1x1x8x16xbf16>) -> (tensor<1x1x8x16xbf16>, tensor<1x1x8xf32> {goat.strided}) {
  %out, %lse = goat.attention %q, %q, %q
    : (tensor<1x1x8x16xbf16>, tensor<1x1x8x16xbf16>, tensor<1x1x8x16xbf16>) -> (tensor<1x1x8x16xbf16>, tensor<1x1x8xf32>)
  return %out, %lse : tensor<1x1x8x16xbf16>, tensor<1x1x8xf32>
}
