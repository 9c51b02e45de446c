// Priors of tokens that stand on a grid.

// Of an image 12 wide, a term for each axis, a key prior beside them.
func.func @image(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %alpha: tensor<4x3xf32>, %beta: tensor<4x3xf32>, %omega: tensor<3xf32>, %u: tensor<2x?xf32>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %w = arith.constant 12 : index
      %yi = arith.divui %i, %w : index
      %xi = arith.remui %i, %w : index
      %yj = arith.divui %j, %w : index
      %xj = arith.remui %j, %w : index
      %dy = arith.subi %yi, %yj : index
      %dx = arith.subi %xi, %xj : index
      %py = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %dy
      : tensor<4x3xf32>, tensor<4x3xf32>, tensor<3xf32>
      %px = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %dx
      : tensor<4x3xf32>, tensor<4x3xf32>, tensor<3xf32>
      %uj = goat.key_prior %u at (%b, %h, %j) : tensor<2x?xf32>
      %s1 = arith.addf %s, %py : f32
      %s2 = arith.addf %s1, %px : f32
      %t = arith.addf %s2, %uj : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %m = goat.causal_mask %b, %i, %j
      goat.yield %m : i1
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}

// Of a window of 7 × 7, a table of both axes.
func.func @swin(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %table: tensor<4x13x13xf32>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %w = arith.constant 7 : index
      %yi = arith.divui %i, %w : index
      %xi = arith.remui %i, %w : index
      %yj = arith.divui %j, %w : index
      %xj = arith.remui %j, %w : index
      %dy = arith.subi %yi, %yj : index
      %dx = arith.subi %xi, %xj : index
      %r = arith.constant 6 : index
      %ay = arith.addi %dy, %r : index
      %ax = arith.addi %dx, %r : index
      %p = tensor.extract %table[%h, %ay, %ax] : tensor<4x13x13xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}

// Of an image 200 wide, the key before the query, in i32.
func.func @wide(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %alpha: tensor<4x3xf32>, %beta: tensor<4x3xf32>, %omega: tensor<3xf32>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %w = arith.constant 200 : index
      %yi = arith.divui %i, %w : index
      %xi = arith.remui %i, %w : index
      %yj = arith.divui %j, %w : index
      %xj = arith.remui %j, %w : index
      %dy = arith.subi %yi, %yj : index
      %nxi = arith.index_cast %xi : index to i32
      %nxj = arith.index_cast %xj : index to i32
      %nx = arith.subi %nxj, %nxi : i32
      %dx = arith.index_cast %nx : i32 to index
      %py = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %dy
      : tensor<4x3xf32>, tensor<4x3xf32>, tensor<3xf32>
      %px = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %dx
      : tensor<4x3xf32>, tensor<4x3xf32>, tensor<3xf32>
      %p = arith.mulf %py, %px : f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}

// Of a video of frames of 4 × 6, three axes.
func.func @video(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %alpha: tensor<4x3xf32>, %beta: tensor<4x3xf32>, %omega: tensor<3xf32>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %c6 = arith.constant 6 : index
      %c4 = arith.constant 4 : index
      %c24 = arith.constant 24 : index
      %xi = arith.remui %i, %c6 : index
      %xj = arith.remui %j, %c6 : index
      %ri = arith.divui %i, %c6 : index
      %rj = arith.divui %j, %c6 : index
      %yi = arith.remui %ri, %c4 : index
      %yj = arith.remui %rj, %c4 : index
      %ti = arith.divui %ri, %c4 : index
      %tj = arith.divui %j, %c24 : index
      %dx = arith.subi %xi, %xj : index
      %dy = arith.subi %yi, %yj : index
      %dt = arith.subi %ti, %tj : index
      %px = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %dx
      : tensor<4x3xf32>, tensor<4x3xf32>, tensor<3xf32>
      %py = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %dy
      : tensor<4x3xf32>, tensor<4x3xf32>, tensor<3xf32>
      %pt = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %dt
      : tensor<4x3xf32>, tensor<4x3xf32>, tensor<3xf32>
      %a = arith.mulf %px, %py : f32
      %p = arith.addf %a, %pt : f32
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}

// After a soft cap.
func.func @after(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %alpha: tensor<4x3xf32>, %beta: tensor<4x3xf32>, %omega: tensor<3xf32>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %w = arith.constant 12 : index
      %yi = arith.divui %i, %w : index
      %xi = arith.remui %i, %w : index
      %yj = arith.divui %j, %w : index
      %xj = arith.remui %j, %w : index
      %dy = arith.subi %yi, %yj : index
      %dx = arith.subi %xi, %xj : index
      %py = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %dy
      : tensor<4x3xf32>, tensor<4x3xf32>, tensor<3xf32>
      %px = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %dx
      : tensor<4x3xf32>, tensor<4x3xf32>, tensor<3xf32>
      %c = arith.constant 15.0 : f32
      %capped = goat.softcap %s, %c
      %p = arith.addf %py, %px : f32
      %t = arith.addf %capped, %p : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}

// Columns of an image alone: every tile has one table.
func.func @columns(%query: tensor<?x4x?x64xbf16>, %key: tensor<?x2x?x64xbf16>,
    %value: tensor<?x2x?x64xbf16>, %alpha: tensor<4x3xf32>, %beta: tensor<4x3xf32>, %omega: tensor<3xf32>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>) {
  %out, %lse = goat.attention %query, %key, %value score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %w = arith.constant 9 : index
      %yi = arith.divui %i, %w : index
      %xi = arith.remui %i, %w : index
      %yj = arith.divui %j, %w : index
      %xj = arith.remui %j, %w : index
      %dy = arith.subi %yi, %yj : index
      %dx = arith.subi %xi, %xj : index
      %px = goat.fourier_prior %alpha, %beta, %omega at (%b, %h) distance %dx
      : tensor<4x3xf32>, tensor<4x3xf32>, tensor<3xf32>
      %t = arith.addf %s, %px : f32
      goat.yield %t : f32
    }
    : (tensor<?x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> (tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x4x?x64xbf16>, tensor<?x4x?xf32>
}
