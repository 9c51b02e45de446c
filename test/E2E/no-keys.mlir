// RUN: goat-run %s --compare --strip=block --size B=1 --size Lq=3
// RUN: goat-run %s --compare --strip=tile --size B=1 --size Lq=3
// RUN: goat-run %s --compare --strip=table --size B=1 --size Lq=3
// A layer whose type has no keys: a strip of no tile is still one that can be read.

func.func @layer(%query: tensor<?x1x?x16xbf16>, %key: tensor<?x1x0x16xbf16>, %value: tensor<?x1x0x16xbf16>,
    %alpha: tensor<1x2xf32>, %omega: tensor<2xf32>) -> (tensor<?x1x?x16xbf16> {goat.name = "out"}) {
  %out = goat.attention %query, %key, %value score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %d = goat.distance %b, %i, %j
    %k = goat.fourier_prior %alpha, %alpha, %omega at (%b, %h) distance %d : tensor<1x2xf32>, tensor<1x2xf32>, tensor<2xf32>
    %t = arith.addf %s, %k : f32
    goat.yield %t : f32
  } : (tensor<?x1x?x16xbf16>, tensor<?x1x0x16xbf16>, tensor<?x1x0x16xbf16>) -> (tensor<?x1x?x16xbf16>)
  return %out : tensor<?x1x?x16xbf16>
}
