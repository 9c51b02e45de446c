// BigBird: which blocks of 16 × 16 are seen is a captured tensor of booleans.
// From: BigBird, arXiv 2007.14062.
// Run: --size B=1 --size Lq=130 --size Lk=130 --arg blocks=inputs/blocks.npy

func.func @random_blocks(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %blocks: tensor<9x9xi1>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %n = arith.constant 16 : index
      %bi = arith.divui %i, %n : index
      %bj = arith.divui %j, %n : index
      %m = tensor.extract %blocks[%bi, %bj] : tensor<9x9xi1>
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
