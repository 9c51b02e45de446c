// RUN: goat-run %s --compare --target=sm_80 --seed 86 --size B=1 --size Lq=1 --size Lk=91
// RUN: goat-run %s --compare --target=sm_90 --size B=1 --size Lq=40 --size Lk=200
// One value column: the weights of a sigmoid, each rounded to bf16, add up to far more than
// what is left of the sum of values of both signs. The bounds know.

func.func @layer(%query: tensor<?x1x?x16xbf16>, %key: tensor<?x1x?x16xbf16>, %value: tensor<?x1x?x1xbf16>)
    -> (tensor<?x1x?x1xbf16> {goat.name = "out"}) {
  %out = goat.attention %query, %key, %value
    attributes {normalizer = #goat.normalizer<sigmoid>}
    : (tensor<?x1x?x16xbf16>, tensor<?x1x?x16xbf16>, tensor<?x1x?x1xbf16>) -> (tensor<?x1x?x1xbf16>)
  return %out : tensor<?x1x?x1xbf16>
}
