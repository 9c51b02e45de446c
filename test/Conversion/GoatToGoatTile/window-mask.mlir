// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64 strip=tile key-terms=add" --convert-goat-to-goat-tile --cse --split-input-file | FileCheck %s
// A window begins and ends: tiles before and after it are not worked on, those
// between what only some queries see evaluate nothing. The same is read off the
// comparisons that one writes by hand.

// CHECK-LABEL: gpu.func @named
// CHECK:       scf.for
// CHECK:         arith.select {{.*}} : tensor<128x64xi1
// CHECK:       scf.for
// CHECK-NOT:     arith.select {{.*}} : tensor<128x64xi1
// CHECK:         scf.yield
// CHECK:       scf.for
// CHECK:         arith.select {{.*}} : tensor<128x64xi1
// CHECK-NOT:   scf.for
func.func @named(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %w: i32)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %k
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %c0 = arith.constant 0 : i32
      %m = goat.window_mask %b, %i, %j left(%w) right(%c0)
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}

// -----

// CHECK-LABEL: gpu.func @by_hand
// CHECK:       scf.for
// CHECK:         arith.select {{.*}} : tensor<128x64xi1
// CHECK:       scf.for
// CHECK-NOT:     arith.select {{.*}} : tensor<128x64xi1
// CHECK:         scf.yield
// CHECK:       scf.for
// CHECK:         arith.select {{.*}} : tensor<128x64xi1
// CHECK-NOT:   scf.for
func.func @by_hand(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %w: i32)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %k
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %distance = arith.subi %i, %j : index
      %width = arith.index_cast %w : i32 to index
      %near = arith.cmpi sle, %distance, %width : index
      %past = arith.cmpi sge, %i, %j : index
      %m = arith.andi %near, %past : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}

// -----

// A window without a right end sees all that comes: the second loop is the last.
// CHECK-LABEL: gpu.func @open
// CHECK:       scf.for
// CHECK:       scf.for
// CHECK-NOT:     arith.select {{.*}} : tensor<128x64xi1
// CHECK:         scf.yield
func.func @open(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %w: i32)
    -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %k
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.window_mask %b, %i, %j left(%w)
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
