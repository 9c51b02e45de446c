// RUN: goat-opt --goat-raise-attention %s 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// Minus infinity is a mask. A finite number is one where every row provably
// keeps a key, and a number of the score elsewhere: a row without one averages.
#q = affine_map<(n, i, j, d) -> (n, i, d)>
#k = affine_map<(n, i, j, d) -> (n, j, d)>
#s = affine_map<(n, i, j, d) -> (n, i, j)>
#id = affine_map<(n, i, j) -> (n, i, j)>
func.func @infinite(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>, %seen: tensor<16x16xi1>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%s : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) {
  ^bb0(%a: f32, %c: f32):
    %never = arith.constant 0xFF800000 : f32
    %n = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %see = tensor.extract %seen[%i, %j] : tensor<16x16xi1>
    %x = arith.select %see, %a, %never : f32
    linalg.yield %x : f32
  } -> tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @infinite(
// CHECK-SAME:    %[[SEEN:[a-z0-9]*]]: tensor<16x16xi1>)
// CHECK:         goat.attention {{.*}} mask {
// CHECK-NEXT:    ^bb0(%{{.*}}: index, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index):
// CHECK-NEXT:      %[[SEE:.*]] = tensor.extract %[[SEEN]][%[[I]], %[[J]]]
// CHECK-NEXT:      goat.yield %[[SEE]] : i1

func.func @finite_causal(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%s : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) {
  ^bb0(%a: f32, %c: f32):
    %never = arith.constant -1.0e9 : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %see = arith.cmpi sge, %i, %j : index
    %x = arith.select %see, %a, %never : f32
    linalg.yield %x : f32
  } -> tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @finite_causal(
// CHECK:         goat.attention {{.*}} mask {
// CHECK-NEXT:    ^bb0(%{{.*}}: index, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index):
// CHECK-NEXT:      arith.cmpi sge, %[[I]], %[[J]] : index

func.func @finite_given(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>, %seen: tensor<16x16xi1>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%s : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) {
  ^bb0(%a: f32, %c: f32):
    %never = arith.constant -1.0e9 : f32
    %n = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %see = tensor.extract %seen[%i, %j] : tensor<16x16xi1>
    %x = arith.select %see, %a, %never : f32
    linalg.yield %x : f32
  } -> tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @finite_given(
// CHECK:         goat.attention {{.*}} score {
// CHECK:           arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK-NOT:     mask
// CHECK:         return

func.func @additive(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>, %hidden: tensor<4x16x16xi1>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %none = arith.constant dense<0.0> : tensor<4x16x16xf32>
  %low = arith.constant dense<0xFF800000> : tensor<4x16x16xf32>
  %m = arith.select %hidden, %low, %none : tensor<4x16x16xi1>, tensor<4x16x16xf32>
  %t = arith.addf %s, %m : tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @additive(
// CHECK:         goat.attention {{.*}} mask {
// CHECK:           %[[HIDDEN:.*]] = tensor.extract
// CHECK:           %[[TRUE:.*]] = arith.constant true
// CHECK:           arith.xori %[[HIDDEN]], %[[TRUE]] : i1

func.func @finite_documents(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>, %document: tensor<4x16xi64>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%s : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) {
  ^bb0(%a: f32, %c: f32):
    %none = arith.constant 0.0 : f32
    %never = arith.constant -1.0e9 : f32
    %n = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %past = arith.cmpi sle, %j, %i : index
    %of_i = tensor.extract %document[%n, %i] : tensor<4x16xi64>
    %of_j = tensor.extract %document[%n, %j] : tensor<4x16xi64>
    %same = arith.cmpi eq, %of_i, %of_j : i64
    %see = arith.andi %past, %same : i1
    %m = arith.select %see, %none, %never : f32
    %x = arith.addf %a, %m : f32
    linalg.yield %x : f32
  } -> tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @finite_documents(
// A row sees its own key whatever a tensor holds.
// CHECK:         goat.attention {{.*}} mask {
// CHECK:           arith.cmpi eq, %{{.*}}, %{{.*}} : i64

func.func @within_a_sum(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>, %bias: tensor<16xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%s : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) {
  ^bb0(%a: f32, %c: f32):
    %none = arith.constant 0.0 : f32
    %never = arith.constant -1.0e9 : f32
    %n = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %past = arith.cmpi sle, %j, %i : index
    %low = arith.constant 0xFF800000 : f32
    %m = arith.select %past, %none, %low : f32
    %b = tensor.extract %bias[%j] : tensor<16xf32>
    %masked = arith.addf %a, %m : f32
    %x = arith.addf %masked, %b : f32
    linalg.yield %x : f32
  } -> tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @within_a_sum(
// A mask is found wherever in a sum it stands.
// CHECK:         goat.attention {{.*}} score {
// CHECK:           tensor.extract
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      goat.yield
// CHECK:         mask {
// CHECK:           arith.cmpi sle

func.func @one_in_another(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%s : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) {
  ^bb0(%a: f32, %c: f32):
    %none = arith.constant 0.0 : f32
    %never = arith.constant -1.0e9 : f32
    %n = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %past = arith.cmpi sle, %j, %i : index
    %gap = arith.subi %i, %j : index
    %four = arith.constant 4 : index
    %far = arith.cmpi sgt, %gap, %four : index
    %inner = arith.select %far, %never, %none : f32
    %m = arith.select %past, %inner, %never : f32
    %x = arith.addf %a, %m : f32
    linalg.yield %x : f32
  } -> tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @one_in_another(
// CHECK:         goat.attention {{.*}} mask {
// CHECK-DAG:       arith.cmpi sle
// CHECK-DAG:       arith.cmpi sgt

func.func @computed(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%s : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) {
  ^bb0(%a: f32, %c: f32):
    %none = arith.constant 0.0 : f32
    %never = arith.constant -1.0e9 : f32
    %n = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %above = arith.subi %j, %i : index
    %one = arith.constant 1 : index
    %oneF = arith.constant 1.0 : f32
    %hidden = arith.cmpi sge, %above, %one : index
    %m = arith.select %hidden, %never, %none : f32
    %later = arith.cmpi sgt, %j, %i : index
    %f = arith.uitofp %later : i1 to f32
    %product = arith.mulf %m, %f : f32
    %sum = arith.addf %product, %oneF : f32
    %given = arith.cmpf oeq, %sum, %none : f32
    %both = arith.select %given, %never, %product : f32
    %x = arith.addf %a, %both : f32
    linalg.yield %x : f32
  } -> tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @computed(
// What two comparisons that are one make of numbers is a mask of that one.
// CHECK-NOT:     score {
// CHECK:         goat.attention {{.*}} mask {
// CHECK:           %[[HIDDEN:.*]] = arith.cmpi sge
// CHECK:           arith.xori %[[HIDDEN]]
// CHECK-NEXT:      goat.yield

func.func @least_of_f16(%q: tensor<4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x16x8xf32>, tensor<4x16x8xf32>) outs(%fs : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%s : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) {
  ^bb0(%a: f32, %c: f32):
    %none = arith.constant 0.0 : f32
    %never = arith.constant -1.0e9 : f32
    %n = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %past = arith.cmpi sle, %j, %i : index
    %noneH = arith.constant 0.0 : f16
    %least = arith.constant -6.550400e+04 : f16
    %h = arith.select %past, %noneH, %least : f16
    %m = arith.extf %h : f16 to f32
    %x = arith.addf %a, %m : f32
    linalg.yield %x : f32
  } -> tensor<4x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<4x16x16xf32>) outs(%es : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
  %ey = tensor.empty() : tensor<4x16x8xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fy : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
  return %y : tensor<4x16x8xf32>
}
// CHECK-LABEL: func.func @least_of_f16(
// The least number of f16 is meant as −∞.
// CHECK-NOT:     score {
// CHECK:         goat.attention {{.*}} mask {
// CHECK:           arith.cmpi sle

// REMARK: remark: a mask of finite numbers stays in the score, as it may leave a row without a key; one of −∞, or of booleans, would leave out whole tiles
// REMARK-NOT: remark
