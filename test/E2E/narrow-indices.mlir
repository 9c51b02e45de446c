// RUN: goat-run %s --compare --function=difference
// RUN: goat-run %s --compare --function=grid
// RUN: goat-run %s --compare --function=sign
// Rows in 8 bits wrap around, so that a difference of them is no function of the
// distance, nor their quotients coordinates on a grid; and true, with a sign, is -1, so
// that a quotient by it and one is not bounded.

func.func @difference(%q: tensor<1x1x256x32xbf16>, %k: tensor<1x1x256x32xbf16>, %v: tensor<1x1x256x32xbf16>)
    -> tensor<1x1x256x32xbf16> {
  %out = goat.attention %q, %k, %v score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %i8 = arith.index_cast %i : index to i8
    %j8 = arith.index_cast %j : index to i8
    %x = arith.sitofp %i8 : i8 to f32
    %y = arith.sitofp %j8 : i8 to f32
    %d = arith.subf %x, %y : f32
    %rate = arith.constant 0.01 : f32
    %angle = arith.mulf %d, %rate : f32
    %p = math.cos %angle : f32
    %t = arith.addf %s, %p : f32
    goat.yield %t : f32
  } : (tensor<1x1x256x32xbf16>, tensor<1x1x256x32xbf16>, tensor<1x1x256x32xbf16>) -> (tensor<1x1x256x32xbf16>)
  return %out : tensor<1x1x256x32xbf16>
}

func.func @grid(%q: tensor<1x1x256x32xbf16>, %k: tensor<1x1x256x32xbf16>, %v: tensor<1x1x256x32xbf16>)
    -> tensor<1x1x256x32xbf16> {
  %out = goat.attention %q, %k, %v score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %w = arith.constant 64 : i8
    %i8 = arith.index_cast %i : index to i8
    %j8 = arith.index_cast %j : index to i8
    %y = arith.divsi %i8, %w : i8
    %x = arith.divsi %j8, %w : i8
    %d = arith.subi %y, %x : i8
    %p = arith.sitofp %d : i8 to f32
    %t = arith.addf %s, %p : f32
    goat.yield %t : f32
  } : (tensor<1x1x256x32xbf16>, tensor<1x1x256x32xbf16>, tensor<1x1x256x32xbf16>) -> (tensor<1x1x256x32xbf16>)
  return %out : tensor<1x1x256x32xbf16>
}

func.func @sign(%q: tensor<1x1x32x16xf32>, %k: tensor<1x1x32x16xf32>, %v: tensor<1x1x32x16xf32>) -> tensor<1x1x32x16xf32> {
  %out = goat.attention %q, %k, %v score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %c = arith.cmpi sle, %i, %j : index
    %e = arith.sitofp %c : i1 to f32
    %one = arith.constant 1.0 : f32
    %minus = arith.constant -1.0 : f32
    %d = arith.addf %e, %one : f32
    %p = arith.divf %minus, %d : f32
    %t = arith.addf %s, %p : f32
    goat.yield %t : f32
  } : (tensor<1x1x32x16xf32>, tensor<1x1x32x16xf32>, tensor<1x1x32x16xf32>) -> (tensor<1x1x32x16xf32>)
  return %out : tensor<1x1x32x16xf32>
}
