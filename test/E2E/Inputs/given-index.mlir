// Chunks of 48 tokens, with the class of every tile of 64 queries and 32 keys from the
// caller.
func.func @chunks(%query: tensor<?x2x200x64xbf16>, %key: tensor<?x2x200x64xbf16>,
    %value: tensor<?x2x200x64xbf16>,
    %classes: tensor<1x1x4x7xi8> {goat.mask_index = array<i64: 64, 32>})
    -> (tensor<?x2x200x64xbf16>, tensor<?x2x200xf32>) {
  %out, %lse = goat.attention %query, %key, %value mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %c = arith.constant 48 : index
      %ci = arith.divui %i, %c : index
      %cj = arith.divui %j, %c : index
      %m = arith.cmpi eq, %ci, %cj : index
      goat.yield %m : i1
    } : (tensor<?x2x200x64xbf16>, tensor<?x2x200x64xbf16>, tensor<?x2x200x64xbf16>)
     -> (tensor<?x2x200x64xbf16>, tensor<?x2x200xf32>)
  return %out, %lse : tensor<?x2x200x64xbf16>, tensor<?x2x200xf32>
}

// A window that differs between heads, and lengths that are not known before.
func.func @windows(%query: tensor<?x2x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %lengths: tensor<?xi32>,
    %classes: tensor<?x2x?x?xi8> {goat.mask_index = array<i64: 64, 32>})
    -> tensor<?x2x?x64xbf16> {
  %out = goat.attention %query, %key, %value k_lengths(%lengths : tensor<?xi32>) mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %c40 = arith.constant 40 : index
      %one = arith.constant 1 : index
      %n = arith.addi %h, %one : index
      %w = arith.muli %n, %c40 : index
      %d = arith.subi %i, %j : index
      %a = math.absi %d : index
      %m = arith.cmpi sle, %a, %w : index
      goat.yield %m : i1
    } : (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>)
     -> (tensor<?x2x?x64xbf16>)
  return %out : tensor<?x2x?x64xbf16>
}
