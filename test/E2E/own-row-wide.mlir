// RUN: goat-run %s --compare --target=sm_80 --size B=1 --size Lq=20 --size Lk=20
// RUN: goat-run %s --compare --target=sm_90 --size B=2 --size Lq=3 --size Lk=70
// An own row that is computed in 64 bits; some are outside, on either side, and one
// would be inside if 32 bits of it counted.

func.func @layer(%query: tensor<?x2x?x16xbf16>, %key: tensor<?x1x?x16xbf16>, %value: tensor<?x1x?x16xbf16>)
    -> (tensor<?x2x?x16xbf16> {goat.name = "out"}) {
  %out = goat.attention %query, %key, %value
    exclude {
    ^bb0(%y: tensor<16xf32>, %own: tensor<16xf32>, %b: index, %h: index, %i: index):
      %z = goat.xsa %y, %own : tensor<16xf32>
      goat.yield %z : tensor<16xf32>
    } own {
    ^bb0(%b: index, %h: index, %i: index):
      %zero = arith.constant 0 : index
      %big = arith.constant 65536 : index
      %one = arith.constant 1 : index
      %two = arith.constant 2 : index
      %five = arith.constant 5 : index
      %r = arith.remui %i, %two : index
      %q = arith.divui %i, %five : index
      %isOne = arith.cmpi eq, %q, %one : index
      %half = arith.select %isOne, %big, %zero : index
      %far = arith.muli %half, %big : index
      %more = arith.addi %far, %r : index
      %n = arith.muli %i, %two : index
      %m = arith.subi %n, %five : index
      %o = arith.addi %m, %more : index
      goat.yield %o : index
    } : (tensor<?x2x?x16xbf16>, tensor<?x1x?x16xbf16>, tensor<?x1x?x16xbf16>) -> (tensor<?x2x?x16xbf16>)
  return %out : tensor<?x2x?x16xbf16>
}
