// Sliding tile attention on a video of 4 × 8 × 8 in tiles of 2 × 4 × 4.
// From: attention-gym, masks/sta.
// Run: --size B=1 --size Lq=130 --size Lk=262

func.func @sliding_tile_3d(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %n = arith.constant 32 : index
      %vision = arith.constant 256 : index
      %end = arith.constant 262 : index
      %ti = arith.divui %i, %n : index
      %tj = arith.divui %j, %n : index
      %inner0 = arith.constant 4 : index
      %i0 = arith.divui %ti, %inner0 : index
      %ir0 = arith.remui %ti, %inner0 : index
      %j0 = arith.divui %tj, %inner0 : index
      %jr0 = arith.remui %tj, %inner0 : index
      %left0 = arith.constant 0 : index
      %right0 = arith.constant 0 : index
      %most0 = arith.constant 1 : index
      %l0 = arith.maxsi %i0, %left0 : index
      %c0 = arith.minsi %l0, %most0 : index
      %from0 = arith.subi %c0, %left0 : index
      %to0 = arith.addi %c0, %right0 : index
      %ge0 = arith.cmpi sge, %j0, %from0 : index
      %le0 = arith.cmpi sle, %j0, %to0 : index
      %m0 = arith.andi %ge0, %le0 : i1
      %inner1 = arith.constant 2 : index
      %i1 = arith.divui %ir0, %inner1 : index
      %ir1 = arith.remui %ir0, %inner1 : index
      %j1 = arith.divui %jr0, %inner1 : index
      %jr1 = arith.remui %jr0, %inner1 : index
      %left1 = arith.constant 1 : index
      %right1 = arith.constant 0 : index
      %most1 = arith.constant 1 : index
      %l1 = arith.maxsi %i1, %left1 : index
      %c1 = arith.minsi %l1, %most1 : index
      %from1 = arith.subi %c1, %left1 : index
      %to1 = arith.addi %c1, %right1 : index
      %ge1 = arith.cmpi sge, %j1, %from1 : index
      %le1 = arith.cmpi sle, %j1, %to1 : index
      %m1 = arith.andi %ge1, %le1 : i1
      %inner2 = arith.constant 1 : index
      %i2 = arith.divui %ir1, %inner2 : index
      %ir2 = arith.remui %ir1, %inner2 : index
      %j2 = arith.divui %jr1, %inner2 : index
      %jr2 = arith.remui %jr1, %inner2 : index
      %left2 = arith.constant 0 : index
      %right2 = arith.constant 0 : index
      %most2 = arith.constant 1 : index
      %l2 = arith.maxsi %i2, %left2 : index
      %c2 = arith.minsi %l2, %most2 : index
      %from2 = arith.subi %c2, %left2 : index
      %to2 = arith.addi %c2, %right2 : index
      %ge2 = arith.cmpi sge, %j2, %from2 : index
      %le2 = arith.cmpi sle, %j2, %to2 : index
      %m2 = arith.andi %ge2, %le2 : i1
      %a1 = arith.andi %m0, %m1 : i1
      %a2 = arith.andi %a1, %m2 : i1
      %iv = arith.cmpi slt, %i, %vision : index
      %jv = arith.cmpi slt, %j, %vision : index
      %both = arith.andi %iv, %jv : i1
      %seen = arith.andi %both, %a2 : i1
      %je = arith.cmpi slt, %j, %end : index
      %jt0 = arith.cmpi sge, %j, %vision : index
      %jt = arith.andi %jt0, %je : i1
      %vt = arith.andi %iv, %jt : i1
      %it = arith.cmpi sge, %i, %vision : index
      %ta = arith.andi %it, %je : i1
      %o1 = arith.ori %seen, %vt : i1
      %m = arith.ori %o1, %ta : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
