// RUN: goat-opt --goat-raise-attention %s | FileCheck %s

// A sink's logit joined to those of the keys, and its weight dropped; shifted by
// the row's maximum twice.
func.func @joined_sink(%in0: tensor<2x4x6xf32>, %in1: tensor<2x4x6xf32>, %in2: tensor<2x4x6xf32>, %in3: tensor<2xf32>) -> (tensor<2x4x6xf32>) {
  %1 = tensor.expand_shape %in3 [[0, 1, 2]] output_shape [2, 1, 1] : tensor<2xf32> into tensor<2x1x1xf32>
  %2 = tensor.empty() : tensor<2x4x1xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, 0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<2x1x1xf32>) outs(%2 : tensor<2x4x1xf32>) {
    ^bb0(%3: f32, %4: f32):
      linalg.yield %3 : f32
  } -> tensor<2x4x1xf32>
  %6 = tensor.empty() : tensor<2x6x4xf32>
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%in1 : tensor<2x4x6xf32>) outs(%6 : tensor<2x6x4xf32>) {
    ^bb0(%7: f32, %8: f32):
      linalg.yield %7 : f32
  } -> tensor<2x6x4xf32>
  %12 = tensor.empty() : tensor<2x4x4xf32>
  %10 = arith.constant 0.00000000000000000e+00 : f32
  %11 = linalg.fill ins(%10 : f32) outs(%12 : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%in0, %9 : tensor<2x4x6xf32>, tensor<2x6x4xf32>) outs(%11 : tensor<2x4x4xf32>) {
    ^bb0(%13: f32, %14: f32, %15: f32):
      %16 = arith.mulf %13, %14 : f32
      %17 = arith.addf %15, %16 : f32
      linalg.yield %17 : f32
  } -> tensor<2x4x4xf32>
  %19 = tensor.concat dim(2) %18, %5 : (tensor<2x4x4xf32>, tensor<2x4x1xf32>) -> tensor<2x4x5xf32>
  %22 = tensor.empty() : tensor<2x4xf32>
  %20 = arith.constant 0xFF800000 : f32
  %21 = linalg.fill ins(%20 : f32) outs(%22 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %26 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%19 : tensor<2x4x5xf32>) outs(%21 : tensor<2x4xf32>) {
    ^bb0(%23: f32, %24: f32):
      %25 = arith.maximumf %24, %23 : f32
      linalg.yield %25 : f32
  } -> tensor<2x4xf32>
  %27 = tensor.expand_shape %26 [[0], [1, 2]] output_shape [2, 4, 1] : tensor<2x4xf32> into tensor<2x4x1xf32>
  %28 = tensor.empty() : tensor<2x4x5xf32>
  %33 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %27 : tensor<2x4x5xf32>, tensor<2x4x1xf32>) outs(%28 : tensor<2x4x5xf32>) {
    ^bb0(%29: f32, %30: f32, %31: f32):
      %32 = arith.subf %29, %30 : f32
      linalg.yield %32 : f32
  } -> tensor<2x4x5xf32>
  %36 = tensor.empty() : tensor<2x4xf32>
  %34 = arith.constant 0xFF800000 : f32
  %35 = linalg.fill ins(%34 : f32) outs(%36 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %40 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%33 : tensor<2x4x5xf32>) outs(%35 : tensor<2x4xf32>) {
    ^bb0(%37: f32, %38: f32):
      %39 = arith.maximumf %38, %37 : f32
      linalg.yield %39 : f32
  } -> tensor<2x4xf32>
  %41 = tensor.expand_shape %40 [[0], [1, 2]] output_shape [2, 4, 1] : tensor<2x4xf32> into tensor<2x4x1xf32>
  %42 = tensor.empty() : tensor<2x4x5xf32>
  %47 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%33, %41 : tensor<2x4x5xf32>, tensor<2x4x1xf32>) outs(%42 : tensor<2x4x5xf32>) {
    ^bb0(%43: f32, %44: f32, %45: f32):
      %46 = arith.subf %43, %44 : f32
      linalg.yield %46 : f32
  } -> tensor<2x4x5xf32>
  %48 = tensor.empty() : tensor<2x4x5xf32>
  %52 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%47 : tensor<2x4x5xf32>) outs(%48 : tensor<2x4x5xf32>) {
    ^bb0(%49: f32, %50: f32):
      %51 = math.exp %49 : f32
      linalg.yield %51 : f32
  } -> tensor<2x4x5xf32>
  %55 = tensor.empty() : tensor<2x4xf32>
  %53 = arith.constant 0.00000000000000000e+00 : f32
  %54 = linalg.fill ins(%53 : f32) outs(%55 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %59 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%52 : tensor<2x4x5xf32>) outs(%54 : tensor<2x4xf32>) {
    ^bb0(%56: f32, %57: f32):
      %58 = arith.addf %57, %56 : f32
      linalg.yield %58 : f32
  } -> tensor<2x4xf32>
  %60 = tensor.expand_shape %59 [[0], [1, 2]] output_shape [2, 4, 1] : tensor<2x4xf32> into tensor<2x4x1xf32>
  %61 = tensor.empty() : tensor<2x4x5xf32>
  %66 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%52, %60 : tensor<2x4x5xf32>, tensor<2x4x1xf32>) outs(%61 : tensor<2x4x5xf32>) {
    ^bb0(%62: f32, %63: f32, %64: f32):
      %65 = arith.divf %62, %63 : f32
      linalg.yield %65 : f32
  } -> tensor<2x4x5xf32>
  %67 = tensor.extract_slice %66[0, 0, 0] [2, 4, 4] [1, 1, 1] : tensor<2x4x5xf32> to tensor<2x4x4xf32>
  %70 = tensor.empty() : tensor<2x4x6xf32>
  %68 = arith.constant 0.00000000000000000e+00 : f32
  %69 = linalg.fill ins(%68 : f32) outs(%70 : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %76 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%67, %in2 : tensor<2x4x4xf32>, tensor<2x4x6xf32>) outs(%69 : tensor<2x4x6xf32>) {
    ^bb0(%71: f32, %72: f32, %73: f32):
      %74 = arith.mulf %71, %72 : f32
      %75 = arith.addf %73, %74 : f32
      linalg.yield %75 : f32
  } -> tensor<2x4x6xf32>
  return %76 : tensor<2x4x6xf32>
}
// CHECK-LABEL: func.func @joined_sink(
// CHECK-SAME:    %[[SINKS:[a-z0-9]*]]: tensor<2xf32>)
// CHECK:         goat.attention {{.*}} sink(%[[SINKS]] : tensor<2xf32>)
// CHECK-NOT:     math.exp

