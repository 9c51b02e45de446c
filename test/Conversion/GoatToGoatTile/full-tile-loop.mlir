// RUN: goat-opt %s --goat-choose-schedule="tile-keys=64" --convert-goat-to-goat-tile --canonicalize --cse -o %t.mlir
// RUN: %python %S/Inputs/loop_ops.py plain 0 window 1 < %t.mlir | FileCheck %s --check-prefix=WINDOW
// RUN: %python %S/Inputs/loop_ops.py plain 0 sinks 1 < %t.mlir | FileCheck %s --check-prefix=LISTED
// RUN: %python %S/Inputs/loop_ops.py plain 0 window 0 < %t.mlir | FileCheck %s --check-prefix=PARTIAL
// The loop over tiles that a mask lets pass whole is the loop of the layer without a
// mask, op for op.

// WINDOW: {{^[1-9][0-9]+ ops$}}
// WINDOW-NOT: {{.}}

// Where tiles are listed it also looks up which is the next one: scalars, once per
// tile.
// LISTED: {{^[1-9][0-9]+ ops$}}
// LISTED-NEXT: +1 arith.addi
// LISTED-NEXT: +1 arith.cmpi
// LISTED-NEXT: +1 arith.select
// LISTED-NEXT: +1 arith.subi
// LISTED-NEXT: +1 goat_tile.load
// LISTED-NOT: {{.}}

// A tile that is seen in part evaluates the mask.
// PARTIAL: +{{.}} arith.select

func.func @plain(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>) -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %k
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}

func.func @window(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %w: i32) -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %k
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.window_mask %b, %i, %j left(%w) right(%w)
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}

func.func @sinks(%q: tensor<?x4x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %w: i32) -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %k, %k
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %c4 = arith.constant 4 : i32
      %sinks = goat.prefix_mask %b, %j length(%c4)
      %window = goat.window_mask %b, %i, %j left(%w) right(%w)
      %m = arith.ori %sinks, %window : i1
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>)
    -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}
