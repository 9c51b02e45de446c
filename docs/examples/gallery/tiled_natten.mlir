// Neighbourhood attention on an image stored in tiles of 4 × 4.
// From: attention-gym, masks/natten.
// Run: --size B=1 --size Lq=144 --size Lk=144

func.func @tiled_natten(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %tile = arith.constant 16 : index
      %across = arith.constant 3 : index
      %side = arith.constant 4 : index
      %idi = arith.divui %i, %tile : index
      %tyi = arith.divui %idi, %across : index
      %txi = arith.remui %idi, %across : index
      %ini = arith.remui %i, %tile : index
      %iyi = arith.divui %ini, %side : index
      %ixi = arith.remui %ini, %side : index
      %bxi = arith.muli %txi, %side : index
      %xi = arith.addi %bxi, %ixi : index
      %byi = arith.muli %tyi, %side : index
      %yi = arith.addi %byi, %iyi : index
      %idj = arith.divui %j, %tile : index
      %tyj = arith.divui %idj, %across : index
      %txj = arith.remui %idj, %across : index
      %inj = arith.remui %j, %tile : index
      %iyj = arith.divui %inj, %side : index
      %ixj = arith.remui %inj, %side : index
      %bxj = arith.muli %txj, %side : index
      %xj = arith.addi %bxj, %ixj : index
      %byj = arith.muli %tyj, %side : index
      %yj = arith.addi %byj, %iyj : index
      %r = arith.constant 2 : index
      %most = arith.constant 9 : index
      %lx = arith.maxsi %xi, %r : index
      %cx = arith.minsi %lx, %most : index
      %ly = arith.maxsi %yi, %r : index
      %cy = arith.minsi %ly, %most : index
      %dx = arith.subi %cx, %xj : index
      %dy = arith.subi %cy, %yj : index
      %ax = math.absi %dx : index
      %ay = math.absi %dy : index
      %mx = arith.cmpi sle, %ax, %r : index
      %my = arith.cmpi sle, %ay, %r : index
      %m = arith.andi %mx, %my : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
