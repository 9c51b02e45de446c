// Neighbourhood attention, 5 × 5 in an image of 12 × 12, kept inside it, in plain ops.
// From: attention-gym, masks/natten.
// Run: --size B=1 --size Lq=144 --size Lk=144

func.func @natten_by_hand(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16> {goat.name = "out"}, tensor<?x4x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %w = arith.constant 12 : index
      %xi = arith.divui %i, %w : index
      %yi = arith.remui %i, %w : index
      %xj = arith.divui %j, %w : index
      %yj = arith.remui %j, %w : index
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
