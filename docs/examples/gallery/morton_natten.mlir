// Neighbourhood attention on an image stored along a Morton curve.
// From: attention-gym, masks/natten.
// Run: --size B=1 --size Lq=130 --size Lk=256

func.func @morton_natten(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m5 = arith.constant 0x55555555 : i32
      %m3 = arith.constant 0x33333333 : i32
      %mf = arith.constant 0x0F0F0F0F : i32
      %mff = arith.constant 0x00FF00FF : i32
      %mffff = arith.constant 0x0000FFFF : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %c4 = arith.constant 4 : i32
      %c8 = arith.constant 8 : i32
      %ni = arith.index_cast %i : index to i32
      %nj = arith.index_cast %j : index to i32
      %ni1 = arith.shrui %ni, %c1 : i32
      %nj1 = arith.shrui %nj, %c1 : i32
      %xia = arith.andi %ni, %m5 : i32
      %xis0 = arith.shrui %xia, %c1 : i32
      %xio0 = arith.ori %xia, %xis0 : i32
      %xin0 = arith.andi %xio0, %m3 : i32
      %xis1 = arith.shrui %xin0, %c2 : i32
      %xio1 = arith.ori %xin0, %xis1 : i32
      %xin1 = arith.andi %xio1, %mf : i32
      %xis2 = arith.shrui %xin1, %c4 : i32
      %xio2 = arith.ori %xin1, %xis2 : i32
      %xin2 = arith.andi %xio2, %mff : i32
      %xis3 = arith.shrui %xin2, %c8 : i32
      %xio3 = arith.ori %xin2, %xis3 : i32
      %xin3 = arith.andi %xio3, %mffff : i32
      %yia = arith.andi %ni1, %m5 : i32
      %yis0 = arith.shrui %yia, %c1 : i32
      %yio0 = arith.ori %yia, %yis0 : i32
      %yin0 = arith.andi %yio0, %m3 : i32
      %yis1 = arith.shrui %yin0, %c2 : i32
      %yio1 = arith.ori %yin0, %yis1 : i32
      %yin1 = arith.andi %yio1, %mf : i32
      %yis2 = arith.shrui %yin1, %c4 : i32
      %yio2 = arith.ori %yin1, %yis2 : i32
      %yin2 = arith.andi %yio2, %mff : i32
      %yis3 = arith.shrui %yin2, %c8 : i32
      %yio3 = arith.ori %yin2, %yis3 : i32
      %yin3 = arith.andi %yio3, %mffff : i32
      %xja = arith.andi %nj, %m5 : i32
      %xjs0 = arith.shrui %xja, %c1 : i32
      %xjo0 = arith.ori %xja, %xjs0 : i32
      %xjn0 = arith.andi %xjo0, %m3 : i32
      %xjs1 = arith.shrui %xjn0, %c2 : i32
      %xjo1 = arith.ori %xjn0, %xjs1 : i32
      %xjn1 = arith.andi %xjo1, %mf : i32
      %xjs2 = arith.shrui %xjn1, %c4 : i32
      %xjo2 = arith.ori %xjn1, %xjs2 : i32
      %xjn2 = arith.andi %xjo2, %mff : i32
      %xjs3 = arith.shrui %xjn2, %c8 : i32
      %xjo3 = arith.ori %xjn2, %xjs3 : i32
      %xjn3 = arith.andi %xjo3, %mffff : i32
      %yja = arith.andi %nj1, %m5 : i32
      %yjs0 = arith.shrui %yja, %c1 : i32
      %yjo0 = arith.ori %yja, %yjs0 : i32
      %yjn0 = arith.andi %yjo0, %m3 : i32
      %yjs1 = arith.shrui %yjn0, %c2 : i32
      %yjo1 = arith.ori %yjn0, %yjs1 : i32
      %yjn1 = arith.andi %yjo1, %mf : i32
      %yjs2 = arith.shrui %yjn1, %c4 : i32
      %yjo2 = arith.ori %yjn1, %yjs2 : i32
      %yjn2 = arith.andi %yjo2, %mff : i32
      %yjs3 = arith.shrui %yjn2, %c8 : i32
      %yjo3 = arith.ori %yjn2, %yjs3 : i32
      %yjn3 = arith.andi %yjo3, %mffff : i32
      %r = arith.constant 2 : i32
      %most = arith.constant 13 : i32
      %lx = arith.maxsi %xin3, %r : i32
      %cx = arith.minsi %lx, %most : i32
      %ly = arith.maxsi %yin3, %r : i32
      %cy = arith.minsi %ly, %most : i32
      %dx = arith.subi %cx, %xjn3 : i32
      %dy = arith.subi %cy, %yjn3 : i32
      %ax = math.absi %dx : i32
      %ay = math.absi %dy : i32
      %mx = arith.cmpi sle, %ax, %r : i32
      %my = arith.cmpi sle, %ay, %r : i32
      %m = arith.andi %mx, %my : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
