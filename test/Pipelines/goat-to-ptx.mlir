// RUN: goat-opt %s --goat-to-ptx=target=sm_80 | FileCheck %s
// RUN: goat-opt %s --goat-to-nvvm=target=sm_80 | goat-translate --nvvm-to-ptx --target=sm_80 | FileCheck %s --check-prefix=TEXT
// RUN: not goat-opt %s --pass-pipeline='builtin.module(goat-emit-ptx{target=sm_1})' 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: goat-opt %s --goat-to-ptx --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIST
// The whole way, as one list: its passes in the order of docs/pipelines.md, and a
// gpu.binary with the PTX in place of the function.

// CHECK-NOT:  func.func
// CHECK:      gpu.binary @layer [#gpu.object<#nvvm.target<O = 3, chip = "sm_80">, assembly = "
// CHECK-SAME: .target sm_80
// CHECK-SAME: .visible .entry layer(
// TEXT:       .target sm_80
// TEXT:       .visible .entry layer(
// TARGET:     error: expected a target among sm_80, {{.*}} but got 'sm_1'

// LIST:      goat-verify-goat
// LIST-NEXT: func.func(
// LIST-NEXT:   goat-normalize-score
// LIST-NEXT: )
// LIST-NEXT: func.func(
// LIST-NEXT:   goat-choose-schedule{
// LIST-NEXT: )
// LIST-NEXT: convert-goat-to-goat-tile
// LIST-NEXT: canonicalize
// LIST-NEXT: cse
// LIST-NEXT: gpu.module(
// LIST-NEXT:   goat-tile-place-buffers
// LIST-NEXT:   goat-verify-tile
// LIST-NEXT:   convert-goat-tile-to-nvvm
// LIST-NEXT:   cse
// LIST-NEXT:   goat-expand-math
// LIST-NEXT:   goat-order-elements
// LIST-NEXT:   convert-scf-to-cf
// LIST-NEXT:   convert-to-llvm
// LIST-NEXT:   reconcile-unrealized-casts
// LIST-NEXT:   cse
// LIST-NEXT:   goat-verify-nvvm
// LIST-NEXT: )
// LIST-NEXT: goat-emit-ptx
func.func @layer(%q: tensor<?x2x?x64xbf16>, %k: tensor<?x2x?x64xbf16>, %v: tensor<?x2x?x64xbf16>)
    -> tensor<?x2x?x64xbf16> {
  %out = goat.attention %q, %k, %v
    : (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x2x?x64xbf16>)
  return %out : tensor<?x2x?x64xbf16>
}
