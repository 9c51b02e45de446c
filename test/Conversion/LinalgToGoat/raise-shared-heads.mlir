// RUN: goat-opt --goat-raise-attention --cse %s | FileCheck %s

// One head of keys and of values, to which something is added, for all heads of
// queries: the attention reads them before they are repeated.
func.func @shared(%in0: tensor<2x3x8x4xf32>, %in1: tensor<2x1x8x4xf32>, %in2: tensor<2x1x8x4xf32>, %in3: tensor<4xf32>) -> (tensor<2x3x8x4xf32>) {
  %1 = tensor.empty() : tensor<2x1x8x4xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%in2, %in3 : tensor<2x1x8x4xf32>, tensor<4xf32>) outs(%1 : tensor<2x1x8x4xf32>) {
    ^bb0(%2: f32, %3: f32, %4: f32):
      %5 = arith.addf %2, %3 : f32
      linalg.yield %5 : f32
  } -> tensor<2x1x8x4xf32>
  %7 = tensor.empty() : tensor<2x3x8x4xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<2x1x8x4xf32>) outs(%7 : tensor<2x3x8x4xf32>) {
    ^bb0(%8: f32, %9: f32):
      linalg.yield %8 : f32
  } -> tensor<2x3x8x4xf32>
  %11 = tensor.empty() : tensor<2x3x8x4xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%in1 : tensor<2x1x8x4xf32>) outs(%11 : tensor<2x3x8x4xf32>) {
    ^bb0(%12: f32, %13: f32):
      linalg.yield %12 : f32
  } -> tensor<2x3x8x4xf32>
  %15 = tensor.empty() : tensor<2x3x4x8xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<2x3x8x4xf32>) outs(%15 : tensor<2x3x4x8xf32>) {
    ^bb0(%16: f32, %17: f32):
      linalg.yield %16 : f32
  } -> tensor<2x3x4x8xf32>
  %21 = tensor.empty() : tensor<2x3x8x8xf32>
  %19 = arith.constant 0.00000000000000000e+00 : f32
  %20 = linalg.fill ins(%19 : f32) outs(%21 : tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%in0, %18 : tensor<2x3x8x4xf32>, tensor<2x3x4x8xf32>) outs(%20 : tensor<2x3x8x8xf32>) {
    ^bb0(%22: f32, %23: f32, %24: f32):
      %25 = arith.mulf %22, %23 : f32
      %26 = arith.addf %24, %25 : f32
      linalg.yield %26 : f32
  } -> tensor<2x3x8x8xf32>
  %30 = tensor.empty() : tensor<2x3x8xf32>
  %28 = arith.constant 0xFF800000 : f32
  %29 = linalg.fill ins(%28 : f32) outs(%30 : tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %34 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%27 : tensor<2x3x8x8xf32>) outs(%29 : tensor<2x3x8xf32>) {
    ^bb0(%31: f32, %32: f32):
      %33 = arith.maximumf %32, %31 : f32
      linalg.yield %33 : f32
  } -> tensor<2x3x8xf32>
  %35 = tensor.expand_shape %34 [[0], [1], [2, 3]] output_shape [2, 3, 8, 1] : tensor<2x3x8xf32> into tensor<2x3x8x1xf32>
  %36 = tensor.empty() : tensor<2x3x8x8xf32>
  %41 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %35 : tensor<2x3x8x8xf32>, tensor<2x3x8x1xf32>) outs(%36 : tensor<2x3x8x8xf32>) {
    ^bb0(%37: f32, %38: f32, %39: f32):
      %40 = arith.subf %37, %38 : f32
      linalg.yield %40 : f32
  } -> tensor<2x3x8x8xf32>
  %42 = tensor.empty() : tensor<2x3x8x8xf32>
  %46 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%41 : tensor<2x3x8x8xf32>) outs(%42 : tensor<2x3x8x8xf32>) {
    ^bb0(%43: f32, %44: f32):
      %45 = math.exp %43 : f32
      linalg.yield %45 : f32
  } -> tensor<2x3x8x8xf32>
  %49 = tensor.empty() : tensor<2x3x8xf32>
  %47 = arith.constant 0.00000000000000000e+00 : f32
  %48 = linalg.fill ins(%47 : f32) outs(%49 : tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %53 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%46 : tensor<2x3x8x8xf32>) outs(%48 : tensor<2x3x8xf32>) {
    ^bb0(%50: f32, %51: f32):
      %52 = arith.addf %51, %50 : f32
      linalg.yield %52 : f32
  } -> tensor<2x3x8xf32>
  %54 = tensor.expand_shape %53 [[0], [1], [2, 3]] output_shape [2, 3, 8, 1] : tensor<2x3x8xf32> into tensor<2x3x8x1xf32>
  %55 = tensor.empty() : tensor<2x3x8x8xf32>
  %60 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46, %54 : tensor<2x3x8x8xf32>, tensor<2x3x8x1xf32>) outs(%55 : tensor<2x3x8x8xf32>) {
    ^bb0(%56: f32, %57: f32, %58: f32):
      %59 = arith.divf %56, %57 : f32
      linalg.yield %59 : f32
  } -> tensor<2x3x8x8xf32>
  %63 = tensor.empty() : tensor<2x3x8x4xf32>
  %61 = arith.constant 0.00000000000000000e+00 : f32
  %62 = linalg.fill ins(%61 : f32) outs(%63 : tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  %69 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%60, %10 : tensor<2x3x8x8xf32>, tensor<2x3x8x4xf32>) outs(%62 : tensor<2x3x8x4xf32>) {
    ^bb0(%64: f32, %65: f32, %66: f32):
      %67 = arith.mulf %64, %65 : f32
      %68 = arith.addf %66, %67 : f32
      linalg.yield %68 : f32
  } -> tensor<2x3x8x4xf32>
  return %69 : tensor<2x3x8x4xf32>
}
// CHECK-LABEL: func.func @shared(
// CHECK:         goat.attention
// CHECK-SAME:    (tensor<1x6x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>)

