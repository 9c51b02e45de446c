// RUN: goat-opt %s | FileCheck %s
// Exclusions that (C14) lets pass although queries outnumber keys: one that
// does not read `own`, one that says which row it is, one whose lengths are
// known at run time only.

// CHECK-LABEL: func.func @gate
func.func @gate(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x3x8xf32>) -> tensor<1x2x4x8xf32> {
  %0 = goat.attention %q, %k, %k exclude {
  ^bb0(%y: tensor<8xf32>, %own: tensor<8xf32>, %b: index, %h: index, %i: index):
    %z = arith.mulf %y, %y : tensor<8xf32>
    goat.yield %z : tensor<8xf32>
  } : (tensor<1x2x4x8xf32>, tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) -> (tensor<1x2x4x8xf32>)
  return %0 : tensor<1x2x4x8xf32>
}

// CHECK-LABEL: func.func @own_region
// CHECK: } own {
func.func @own_region(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x3x8xf32>) -> tensor<1x2x4x8xf32> {
  %0 = goat.attention %q, %k, %k exclude {
  ^bb0(%y: tensor<8xf32>, %own: tensor<8xf32>, %b: index, %h: index, %i: index):
    %z = goat.xsa %y, %own : tensor<8xf32>
    goat.yield %z : tensor<8xf32>
  } own {
  ^bb0(%b: index, %h: index, %i: index):
    %two = arith.constant 2 : index
    %o = arith.minui %i, %two : index
    goat.yield %o : index
  } : (tensor<1x2x4x8xf32>, tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) -> (tensor<1x2x4x8xf32>)
  return %0 : tensor<1x2x4x8xf32>
}

// CHECK-LABEL: func.func @run_time
func.func @run_time(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x?x8xf32>) -> tensor<1x2x4x8xf32> {
  %0 = goat.attention %q, %k, %k exclude {
  ^bb0(%y: tensor<8xf32>, %own: tensor<8xf32>, %b: index, %h: index, %i: index):
    %z = goat.xsa %y, %own : tensor<8xf32>
    goat.yield %z : tensor<8xf32>
  } : (tensor<1x2x4x8xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>) -> (tensor<1x2x4x8xf32>)
  return %0 : tensor<1x2x4x8xf32>
}
