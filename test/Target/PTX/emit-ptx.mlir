// RUN: goat-translate %s --nvvm-to-ptx --target=sm_90 | FileCheck %s
// RUN: goat-translate %s --nvvm-to-ptx --target=sm_80 | FileCheck %s --check-prefix=SM80
// RUN: goat-translate %s --nvvm-to-llvmir | FileCheck %s --check-prefix=LLVM
// RUN: not goat-translate %s --nvvm-to-ptx --target=sm_52 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// A kernel keeps its name, its parameters' order and types, its block size and
// its ops; loops are left as they are.

// CHECK: .version 8.0
// CHECK: .target sm_90
// CHECK: .visible .entry scale(
// CHECK-NEXT: .param .u64 .ptr .global .align 16 scale_param_0
// CHECK-NEXT: .param .u64 .ptr .global .align 1 scale_param_1
// CHECK-NEXT: .param .u32 scale_param_2
// CHECK: .reqntid 128
// CHECK: cp.async.cg.shared.global
// CHECK: ex2.approx.ftz.f32
// CHECK: st.global
// CHECK-NOT: ex2.approx
// SM80: .version 8.0
// SM80: .target sm_80
// LLVM: target triple = "nvptx64-nvidia-cuda"
// LLVM: define ptx_kernel void @scale
// UNKNOWN: error: expected a target among sm_80, {{.*}} but got 'sm_52'
gpu.module @module {
  llvm.mlir.global external @shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  llvm.func @scale(%in: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %out: !llvm.ptr<1>, %n: i32)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, test.other = "ignored"} {
    %shared = llvm.mlir.addressof @shared : !llvm.ptr<3>
    nvvm.cp.async.shared.global %shared, %in, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    nvvm.barrier0
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    llvm.br ^head(%zero : i32)
  ^head(%i: i32):
    %inside = llvm.icmp "slt" %i, %n : i32
    llvm.cond_br %inside, ^body, ^exit
  ^body:
    %from = llvm.getelementptr %shared[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %to = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %value = llvm.load %from : !llvm.ptr<3> -> f32
    %power = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%value) : (f32) -> f32
    llvm.store %power, %to : f32, !llvm.ptr<1>
    %next = llvm.add %i, %one : i32
    llvm.br ^head(%next : i32)
  ^exit:
    llvm.return
  }
}
