// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile --split-input-file --verify-diagnostics -o /dev/null
// What is slow is said at its place.

func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>) -> tensor<?x4x?x64xbf16> {
  // expected-remark @below {{evaluates the score region element by element, as it is not the score plus terms; such a sum starts the accumulator of the multiply instead}}
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %t = math.tanh %s : f32
      goat.yield %t : f32
    } : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>) -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}

// -----

func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>, %bias: tensor<4x?x?xf32>) -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      // expected-remark @below {{evaluates this term of the score element by element, as it varies with query and key other than by their distance, or by few differences i / c − j / c and i mod c − j mod c}}
      %p = tensor.extract %bias[%h, %i, %j] : tensor<4x?x?xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    } : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>) -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}

// -----

func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>, %scale: f32, %u: tensor<4x?xf32>) -> tensor<?x4x?x64xbf16> {
  // expected-remark @below {{adds the score's terms after the multiply, as the scale is not a constant between 1e-5 and 1e5; with one they start its accumulator}}
  %out = goat.attention %q, %k, %v scale(%scale)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %p = goat.key_prior %u at (%b, %h, %j) : tensor<4x?xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    } : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>) -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}

// -----

// Nothing is slow here.
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>, %u: tensor<4x?xf32>) -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %p = goat.key_prior %u at (%b, %h, %j) : tensor<4x?xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    } : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>) -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
