// What two-launches.mlir computes.
func.func @square(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = arith.mulf %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
