// RUN: not goat-opt %s --goat-choose-schedule="strip=disk" 2>&1 | FileCheck %s --check-prefix=STRIP
// RUN: not goat-opt %s --goat-choose-schedule="key-terms=xor" 2>&1 | FileCheck %s --check-prefix=KEYS
// RUN: not goat-opt %s --goat-choose-schedule="mask-index=maybe" 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not goat-opt %s --goat-choose-schedule="f32-product=bf16" 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: not goat-opt %s --goat-choose-schedule="key-source=disk" 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: not goat-opt %s --goat-choose-schedule="load-q=disk" 2>&1 | FileCheck %s --check-prefix=LOAD
// RUN: not goat-opt %s --goat-choose-schedule="target=sm_1" 2>&1 | FileCheck %s --check-prefix=TARGET
// Options that name nothing.

// STRIP: error: expected strip to be auto, tile, block or table but got 'disk'
// KEYS: error: expected key-terms to be auto, add or product but got 'xor'
// INDEX: error: expected mask-index to be auto, always, never or given but got 'maybe'
// PRODUCT: error: expected f32-product to be exact or tf32 but got 'bf16'
// SOURCE: error: expected key-source to be auto, tile or table but got 'disk'
// LOAD: error: expected load-q to be auto, kernel or block but got 'disk'
// TARGET: error: expected a target among sm_80, {{.*}} but got 'sm_1'
func.func @layer(%q: tensor<1x4x8x64xbf16>) -> tensor<1x4x8x64xbf16> {
  %0 = goat.attention %q, %q, %q : (tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>, tensor<1x4x8x64xbf16>) -> (tensor<1x4x8x64xbf16>)
  return %0 : tensor<1x4x8x64xbf16>
}
