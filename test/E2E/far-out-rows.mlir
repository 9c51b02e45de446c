// RUN: goat-run %s --function=rows --compare --size B=1 --size Lq=70 --size Lk=200
// RUN: goat-run %s --function=prefix --compare --size B=1 --size Lq=70 --size Lk=200
// RUN: goat-run %s --function=up --compare --size Lq=20 --size Lk=200
// RUN: goat-run %s --function=down --compare --size Lq=20 --size Lk=200
// Finite mask values far beyond what f32 can scale: a row of nothing but −1e25 is the
// mean of the values, and one that begins with them forgets them at the first score
// that is near. Rows of both kinds share their warps with ordinary ones.

func.func @rows(%query: tensor<?x2x?x64xbf16>, %key: tensor<?x2x?x64xbf16>, %value: tensor<?x2x?x64xbf16>)
    -> (tensor<?x2x?x64xbf16> {goat.name = "out"}) {
  %out = goat.attention %query, %key, %value
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %three = arith.constant 3 : index
      %zero = arith.constant 0 : index
      %rest = arith.remui %i, %three : index
      %masked = arith.cmpi eq, %rest, %zero : index
      %low = arith.constant -1.0e+25 : f32
      %none = arith.constant 0.0 : f32
      %bias = arith.select %masked, %low, %none : f32
      %t = arith.addf %s, %bias : f32
      goat.yield %t : f32
    } : (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>)
      -> (tensor<?x2x?x64xbf16>)
  return %out : tensor<?x2x?x64xbf16>
}

func.func @prefix(%query: tensor<?x2x?x64xbf16>, %key: tensor<?x2x?x64xbf16>, %value: tensor<?x2x?x64xbf16>)
    -> (tensor<?x2x?x64xbf16> {goat.name = "out"}, tensor<?x2x?xf32> {goat.name = "lse"}) {
  %out, %lse = goat.attention %query, %key, %value
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %three = arith.constant 3 : index
      %zero = arith.constant 0 : index
      %first = arith.constant 120 : index
      %rest = arith.remui %i, %three : index
      %row = arith.cmpi eq, %rest, %zero : index
      %early = arith.cmpi ult, %j, %first : index
      %masked = arith.andi %row, %early : i1
      %low = arith.constant -1.0e+25 : f32
      %t = arith.select %masked, %low, %s : f32
      goat.yield %t : f32
    } : (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>)
      -> (tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>)
  return %out, %lse : tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>
}

// The maximum crosses ±2^24 / log2(e), from where on weights are taken from a
// difference, so what was added up before is rescaled from one kind to the other.

func.func @up(%query: tensor<1x1x?x16xf32>, %key: tensor<1x1x?x16xf32>, %value: tensor<1x1x?x16xf32>)
    -> (tensor<1x1x?x16xf32> {goat.name = "out"}) {
  %out = goat.attention %query, %key, %value
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %first = arith.constant 120 : index
      %four = arith.constant 4 : index
      %early = arith.cmpi ult, %j, %first : index
      %low = arith.constant 11629075.0 : f32
      %high = arith.constant 11629081.0 : f32
      %base = arith.select %early, %low, %high : f32
      %rest = arith.remui %j, %four : index
      %i32 = arith.index_cast %rest : index to i32
      %step = arith.sitofp %i32 : i32 to f32
      %t = arith.addf %base, %step : f32
      goat.yield %t : f32
    } : (tensor<1x1x?x16xf32>, tensor<1x1x?x16xf32>, tensor<1x1x?x16xf32>)
      -> (tensor<1x1x?x16xf32>)
  return %out : tensor<1x1x?x16xf32>
}

func.func @down(%query: tensor<1x1x?x16xf32>, %key: tensor<1x1x?x16xf32>, %value: tensor<1x1x?x16xf32>)
    -> (tensor<1x1x?x16xf32> {goat.name = "out"}) {
  %out = goat.attention %query, %key, %value
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %first = arith.constant 120 : index
      %four = arith.constant 4 : index
      %early = arith.cmpi ult, %j, %first : index
      %low = arith.constant -11629085.0 : f32
      %high = arith.constant -11629078.0 : f32
      %base = arith.select %early, %low, %high : f32
      %rest = arith.remui %j, %four : index
      %i32 = arith.index_cast %rest : index to i32
      %step = arith.sitofp %i32 : i32 to f32
      %t = arith.addf %base, %step : f32
      goat.yield %t : f32
    } : (tensor<1x1x?x16xf32>, tensor<1x1x?x16xf32>, tensor<1x1x?x16xf32>)
      -> (tensor<1x1x?x16xf32>)
  return %out : tensor<1x1x?x16xf32>
}
