// RUN: goat-opt %s | goat-opt | FileCheck %s
// RUN: goat-opt %s --emit-bytecode | goat-opt | FileCheck %s
// Every optional operand, attribute and region of goat.attention survives text
// and bytecode, and so do the ops that the layer of layer.mlir does not hold.

// CHECK-LABEL: func.func @operands
// CHECK: goat.attention {{.*}} scale({{%.*}}) sink({{%.*}} : tensor<2xf32>) q_offset({{%.*}} : tensor<1xi32>) k_offset({{%.*}} : i32) q_lengths({{%.*}} : tensor<1xi32>) k_lengths({{%.*}} : tensor<1xi32>) exclude {
// CHECK: goat.query_position
// CHECK: goat.row_sum {{%.*}} : tensor<8xf32>
// CHECK: goat.row_max {{%.*}} : tensor<8xf32>
// CHECK: goat.xsa {{%.*}}, {{%.*}} strength({{%.*}}) {eps = 9.765625E-4 : f32, eps_mode = #goat.eps_mode<where>} : tensor<8xf32>
// CHECK: } own {
func.func @operands(%q: tensor<1x2x4x8xf32>, %scale: f32, %sink: tensor<2xf32>,
    %qo: tensor<1xi32>, %ko: i32, %n: tensor<1xi32>) -> tensor<1x2x4x8xf32> {
  %out, %lse = goat.attention %q, %q, %q scale(%scale) sink(%sink : tensor<2xf32>)
      q_offset(%qo : tensor<1xi32>) k_offset(%ko : i32)
      q_lengths(%n : tensor<1xi32>) k_lengths(%n : tensor<1xi32>)
    exclude {
    ^bb0(%y: tensor<8xf32>, %own: tensor<8xf32>, %b: index, %h: index, %i: index):
      %p = goat.query_position %b, %i
      %sum = goat.row_sum %y : tensor<8xf32>
      %max = goat.row_max %y : tensor<8xf32>
      %a = arith.subf %sum, %max : f32
      %z = goat.xsa %y, %own strength(%a) {eps_mode = #goat.eps_mode<where>, eps = 9.765625e-4 : f32} : tensor<8xf32>
      goat.yield %z : tensor<8xf32>
    } own {
    ^bb0(%b: index, %h: index, %i: index):
      goat.yield %i : index
    } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>, tensor<1x2x4xf32>)
  return %out : tensor<1x2x4x8xf32>
}

// CHECK-LABEL: func.func @attributes
// CHECK: goat.key_position
// CHECK: attributes {normalizer = #goat.normalizer<sigmoid>, static_k_offset = -2 : i32, static_q_offset = 3 : i32}
func.func @attributes(%q: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %out = goat.attention %q, %q, %q
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %p = goat.key_position %b, %j
      %zero = arith.constant 0 : index
      %m = arith.cmpi sge, %p, %zero : index
      goat.yield %m : i1
    } attributes {normalizer = #goat.normalizer<sigmoid>, static_q_offset = 3 : i32, static_k_offset = -2 : i32}
    : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>)
  return %out : tensor<1x2x4x8xf32>
}