// Rows are divided by the sum of their weights after the product with the values.
func.func @divided_after(%in0: tensor<2x4x6xf32>, %in1: tensor<2x4x6xf32>, %in2: tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>) {
  %1 = tensor.empty() : tensor<2x6x4xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%in1 : tensor<2x4x6xf32>) outs(%1 : tensor<2x6x4xf32>) {
    ^bb0(%2: f32, %3: f32):
      linalg.yield %2 : f32
  } -> tensor<2x6x4xf32>
  %7 = tensor.empty() : tensor<2x4x4xf32>
  %5 = arith.constant 0.00000000000000000e+00 : f32
  %6 = linalg.fill ins(%5 : f32) outs(%7 : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%in0, %4 : tensor<2x4x6xf32>, tensor<2x6x4xf32>) outs(%6 : tensor<2x4x4xf32>) {
    ^bb0(%8: f32, %9: f32, %10: f32):
      %11 = arith.mulf %8, %9 : f32
      %12 = arith.addf %10, %11 : f32
      linalg.yield %12 : f32
  } -> tensor<2x4x4xf32>
  %16 = tensor.empty() : tensor<2x4xf32>
  %14 = arith.constant 0xFF800000 : f32
  %15 = linalg.fill ins(%14 : f32) outs(%16 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %20 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%13 : tensor<2x4x4xf32>) outs(%15 : tensor<2x4xf32>) {
    ^bb0(%17: f32, %18: f32):
      %19 = arith.maximumf %18, %17 : f32
      linalg.yield %19 : f32
  } -> tensor<2x4xf32>
  %21 = tensor.expand_shape %20 [[0], [1, 2]] output_shape [2, 4, 1] : tensor<2x4xf32> into tensor<2x4x1xf32>
  %22 = tensor.empty() : tensor<2x4x4xf32>
  %27 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %21 : tensor<2x4x4xf32>, tensor<2x4x1xf32>) outs(%22 : tensor<2x4x4xf32>) {
    ^bb0(%23: f32, %24: f32, %25: f32):
      %26 = arith.subf %23, %24 : f32
      linalg.yield %26 : f32
  } -> tensor<2x4x4xf32>
  %28 = tensor.empty() : tensor<2x4x4xf32>
  %32 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27 : tensor<2x4x4xf32>) outs(%28 : tensor<2x4x4xf32>) {
    ^bb0(%29: f32, %30: f32):
      %31 = math.exp %29 : f32
      linalg.yield %31 : f32
  } -> tensor<2x4x4xf32>
  %35 = tensor.empty() : tensor<2x4xf32>
  %33 = arith.constant 0.00000000000000000e+00 : f32
  %34 = linalg.fill ins(%33 : f32) outs(%35 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %39 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%32 : tensor<2x4x4xf32>) outs(%34 : tensor<2x4xf32>) {
    ^bb0(%36: f32, %37: f32):
      %38 = arith.addf %37, %36 : f32
      linalg.yield %38 : f32
  } -> tensor<2x4xf32>
  %40 = tensor.expand_shape %39 [[0], [1, 2]] output_shape [2, 4, 1] : tensor<2x4xf32> into tensor<2x4x1xf32>
  %43 = tensor.empty() : tensor<2x4x6xf32>
  %41 = arith.constant 0.00000000000000000e+00 : f32
  %42 = linalg.fill ins(%41 : f32) outs(%43 : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %49 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%32, %in2 : tensor<2x4x4xf32>, tensor<2x4x6xf32>) outs(%42 : tensor<2x4x6xf32>) {
    ^bb0(%44: f32, %45: f32, %46: f32):
      %47 = arith.mulf %44, %45 : f32
      %48 = arith.addf %46, %47 : f32
      linalg.yield %48 : f32
  } -> tensor<2x4x6xf32>
  %50 = tensor.empty() : tensor<2x4x6xf32>
  %55 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%49, %40 : tensor<2x4x6xf32>, tensor<2x4x1xf32>) outs(%50 : tensor<2x4x6xf32>) {
    ^bb0(%51: f32, %52: f32, %53: f32):
      %54 = arith.divf %51, %52 : f32
      linalg.yield %54 : f32
  } -> tensor<2x4x6xf32>
  return %55 : tensor<2x4x6xf32>
}
// CHECK-LABEL: func.func @divided_after(
// CHECK:         goat.attention
// CHECK-NOT:     math.exp
// CHECK-NOT:     arith.divf
