// RUN: goat-run %s --function=coarse --compare --perturb --size B=1 --size Lq=130 --size Lk=130 --target=sm_80
// RUN: goat-run %s --function=exact --compare --perturb --size B=1 --size Lq=130 --size Lk=130
// RUN: goat-run %s --function=half --compare --perturb --size B=1 --size Lq=130 --size Lk=130
// RUN: goat-run %s --function=half --compare --perturb --size B=1 --size Lq=70 --size Lk=70 --strip=tile --key-source=tile --seed 1

// A soft cap is right with approximations as bad as they may be: the processor's tanh
// where nothing finer than bf16 is asked for, a quotient for an lse and for f16; and with a
// cap that is known at run time only.

func.func @coarse(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %u: tensor<2x?xf32>) -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %a = goat.alibi at (%h) distance %d
      %uj = goat.key_prior %u at (%b, %h, %j) : tensor<2x?xf32>
      %c = arith.constant 20.0 : f32
      %capped = goat.softcap %s, %c
      %s1 = arith.addf %capped, %a : f32
      %t = arith.addf %s1, %uj : f32
      goat.yield %t : f32
    } : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}

func.func @exact(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %u: tensor<2x?xf32>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %a = goat.alibi at (%h) distance %d
      %uj = goat.key_prior %u at (%b, %h, %j) : tensor<2x?xf32>
      %c = arith.constant 20.0 : f32
      %capped = goat.softcap %s, %c
      %s1 = arith.addf %capped, %a : f32
      %t = arith.addf %s1, %uj : f32
      goat.yield %t : f32
    } : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}

func.func @half(%query: tensor<?x4x?x64xf16>, %key: tensor<?x2x?x64xf16>,
    %value: tensor<?x2x?x64xf16>, %caps: tensor<4xf32>, %u: tensor<2x?xf32>) -> tensor<?x4x?x64xf16> {
  %out = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %x = tensor.extract %caps[%h] : tensor<4xf32>
      %a = math.absf %x : f32
      %one = arith.constant 1.0 : f32
      %c = arith.addf %a, %one : f32
      %uj = goat.key_prior %u at (%b, %h, %j) : tensor<2x?xf32>
      %capped = goat.softcap %s, %c
      %t = arith.addf %capped, %uj : f32
      goat.yield %t : f32
    } : (tensor<?x4x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>) -> (tensor<?x4x?x64xf16>)
  return %out : tensor<?x4x?x64xf16>
}
