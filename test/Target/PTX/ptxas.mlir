// REQUIRES: ptxas
// RUN: goat-translate %S/emit-ptx.mlir --nvvm-to-ptx --target=sm_80 -o %t.80.ptx
// RUN: %ptxas --gpu-name=sm_80 %t.80.ptx -o %t.cubin
// RUN: goat-translate %S/emit-ptx.mlir --nvvm-to-ptx --target=sm_90a -o %t.90a.ptx
// RUN: %ptxas --gpu-name=sm_90a %t.90a.ptx -o %t.cubin
// RUN: goat-translate %S/emit-ptx.mlir --nvvm-to-ptx --target=sm_100a -o %t.100a.ptx
// RUN: %ptxas --gpu-name=sm_100a %t.100a.ptx -o %t.cubin
// RUN: goat-translate %S/emit-ptx.mlir --nvvm-to-ptx --target=sm_120 -o %t.120.ptx
// RUN: %ptxas --gpu-name=sm_120 %t.120.ptx -o %t.cubin
// ptxas takes the text for each generation of chips.
