// RUN: goat-opt %s --goat-expand-math | FileCheck %s
// Each scalar function becomes what the NVPTX backend selects.

// CHECK-LABEL: func.func @exp2
// CHECK-SAME: %[[X:.*]]: f32
// CHECK: %[[Y:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[X]]) : (f32) -> f32
// CHECK: return %[[Y]]
func.func @exp2(%x: f32) -> f32 {
  %y = math.exp2 %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @exp
// CHECK: math.roundeven
// CHECK-COUNT-2: "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK-NOT: math.exp
// CHECK: return
func.func @exp(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @log
// CHECK: %[[L:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"
// CHECK: %[[C:.*]] = arith.constant 0.693147
// CHECK: arith.mulf %[[L]], %[[C]]
func.func @log(%x: f32) -> f32 {
  %y = math.log %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @log2
// CHECK: %[[Y:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"
// CHECK: return %[[Y]]
func.func @log2(%x: f32) -> f32 {
  %y = math.log2 %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @log1p
// CHECK: "llvm.nvvm.rcp.approx.ftz.f"
// CHECK: "llvm.nvvm.lg2.approx.ftz.f"
// CHECK: arith.select
// CHECK-NOT: math.log
// CHECK: return
func.func @log1p(%x: f32) -> f32 {
  %y = math.log1p %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @tanh
// CHECK: "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK: "llvm.nvvm.rcp.approx.ftz.f"
// CHECK: math.copysign
// CHECK-NOT: math.tanh
// CHECK: return
func.func @tanh(%x: f32) -> f32 {
  %y = math.tanh %x : f32
  return %y : f32
}

// The reduced angle goes into the approximation; one that says afn already
// stays.
// CHECK-LABEL: func.func @cos
// CHECK-COUNT-2: math.fma
// CHECK: %[[C:.*]] = math.cos %{{.*}} fastmath<afn> : f32
// CHECK: %[[D:.*]] = math.cos %[[C]] fastmath<afn> : f32
// CHECK: return %[[D]]
func.func @cos(%x: f32) -> f32 {
  %y = math.cos %x : f32
  %z = math.cos %y fastmath<afn> : f32
  return %z : f32
}

// CHECK-LABEL: func.func @sin
// CHECK: math.sin %{{.*}} fastmath<afn> : f32
func.func @sin(%x: f32) -> f32 {
  %y = math.sin %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @rsqrt
// CHECK: "llvm.nvvm.rsqrt.approx.ftz.f"
func.func @rsqrt(%x: f32) -> f32 {
  %y = math.rsqrt %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @pow
// CHECK: "llvm.nvvm.lg2.approx.ftz.f"
// CHECK: "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK-NOT: math.powf
// CHECK: return
func.func @pow(%x: f32, %e: f32) -> f32 {
  %y = math.powf %x, %e : f32
  return %y : f32
}

// CHECK-LABEL: func.func @untouched
// CHECK: math.fma
// CHECK: math.roundeven
// CHECK: math.sqrt {{.*}} : f64
func.func @untouched(%x: f32, %d: f64) -> f64 {
  %a = math.fma %x, %x, %x : f32
  %b = math.roundeven %a : f32
  %c = math.sqrt %d : f64
  return %c : f64
}
