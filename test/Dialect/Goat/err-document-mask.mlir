// RUN: goat-opt %s -split-input-file -verify-diagnostics
// There is a number for each query and each key.

// (C1) outside
func.func @outside(%i: index, %ids: tensor<?xi32>) {
  // expected-error @+1 {{(C1) expected to stand inside a region of goat.attention, whose offsets it reads}}
  %m = goat.document_mask %ids, %ids at(%i, %i, %i) : tensor<?xi32>, tensor<?xi32>
  return
}

// -----

// (C2) one per batch entry, one for all
func.func @ranks(%q: tensor<1x1x4x8xf32>, %a: tensor<1x4xi32>, %c: tensor<4xi32>) -> tensor<1x1x4x8xf32> {
  %out = goat.attention %q, %q, %q
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      // expected-error @+1 {{(C2) expected query_ids and key_ids to have one rank but got 2 and 1}}
      %m = goat.document_mask %a, %c at(%b, %i, %j) : tensor<1x4xi32>, tensor<4xi32>
      goat.yield %m : i1
    } : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> (tensor<1x1x4x8xf32>)
  return %out : tensor<1x1x4x8xf32>
}

// -----

// (C3) the query length
func.func @lengths(%q: tensor<1x1x4x8xf32>, %k: tensor<1x1x6x8xf32>, %ids: tensor<6xi32>) -> tensor<1x1x4x8xf32> {
  // expected-note @+1 {{the attention it belongs to}}
  %out = goat.attention %q, %k, %k
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      // expected-error @+1 {{(C3) expected query_ids to have the query length 4 but got 6}}
      %m = goat.document_mask %ids, %ids at(%b, %i, %j) : tensor<6xi32>, tensor<6xi32>
      goat.yield %m : i1
    } : (tensor<1x1x4x8xf32>, tensor<1x1x6x8xf32>, tensor<1x1x6x8xf32>) -> (tensor<1x1x4x8xf32>)
  return %out : tensor<1x1x4x8xf32>
}

// -----

// (C3) the batch size
func.func @batch(%q: tensor<1x1x4x8xf32>, %ids: tensor<2x4xi32>) -> tensor<1x1x4x8xf32> {
  // expected-note @+1 {{the attention it belongs to}}
  %out = goat.attention %q, %q, %q
    mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      // expected-error @+1 {{(C3) expected query_ids to have the batch size 1 but got 2}}
      %m = goat.document_mask %ids, %ids at(%b, %i, %j) : tensor<2x4xi32>, tensor<2x4xi32>
      goat.yield %m : i1
    } : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> (tensor<1x1x4x8xf32>)
  return %out : tensor<1x1x4x8xf32>
}
