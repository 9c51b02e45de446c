// RUN: goat-opt %s --goat-choose-schedule --convert-goat-to-goat-tile | FileCheck %s
// The own region says which value row is a row's own.

// CHECK-LABEL: gpu.func @layer
// CHECK:       %[[OWN:.*]] = goat_tile.load {{.*}} -> tensor<128xi32
// CHECK:       arith.cmpi ult, %[[OWN]]
// CHECK:       goat_tile.load_rows %{{.*}}[%[[OWN]]]
func.func @layer(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %v: tensor<?x4x?x64xbf16>,
    %ids: tensor<?x?xi32>)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    exclude {
    ^bb0(%y: tensor<64xf32>, %own: tensor<64xf32>, %b: index, %h: index, %i: index):
      %z = goat.xsa %y, %own : tensor<64xf32>
      goat.yield %z : tensor<64xf32>
    }
    own {
    ^bb0(%b: index, %h: index, %i: index):
      %n = tensor.extract %ids[%b, %i] : tensor<?x?xi32>
      %o = arith.index_cast %n : i32 to index
      goat.yield %o : index
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
