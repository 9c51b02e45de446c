// RUN: rm -rf %t && goatc %s --emit=artifact --target=sm_80 -o %t
// RUN: goat-run %t --compare --size B=1 --size Lq=70 --size Lk=70 --arg cap=5.0 --arg window=9 --arg last=60 --arg first=3 --arg causal=1 --arg shift=-1 | FileCheck %s
// RUN: goat-run %t --compare --size B=1 --size Lq=70 --size Lk=70 --arg cap=0.5 --arg window=70 --arg last=5000000000 --arg first=0 --arg causal=0 --arg shift=2 --seed 1 | FileCheck %s
// CHECK: out: {{.*}}: right
// CHECK: 0 findings

// Captured scalars are values of the call: one artifact serves all of them. Each
// type that a scalar may have.

func.func @scalars(%query: tensor<?x2x?x32xbf16>, %key: tensor<?x2x?x32xbf16>, %value: tensor<?x2x?x32xbf16>,
    %cap: f32 {goat.name = "cap"}, %window: i32 {goat.name = "window"}, %last: i64 {goat.name = "last"},
    %first: index {goat.name = "first"}, %causal: i1 {goat.name = "causal"}, %shift: i8 {goat.name = "shift"})
    -> (tensor<?x2x?x32xbf16> {goat.name = "out"}) {
  %out = goat.attention %query, %key, %value score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %c = goat.softcap %s, %cap
    %n = arith.sitofp %shift : i8 to f32
    %jn = arith.index_cast %j : index to i32
    %jf = arith.sitofp %jn : i32 to f32
    %p = arith.mulf %n, %jf : f32
    %q = math.tanh %p : f32
    %t = arith.addf %c, %q : f32
    goat.yield %t : f32
  } mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %w = arith.index_cast %window : i32 to index
    %d = goat.distance %b, %i, %j
    %a = math.absi %d : index
    %near = arith.cmpi sle, %a, %w : index
    %k = arith.index_cast %j : index to i64
    %before = arith.cmpi sle, %k, %last : i64
    %after = arith.cmpi sge, %j, %first : index
    %past = goat.causal_mask %b, %i, %j
    %true = arith.constant true
    %any = arith.xori %causal, %true : i1
    %m0 = arith.ori %past, %any : i1
    %m1 = arith.andi %m0, %near : i1
    %m2 = arith.andi %m1, %before : i1
    %m = arith.andi %m2, %after : i1
    goat.yield %m : i1
  } : (tensor<?x2x?x32xbf16>, tensor<?x2x?x32xbf16>, tensor<?x2x?x32xbf16>) -> (tensor<?x2x?x32xbf16>)
  return %out : tensor<?x2x?x32xbf16>
}
