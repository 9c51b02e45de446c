// RUN: goat-test-opt %s --split-input-file --verify-diagnostics
// A foreign op refuses what it cannot stand.

func.func @recency(%q: tensor<1x4x8x64xbf16>, %slope: f32) -> f32 {
  // expected-error @below {{'foreign.recency' op expected to stand in the score region of goat.attention, whose coordinates it reads}}
  %0 = foreign.recency %slope
  return %0 : f32
}

// -----

func.func @bucket(%table: tensor<4x?xf32>, %h: index) -> f32 {
  // expected-error @below {{'foreign.bucket_prior' op expected a table of static shape but got 'tensor<4x?xf32>'}}
  %0 = foreign.bucket_prior %table at %h distance %h : tensor<4x?xf32>
  return %0 : f32
}

// -----

func.func @dilated(%d: index) -> i1 {
  // expected-error @below {{'foreign.dilated_mask' op expected a positive dilation but got 0}}
  %0 = foreign.dilated_mask %d dilation = 0
  return %0 : i1
}
