// Two functions, so two kernels.
func.func @full(%q: tensor<1x1x64x64xf16>, %k: tensor<1x1x64x64xf16>, %v: tensor<1x1x64x64xf16>)
    -> tensor<1x1x64x64xf16> {
  %out = goat.attention %q, %k, %v
    : (tensor<1x1x64x64xf16>, tensor<1x1x64x64xf16>, tensor<1x1x64x64xf16>) -> (tensor<1x1x64x64xf16>)
  return %out : tensor<1x1x64x64xf16>
}
func.func @causal(%q: tensor<1x1x64x64xf16>, %k: tensor<1x1x64x64xf16>, %v: tensor<1x1x64x64xf16>)
    -> tensor<1x1x64x64xf16> {
  %out = goat.attention %q, %k, %v
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    } : (tensor<1x1x64x64xf16>, tensor<1x1x64x64xf16>, tensor<1x1x64x64xf16>) -> (tensor<1x1x64x64xf16>)
  return %out : tensor<1x1x64x64xf16>
}
