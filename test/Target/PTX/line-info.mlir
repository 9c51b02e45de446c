// With --line-info each instruction follows a .loc of the line its operation stands
// on. Nothing else about the text changes.

// RUN: goat-translate --nvvm-to-ptx --target=sm_90 %s > %t.ptx
// RUN: goat-translate --nvvm-to-ptx --target=sm_90 --line-info %s > %t.lines.ptx
// RUN: FileCheck %s --check-prefix=NONE < %t.ptx
// RUN: FileCheck %s < %t.lines.ptx
// RUN: grep -vE '^.(\.loc|\.file|\.section)|^.L__' %t.lines.ptx > %t.stripped.ptx
// RUN: diff %t.ptx %t.stripped.ptx

// NONE-NOT: .loc
// NONE-NOT: .file
// CHECK: .target sm_90{{$}}
// CHECK: .loc [[FILE:[0-9]+]] [[#@LINE + 9]]
// CHECK-NEXT: add.rn.f32
// CHECK: .loc [[FILE]] [[#@LINE + 8]]
// CHECK-NEXT: mul.rn.f32
// CHECK: .file [[FILE]] "{{.*}}line-info.mlir"
gpu.module @lines {
  llvm.func @scale(%x: f32, %y: f32, %out: !llvm.ptr<1>)
      attributes {gpu.kernel, nvvm.kernel} {
    // The lines these two stand on:
    %sum = llvm.fadd %x, %y : f32
    %product = llvm.fmul %sum, %y : f32
    llvm.store %product, %out : f32, !llvm.ptr<1>
    llvm.return
  }
}
