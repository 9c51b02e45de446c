// RUN: goat-run %s --on=sim --compare --target=sm_80 --size B=2 --size Lq=70 --size Lk=70 --arg offset=%S/Inputs/left-padding.npy
// RUN: goat-run %s --on=sim --compare --target=sm_90 --size B=2 --size Lq=129 --size Lk=129 --arg offset=%S/Inputs/left-padding.npy

// Left-padded batch: both offsets are minus the padding of the entry, so that the
// first real token has position 0. Rows of padding see nothing.

func.func @left_padded_xsa(%query: tensor<?x2x?x64xbf16>, %key: tensor<?x2x?x64xbf16>, %value: tensor<?x2x?x64xbf16>,
    %offset: tensor<?xi32>)
    -> (tensor<?x2x?x64xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
      q_offset(%offset : tensor<?xi32>) k_offset(%offset : tensor<?xi32>)
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %causal = goat.causal_mask %b, %i, %j
      %position = goat.key_position %b, %j
      %zero = arith.constant 0 : index
      %real = arith.cmpi sge, %position, %zero : index
      %m = arith.andi %causal, %real : i1
      goat.yield %m : i1
    } exclude {
    ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
      %z = goat.xsa %y, %own : tensor<64xf32>
      goat.yield %z : tensor<64xf32>
    } : (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>)
     -> (tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>
}
