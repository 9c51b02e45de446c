// RUN: goat-opt --goat-raise-attention --verify-diagnostics %s | FileCheck %s

// The published form of the method: query and key with five more columns, the
// prior's of two frequencies and one for what is added per key, gated by row. Of
// these the score is made again, and the columns go.
func.func @packed(%in0: tensor<2x8x6xf32>, %in1: tensor<2x8x6xf32>, %in2: tensor<2x8x6xf32>, %in3: tensor<2x2xf32>, %in4: tensor<2x2xf32>, %in5: tensor<2xf32>, %in6: tensor<2x8xf32>, %in7: tensor<2x8xf32>) -> (tensor<1x2x8x6xf32>) {
  %c0 = arith.constant dense<1.73205080756887719e+00> : tensor<f32>
  %1 = tensor.expand_shape %in2 [[0, 1], [2], [3]] output_shape [1, 2, 8, 6] : tensor<2x8x6xf32> into tensor<1x2x8x6xf32>
  %2 = tensor.expand_shape %in6 [[0], [1, 2]] output_shape [2, 8, 1] : tensor<2x8xf32> into tensor<2x8x1xf32>
  %3 = tensor.empty() : tensor<8xi64>
  %7 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%3 : tensor<8xi64>) {
    ^bb0(%4: i64):
      %5 = linalg.index 0 : index
      %6 = arith.index_cast %5 : index to i64
      linalg.yield %6 : i64
  } -> tensor<8xi64>
  %8 = tensor.empty() : tensor<8xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%7 : tensor<8xi64>) outs(%8 : tensor<8xf32>) {
    ^bb0(%9: i64, %10: f32):
      %11 = arith.sitofp %9 : i64 to f32
      linalg.yield %11 : f32
  } -> tensor<8xf32>
  %13 = tensor.expand_shape %12 [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %14 = tensor.empty() : tensor<8x2xf32>
  %19 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%13, %in5 : tensor<8x1xf32>, tensor<2xf32>) outs(%14 : tensor<8x2xf32>) {
    ^bb0(%15: f32, %16: f32, %17: f32):
      %18 = arith.mulf %15, %16 : f32
      linalg.yield %18 : f32
  } -> tensor<8x2xf32>
  %20 = tensor.empty() : tensor<8x2xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<8x2xf32>) outs(%20 : tensor<8x2xf32>) {
    ^bb0(%21: f32, %22: f32):
      %23 = math.sin %21 : f32
      linalg.yield %23 : f32
  } -> tensor<8x2xf32>
  %25 = tensor.empty() : tensor<2x8x2xf32>
  %28 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<8x2xf32>) outs(%25 : tensor<2x8x2xf32>) {
    ^bb0(%26: f32, %27: f32):
      linalg.yield %26 : f32
  } -> tensor<2x8x2xf32>
  %29 = tensor.empty() : tensor<8x2xf32>
  %33 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<8x2xf32>) outs(%29 : tensor<8x2xf32>) {
    ^bb0(%30: f32, %31: f32):
      %32 = math.cos %30 : f32
      linalg.yield %32 : f32
  } -> tensor<8x2xf32>
  %34 = tensor.empty() : tensor<2x8x2xf32>
  %37 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%33 : tensor<8x2xf32>) outs(%34 : tensor<2x8x2xf32>) {
    ^bb0(%35: f32, %36: f32):
      linalg.yield %35 : f32
  } -> tensor<2x8x2xf32>
  %38 = tensor.concat dim(2) %in1, %37, %28, %2 : (tensor<2x8x6xf32>, tensor<2x8x2xf32>, tensor<2x8x2xf32>, tensor<2x8x1xf32>) -> tensor<2x8x11xf32>
  %39 = tensor.expand_shape %38 [[0, 1], [2], [3]] output_shape [1, 2, 8, 11] : tensor<2x8x11xf32> into tensor<1x2x8x11xf32>
  %40 = tensor.empty() : tensor<1x2x11x8xf32>
  %43 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39 : tensor<1x2x8x11xf32>) outs(%40 : tensor<1x2x11x8xf32>) {
    ^bb0(%41: f32, %42: f32):
      linalg.yield %41 : f32
  } -> tensor<1x2x11x8xf32>
  %44 = tensor.expand_shape %in7 [[0], [1, 2]] output_shape [2, 8, 1] : tensor<2x8xf32> into tensor<2x8x1xf32>
  %45 = tensor.empty() : tensor<2x8x1xf32>
  %50 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44, %c0 : tensor<2x8x1xf32>, tensor<f32>) outs(%45 : tensor<2x8x1xf32>) {
    ^bb0(%46: f32, %47: f32, %48: f32):
      %49 = arith.mulf %46, %47 : f32
      linalg.yield %49 : f32
  } -> tensor<2x8x1xf32>
  %51 = tensor.expand_shape %in4 [[0], [1, 2]] output_shape [2, 1, 2] : tensor<2x2xf32> into tensor<2x1x2xf32>
  %52 = tensor.empty() : tensor<2x8x2xf32>
  %57 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, 0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51, %37 : tensor<2x1x2xf32>, tensor<2x8x2xf32>) outs(%52 : tensor<2x8x2xf32>) {
    ^bb0(%53: f32, %54: f32, %55: f32):
      %56 = arith.mulf %53, %54 : f32
      linalg.yield %56 : f32
  } -> tensor<2x8x2xf32>
  %58 = tensor.expand_shape %in3 [[0], [1, 2]] output_shape [2, 1, 2] : tensor<2x2xf32> into tensor<2x1x2xf32>
  %59 = tensor.empty() : tensor<2x8x2xf32>
  %64 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, 0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58, %28 : tensor<2x1x2xf32>, tensor<2x8x2xf32>) outs(%59 : tensor<2x8x2xf32>) {
    ^bb0(%60: f32, %61: f32, %62: f32):
      %63 = arith.mulf %60, %61 : f32
      linalg.yield %63 : f32
  } -> tensor<2x8x2xf32>
  %65 = tensor.empty() : tensor<2x8x2xf32>
  %70 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64, %57 : tensor<2x8x2xf32>, tensor<2x8x2xf32>) outs(%65 : tensor<2x8x2xf32>) {
    ^bb0(%66: f32, %67: f32, %68: f32):
      %69 = arith.subf %66, %67 : f32
      linalg.yield %69 : f32
  } -> tensor<2x8x2xf32>
  %71 = tensor.empty() : tensor<2x8x2xf32>
  %76 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, 0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51, %28 : tensor<2x1x2xf32>, tensor<2x8x2xf32>) outs(%71 : tensor<2x8x2xf32>) {
    ^bb0(%72: f32, %73: f32, %74: f32):
      %75 = arith.mulf %72, %73 : f32
      linalg.yield %75 : f32
  } -> tensor<2x8x2xf32>
  %77 = tensor.empty() : tensor<2x8x2xf32>
  %82 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, 0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58, %37 : tensor<2x1x2xf32>, tensor<2x8x2xf32>) outs(%77 : tensor<2x8x2xf32>) {
    ^bb0(%78: f32, %79: f32, %80: f32):
      %81 = arith.mulf %78, %79 : f32
      linalg.yield %81 : f32
  } -> tensor<2x8x2xf32>
  %83 = tensor.empty() : tensor<2x8x2xf32>
  %88 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82, %76 : tensor<2x8x2xf32>, tensor<2x8x2xf32>) outs(%83 : tensor<2x8x2xf32>) {
    ^bb0(%84: f32, %85: f32, %86: f32):
      %87 = arith.addf %84, %85 : f32
      linalg.yield %87 : f32
  } -> tensor<2x8x2xf32>
  %89 = tensor.concat dim(2) %88, %70 : (tensor<2x8x2xf32>, tensor<2x8x2xf32>) -> tensor<2x8x4xf32>
  %90 = tensor.empty() : tensor<2x8x1xf32>
  %95 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44, %c0 : tensor<2x8x1xf32>, tensor<f32>) outs(%90 : tensor<2x8x1xf32>) {
    ^bb0(%91: f32, %92: f32, %93: f32):
      %94 = arith.mulf %91, %92 : f32
      linalg.yield %94 : f32
  } -> tensor<2x8x1xf32>
  %96 = tensor.empty() : tensor<2x8x4xf32>
  %101 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, 0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%95, %89 : tensor<2x8x1xf32>, tensor<2x8x4xf32>) outs(%96 : tensor<2x8x4xf32>) {
    ^bb0(%97: f32, %98: f32, %99: f32):
      %100 = arith.mulf %97, %98 : f32
      linalg.yield %100 : f32
  } -> tensor<2x8x4xf32>
  %102 = tensor.empty() : tensor<2x8x6xf32>
  %107 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%in0, %c0 : tensor<2x8x6xf32>, tensor<f32>) outs(%102 : tensor<2x8x6xf32>) {
    ^bb0(%103: f32, %104: f32, %105: f32):
      %106 = arith.mulf %103, %104 : f32
      linalg.yield %106 : f32
  } -> tensor<2x8x6xf32>
  %108 = tensor.concat dim(2) %107, %101, %50 : (tensor<2x8x6xf32>, tensor<2x8x4xf32>, tensor<2x8x1xf32>) -> tensor<2x8x11xf32>
  %109 = tensor.expand_shape %108 [[0, 1], [2], [3]] output_shape [1, 2, 8, 11] : tensor<2x8x11xf32> into tensor<1x2x8x11xf32>
  %112 = tensor.empty() : tensor<1x2x8x8xf32>
  %110 = arith.constant 0.00000000000000000e+00 : f32
  %111 = linalg.fill ins(%110 : f32) outs(%112 : tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32>
  %118 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%109, %43 : tensor<1x2x8x11xf32>, tensor<1x2x11x8xf32>) outs(%111 : tensor<1x2x8x8xf32>) {
    ^bb0(%113: f32, %114: f32, %115: f32):
      %116 = arith.mulf %113, %114 : f32
      %117 = arith.addf %115, %116 : f32
      linalg.yield %117 : f32
  } -> tensor<1x2x8x8xf32>
  %119 = tensor.empty() : tensor<1x2x8x8xf32>
  %124 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%118, %c0 : tensor<1x2x8x8xf32>, tensor<f32>) outs(%119 : tensor<1x2x8x8xf32>) {
    ^bb0(%120: f32, %121: f32, %122: f32):
      %123 = arith.divf %120, %121 : f32
      linalg.yield %123 : f32
  } -> tensor<1x2x8x8xf32>
  %127 = tensor.empty() : tensor<1x2x8xf32>
  %125 = arith.constant 0xFF800000 : f32
  %126 = linalg.fill ins(%125 : f32) outs(%127 : tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  %131 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%124 : tensor<1x2x8x8xf32>) outs(%126 : tensor<1x2x8xf32>) {
    ^bb0(%128: f32, %129: f32):
      %130 = arith.maximumf %129, %128 : f32
      linalg.yield %130 : f32
  } -> tensor<1x2x8xf32>
  %132 = tensor.expand_shape %131 [[0], [1], [2, 3]] output_shape [1, 2, 8, 1] : tensor<1x2x8xf32> into tensor<1x2x8x1xf32>
  %133 = tensor.empty() : tensor<1x2x8x8xf32>
  %138 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%124, %132 : tensor<1x2x8x8xf32>, tensor<1x2x8x1xf32>) outs(%133 : tensor<1x2x8x8xf32>) {
    ^bb0(%134: f32, %135: f32, %136: f32):
      %137 = arith.subf %134, %135 : f32
      linalg.yield %137 : f32
  } -> tensor<1x2x8x8xf32>
  %139 = tensor.empty() : tensor<1x2x8x8xf32>
  %143 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%138 : tensor<1x2x8x8xf32>) outs(%139 : tensor<1x2x8x8xf32>) {
    ^bb0(%140: f32, %141: f32):
      %142 = math.exp %140 : f32
      linalg.yield %142 : f32
  } -> tensor<1x2x8x8xf32>
  %146 = tensor.empty() : tensor<1x2x8xf32>
  %144 = arith.constant 0.00000000000000000e+00 : f32
  %145 = linalg.fill ins(%144 : f32) outs(%146 : tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  %150 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%143 : tensor<1x2x8x8xf32>) outs(%145 : tensor<1x2x8xf32>) {
    ^bb0(%147: f32, %148: f32):
      %149 = arith.addf %148, %147 : f32
      linalg.yield %149 : f32
  } -> tensor<1x2x8xf32>
  %151 = tensor.expand_shape %150 [[0], [1], [2, 3]] output_shape [1, 2, 8, 1] : tensor<1x2x8xf32> into tensor<1x2x8x1xf32>
  %152 = tensor.empty() : tensor<1x2x8x8xf32>
  %157 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%143, %151 : tensor<1x2x8x8xf32>, tensor<1x2x8x1xf32>) outs(%152 : tensor<1x2x8x8xf32>) {
    ^bb0(%153: f32, %154: f32, %155: f32):
      %156 = arith.divf %153, %154 : f32
      linalg.yield %156 : f32
  } -> tensor<1x2x8x8xf32>
  %160 = tensor.empty() : tensor<1x2x8x6xf32>
  %158 = arith.constant 0.00000000000000000e+00 : f32
  %159 = linalg.fill ins(%158 : f32) outs(%160 : tensor<1x2x8x6xf32>) -> tensor<1x2x8x6xf32>
  // expected-remark @+1 {{the last 5 packed columns of query and key are a prior again}}
  %166 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%157, %1 : tensor<1x2x8x8xf32>, tensor<1x2x8x6xf32>) outs(%159 : tensor<1x2x8x6xf32>) {
    ^bb0(%161: f32, %162: f32, %163: f32):
      %164 = arith.mulf %161, %162 : f32
      %165 = arith.addf %163, %164 : f32
      linalg.yield %165 : f32
  } -> tensor<1x2x8x6xf32>
  return %166 : tensor<1x2x8x6xf32>
}
// CHECK-LABEL: func.func @packed(
// CHECK:         goat.attention {{.*}} score {
// CHECK-NEXT:    ^bb0(%[[S:.*]]: f32, %[[B:.*]]: index, %[[H:.*]]: index, %[[I:.*]]: index, %[[J:.*]]: index):
// CHECK:           %[[D:.*]] = arith.subi %[[I]], %[[J]] : index
// CHECK:           %[[N:.*]] = arith.index_cast %[[D]] : index to i32
// CHECK:           %[[F:.*]] = arith.sitofp %[[N]] : i32 to f32
// CHECK:           %[[X:.*]] = arith.mulf %[[F]], %{{.*}}
// CHECK:           math.cos %[[X]]
// CHECK:           math.sin %[[X]]
// CHECK:           math.cos
// CHECK:           math.sin
// CHECK-NOT:       math.cos
// CHECK:           %[[T:.*]] = arith.addf %[[S]], %{{.*}}
// CHECK:           goat.yield %[[T]]
// CHECK:         static_scale = 0.577350259 : f32
// CHECK-SAME:    tensor<1x2x8x6xf32>, tensor<1x2x8x6xf32>, tensor<1x2x8x6xf32>
