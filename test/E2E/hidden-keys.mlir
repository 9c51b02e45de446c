// RUN: goat-run %s --compare --target=sm_80 --size B=2 --size Lq=20 --size Lk=70
// RUN: goat-run %s --compare --target=sm_90 --size B=1 --size Lq=20 --size Lk=70 --mask-index=always
// RUN: goat-run %s --compare --target=sm_90 --size B=1 --size Lq=3 --size Lk=33 --mask-index=never
// Keys that the mask hides may be NaN, from all rows or from some: six of seven here,
// and for query 1 of five those of the first ten as well.

func.func @layer(%query: tensor<?x2x?x16xbf16>, %key: tensor<?x1x?x16xbf16>, %value: tensor<?x1x?x16xbf16>)
    -> (tensor<?x2x?x16xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    load_k {
    ^bb0(%row: tensor<16xf32>, %b: index, %h: index, %j: index):
      %seven = arith.constant 7 : index
      %zero = arith.constant 0 : index
      %one = arith.constant 1.0 : f32
      %nan = arith.constant 0x7FC00000 : f32
      %r = arith.remui %j, %seven : index
      %seen = arith.cmpi eq, %r, %zero : index
      %f = arith.select %seen, %one, %nan : f32
      %w = tensor.splat %f : tensor<16xf32>
      %k = arith.mulf %row, %w : tensor<16xf32>
      goat.yield %k : tensor<16xf32>
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %five = arith.constant 5 : index
      %seven = arith.constant 7 : index
      %ten = arith.constant 10 : index
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %r = arith.remui %j, %seven : index
      %seen = arith.cmpi eq, %r, %zero : index
      %q = arith.remui %i, %five : index
      %other = arith.cmpi ne, %q, %one : index
      %late = arith.cmpi sge, %j, %ten : index
      %there = arith.ori %other, %late : i1
      %m = arith.andi %seen, %there : i1
      goat.yield %m : i1
    } : (tensor<?x2x?x16xbf16>, tensor<?x1x?x16xbf16>, tensor<?x1x?x16xbf16>) -> (tensor<?x2x?x16xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x16xbf16>, tensor<?x2x?xf32>
}
