// RUN: goat-opt %s | goat-opt | FileCheck %s
// RUN: goat-opt %s --emit-bytecode | goat-opt | FileCheck %s
// The masks of the dialect, with and without what they can be told.

// CHECK-LABEL: func.func @masks
// CHECK: goat.window_mask {{%.*}}, {{%.*}}, {{%.*}} left({{%.*}}) right({{%.*}})
// CHECK: goat.window_mask {{%.*}}, {{%.*}}, {{%.*}} right({{%.*}}) dilation 3
// CHECK: goat.window_mask {{%.*}}, {{%.*}}, {{%.*}} dilation 2
// CHECK: goat.prefix_mask {{%.*}}, {{%.*}} length({{%.*}})
// CHECK: goat.document_mask sorted {{%.*}}, {{%.*}} at({{%.*}}, {{%.*}}, {{%.*}}) : tensor<2x4xi32>, tensor<2x6xi32>
// CHECK: goat.document_mask {{%.*}}, {{%.*}} at({{%.*}}, {{%.*}}, {{%.*}}) : tensor<4xi32>, tensor<6xi32>
// CHECK: goat.neighborhood_mask {{%.*}}, {{%.*}}, {{%.*}} grid [2, 3] kernel [1, 3]
func.func @masks(%q: tensor<2x2x4x8xf32>, %k: tensor<2x2x6x8xf32>, %w: i32,
    %qids: tensor<2x4xi32>, %kids: tensor<2x6xi32>,
    %qrow: tensor<4xi32>, %krow: tensor<6xi32>) -> tensor<2x2x4x8xf32> {
  %out = goat.attention %q, %k, %k
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m0 = goat.window_mask %b, %i, %j left(%w) right(%w)
      %m1 = goat.window_mask %b, %i, %j right(%w) dilation 3
      %m2 = goat.window_mask %b, %i, %j dilation 2
      %m3 = goat.prefix_mask %b, %j length(%w)
      %m4 = goat.document_mask sorted %qids, %kids at(%b, %i, %j) : tensor<2x4xi32>, tensor<2x6xi32>
      %m5 = goat.document_mask %qrow, %krow at(%b, %i, %j) : tensor<4xi32>, tensor<6xi32>
      %m6 = goat.neighborhood_mask %b, %i, %j grid [2, 3] kernel [1, 3]
      %a = arith.ori %m0, %m1 : i1
      %c = arith.ori %m2, %m3 : i1
      %d = arith.ori %m4, %m5 : i1
      %e = arith.andi %a, %c : i1
      %f = arith.andi %d, %m6 : i1
      %m = arith.andi %e, %f : i1
      goat.yield %m : i1
    } : (tensor<2x2x4x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x8xf32>) -> (tensor<2x2x4x8xf32>)
  return %out : tensor<2x2x4x8xf32>
}