// One query per head.
func.func @one_query(%in0: tensor<2x3x1x4xf32>, %in1: tensor<2x3x8x4xf32>, %in2: tensor<2x3x8x4xf32>) -> (tensor<2x3x1x4xf32>) {
  %1 = tensor.empty() : tensor<2x3x4x8xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%in1 : tensor<2x3x8x4xf32>) outs(%1 : tensor<2x3x4x8xf32>) {
    ^bb0(%2: f32, %3: f32):
      linalg.yield %2 : f32
  } -> tensor<2x3x4x8xf32>
  %7 = tensor.empty() : tensor<2x3x1x8xf32>
  %5 = arith.constant 0.00000000000000000e+00 : f32
  %6 = linalg.fill ins(%5 : f32) outs(%7 : tensor<2x3x1x8xf32>) -> tensor<2x3x1x8xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%in0, %4 : tensor<2x3x1x4xf32>, tensor<2x3x4x8xf32>) outs(%6 : tensor<2x3x1x8xf32>) {
    ^bb0(%8: f32, %9: f32, %10: f32):
      %11 = arith.mulf %8, %9 : f32
      %12 = arith.addf %10, %11 : f32
      linalg.yield %12 : f32
  } -> tensor<2x3x1x8xf32>
  %16 = tensor.empty() : tensor<2x3x1xf32>
  %14 = arith.constant 0xFF800000 : f32
  %15 = linalg.fill ins(%14 : f32) outs(%16 : tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %20 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%13 : tensor<2x3x1x8xf32>) outs(%15 : tensor<2x3x1xf32>) {
    ^bb0(%17: f32, %18: f32):
      %19 = arith.maximumf %18, %17 : f32
      linalg.yield %19 : f32
  } -> tensor<2x3x1xf32>
  %21 = tensor.expand_shape %20 [[0], [1], [2, 3]] output_shape [2, 3, 1, 1] : tensor<2x3x1xf32> into tensor<2x3x1x1xf32>
  %22 = tensor.empty() : tensor<2x3x1x8xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %21 : tensor<2x3x1x8xf32>, tensor<2x3x1x1xf32>) outs(%22 : tensor<2x3x1x8xf32>) {
    ^bb0(%23: f32, %24: f32, %25: f32):
      %26 = arith.subf %23, %24 : f32
      linalg.yield %26 : f32
  } -> tensor<2x3x1x8xf32>
  %28 = tensor.empty() : tensor<2x3x1x8xf32>
  %32 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27 : tensor<2x3x1x8xf32>) outs(%28 : tensor<2x3x1x8xf32>) {
    ^bb0(%29: f32, %30: f32):
      %31 = math.exp %29 : f32
      linalg.yield %31 : f32
  } -> tensor<2x3x1x8xf32>
  %35 = tensor.empty() : tensor<2x3x1xf32>
  %33 = arith.constant 0.00000000000000000e+00 : f32
  %34 = linalg.fill ins(%33 : f32) outs(%35 : tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %39 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%32 : tensor<2x3x1x8xf32>) outs(%34 : tensor<2x3x1xf32>) {
    ^bb0(%36: f32, %37: f32):
      %38 = arith.addf %37, %36 : f32
      linalg.yield %38 : f32
  } -> tensor<2x3x1xf32>
  %40 = tensor.expand_shape %39 [[0], [1], [2, 3]] output_shape [2, 3, 1, 1] : tensor<2x3x1xf32> into tensor<2x3x1x1xf32>
  %41 = tensor.empty() : tensor<2x3x1x8xf32>
  %46 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32, %40 : tensor<2x3x1x8xf32>, tensor<2x3x1x1xf32>) outs(%41 : tensor<2x3x1x8xf32>) {
    ^bb0(%42: f32, %43: f32, %44: f32):
      %45 = arith.divf %42, %43 : f32
      linalg.yield %45 : f32
  } -> tensor<2x3x1x8xf32>
  %49 = tensor.empty() : tensor<2x3x1x4xf32>
  %47 = arith.constant 0.00000000000000000e+00 : f32
  %48 = linalg.fill ins(%47 : f32) outs(%49 : tensor<2x3x1x4xf32>) -> tensor<2x3x1x4xf32>
  %55 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%46, %in2 : tensor<2x3x1x8xf32>, tensor<2x3x8x4xf32>) outs(%48 : tensor<2x3x1x4xf32>) {
    ^bb0(%50: f32, %51: f32, %52: f32):
      %53 = arith.mulf %50, %51 : f32
      %54 = arith.addf %52, %53 : f32
      linalg.yield %54 : f32
  } -> tensor<2x3x1x4xf32>
  return %55 : tensor<2x3x1x4xf32>
}
// CHECK-LABEL: func.func @one_query(
// CHECK:         goat.attention {{.*}} : (tensor<2x3x1x4xf32>, tensor<2x3x8x4xf32>, tensor<2x3x8x4xf32>)
