// RUN: goat-run %s --on=sim --size B=1 --size Lq=66 --size Lk=66 --arg at=%S/Inputs/index-outside.npy | FileCheck %s
// RUN: not goat-run %s --on=reference --size B=1 --size Lq=66 --size Lk=66 --arg at=%S/Inputs/index-outside.npy 2>&1 | FileCheck %s --check-prefix=REFERENCE
// CHECK: 0 findings
// REFERENCE: expected index 0 to lie in [0, 8) but got {{-1|8|4000000000}}

// An index that a region computes may lead outside of a captured tensor. A kernel
// then reads nothing; the reference names the index.

func.func @outside(%query: tensor<?x1x?x32xbf16>, %key: tensor<?x1x?x32xbf16>, %value: tensor<?x1x?x32xbf16>,
    %at: tensor<?xi64> {goat.name = "at"}, %table: tensor<8xf32>) -> tensor<?x1x?x32xbf16> {
  %out = goat.attention %query, %key, %value score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %n = tensor.extract %at[%i] : tensor<?xi64>
    %x = arith.index_cast %n : i64 to index
    %p = tensor.extract %table[%x] : tensor<8xf32>
    %m = tensor.extract %at[%j] : tensor<?xi64>
    %y = arith.index_cast %m : i64 to index
    %q = tensor.extract %table[%y] : tensor<8xf32>
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    goat.yield %t : f32
  } : (tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>, tensor<?x1x?x32xbf16>) -> (tensor<?x1x?x32xbf16>)
  return %out : tensor<?x1x?x32xbf16>
}
