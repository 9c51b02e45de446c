// Swin: b[h, Δy + 11, Δx + 11] in a window of 12 × 12.
// From: Swin Transformer, arXiv 2103.14030.
// Run: --size B=1 --size Lq=144 --size Lk=144

func.func @swin(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %table: tensor<4x23x23xf32>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %w = arith.constant 12 : index
      %xi = arith.divui %i, %w : index
      %yi = arith.remui %i, %w : index
      %xj = arith.divui %j, %w : index
      %yj = arith.remui %j, %w : index
      %r = arith.constant 11 : index
      %dx = arith.subi %xi, %xj : index
      %dy = arith.subi %yi, %yj : index
      %ax = arith.addi %dx, %r : index
      %ay = arith.addi %dy, %r : index
      %p = tensor.extract %table[%h, %ax, %ay] : tensor<4x23x23xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
