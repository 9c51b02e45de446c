// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile | FileCheck %s
// A prior is at least −1e25, so that only masks give −∞, and is divided by the
// scale, 1/√64, to start the accumulator.

// CHECK-LABEL: gpu.func @layer
// CHECK:       %[[LEAST:.*]] = arith.constant dense<-9.99999956E+24> : tensor<191xf32
// CHECK:       %[[CLAMPED:.*]] = arith.maximumf %{{.*}}, %[[LEAST]]
// CHECK:       %[[INVERSE:.*]] = arith.constant dense<8.000000e+00> : tensor<191xf32
// CHECK:       arith.mulf %[[CLAMPED]], %[[INVERSE]]
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %slope: f32)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %d = goat.distance %b, %i, %j
      %n = arith.index_cast %d : index to i32
      %f = arith.sitofp %n : i32 to f32
      %p = arith.mulf %slope, %f : f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
