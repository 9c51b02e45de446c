// RUN: goat-opt %s --goat-choose-schedule | FileCheck %s
// RUN: goat-opt %s --goat-choose-schedule="warps=2 tile-keys=32 stages=3" | FileCheck %s --check-prefix=OPTIONS
// RUN: goat-opt %s --goat-choose-schedule="target=sm_89" | FileCheck %s --check-prefix=SMALL
// RUN: goat-opt %s --goat-choose-schedule="f32-product=tf32" | FileCheck %s --check-prefix=TF32
// RUN: goat-opt %s --goat-choose-schedule="target=sm_86 tile-rows=32" | FileCheck %s --check-prefix=ROWS
// The schedule with the fewest predicted clocks that fits the chip, why, and what
// options make of it.

// CHECK-LABEL: func.func @narrow
// CHECK: goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 128, keys = 96, warps = 4, stages = 2>, goat_tile.schedule_reason = "predicted clocks per score and multiprocessor of sm_90: tensor 0.0994, {{.*}} with 2 resident blocks"
// OPTIONS: goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 64, keys = 32, warps = 2, stages = 3>
func.func @narrow(%q: tensor<?x4x?x64xbf16>) -> tensor<?x4x?x64xbf16> {
  %out = goat.attention %q, %q, %q
    : (tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>, tensor<?x4x?x64xbf16>) -> (tensor<?x4x?x64xbf16>)
  return %out : tensor<?x4x?x64xbf16>
}

// Accumulators of 32 rows a warp would not leave registers for anything else.
// CHECK-LABEL: func.func @wide
// CHECK: goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 128, keys = {{64|80}}, warps = 8, stages = 2>
// Nor do such tiles fit in 99 KB of shared memory.
// SMALL-LABEL: func.func @wide
// SMALL: goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 128, keys = 16, warps = 8, stages = 2>
// Rows that an option names may be so few that they fit one or two warps only.
// ROWS-LABEL: func.func @wide
// ROWS: goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 32, keys = {{16|32}}, warps = 2, stages = 2>
func.func @wide(%q: tensor<?x4x?x256xbf16>) -> tensor<?x4x?x256xbf16> {
  %out = goat.attention %q, %q, %q
    : (tensor<?x4x?x256xbf16>, tensor<?x4x?x256xbf16>, tensor<?x4x?x256xbf16>) -> (tensor<?x4x?x256xbf16>)
  return %out : tensor<?x4x?x256xbf16>
}

// Few rows: small blocks.
// CHECK-LABEL: func.func @short
// CHECK: goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 32,
func.func @short(%q: tensor<1x4x16x64xbf16>, %k: tensor<1x4x4096x64xbf16>) -> tensor<1x4x16x64xbf16> {
  %out = goat.attention %q, %k, %k
    : (tensor<1x4x16x64xbf16>, tensor<1x4x4096x64xbf16>, tensor<1x4x4096x64xbf16>) -> (tensor<1x4x16x64xbf16>)
  return %out : tensor<1x4x16x64xbf16>
}

// f32 fits every chip up to the widest head, with few rows where there is little
// shared memory; products exact in f32 keep functions of the key off the tensor
// cores.
// CHECK-LABEL: func.func @wide_f32
// CHECK: goat_tile.schedule_reason = "{{.*}}: tensor 0.0000,
// SMALL-LABEL: func.func @wide_f32
// SMALL: goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 32, keys = 16, warps = 2, stages = 2>, goat_tile.schedule_reason
func.func @wide_f32(%q: tensor<?x4x?x256xf32>) -> tensor<?x4x?x256xf32> {
  %out = goat.attention %q, %q, %q
    : (tensor<?x4x?x256xf32>, tensor<?x4x?x256xf32>, tensor<?x4x?x256xf32>) -> (tensor<?x4x?x256xf32>)
  return %out : tensor<?x4x?x256xf32>
}

// Few heads and a short sequence: 8 blocks of 128 rows for 132 multiprocessors. Smaller
// blocks keep more of them busy, and the reason says how many.
// CHECK-LABEL: func.func @few
// CHECK: goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 64, {{.*}} with 1 resident blocks; 16 blocks keep 132 multiprocessors busy for 11 % of the time"
func.func @few(%q: tensor<1x4x256x64xbf16>) -> tensor<1x4x256x64xbf16> {
  %out = goat.attention %q, %q, %q
    : (tensor<1x4x256x64xbf16>, tensor<1x4x256x64xbf16>, tensor<1x4x256x64xbf16>) -> (tensor<1x4x256x64xbf16>)
  return %out : tensor<1x4x256x64xbf16>
}

// Enough of both: large blocks.
// CHECK-LABEL: func.func @many
// CHECK: goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 128, {{.*}} with 2 resident blocks; 3072 blocks keep 132 multiprocessors busy for 96 % of the time"
func.func @many(%q: tensor<8x12x4096x64xbf16>) -> tensor<8x12x4096x64xbf16> {
  %out = goat.attention %q, %q, %q
    : (tensor<8x12x4096x64xbf16>, tensor<8x12x4096x64xbf16>, tensor<8x12x4096x64xbf16>) -> (tensor<8x12x4096x64xbf16>)
  return %out : tensor<8x12x4096x64xbf16>
}

// A strip takes registers from tf32's scores: without it tiles have 96 keys.
// TF32-LABEL: func.func @distances
// TF32: goat_tile.schedule = #goat_tile.schedule<flash_mma, rows = 256, keys = 48, warps = 8,
func.func @distances(%q: tensor<?x4x?x64xf32>, %table: tensor<4x?xf32>) -> tensor<?x4x?x64xf32> {
  %out = goat.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %d = goat.distance %b, %i, %j
    %bias = tensor.extract %table[%h, %d] : tensor<4x?xf32>
    %t = arith.addf %s, %bias : f32
    goat.yield %t : f32
  } : (tensor<?x4x?x64xf32>, tensor<?x4x?x64xf32>, tensor<?x4x?x64xf32>) -> (tensor<?x4x?x64xf32>)
  return %out : tensor<?x4x?x64xf32>
}
