// RUN: goat-opt %s -split-input-file -verify-diagnostics --goat-verify-tile
// What may not stand in a tile kernel.

gpu.module @v1_kernel {
  // expected-error@+1 {{(V1) expected a kernel with known_block_size}}
  gpu.func @kernel() kernel {
    gpu.return
  }
}

// -----

gpu.module @v1_size {
  // expected-error@+1 {{(V1) expected known_block_size to be 32, 64, ... or 1024 by 1 by 1 but got 96, 1, 1}}
  gpu.func @kernel() kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @v2_role {
  // expected-error@+1 {{(V2) expected argument 0 to have the attribute goat_tile.role}}
  gpu.func @kernel(%p: !goat_tile.ptr<f32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @v2_type {
  // expected-error@+1 {{(V2) expected argument 0 to be a pointer, an integer or a float but got 'index'}}
  gpu.func @kernel(%p: index {goat_tile.role = #goat_tile.dim<0, 0>}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @v3 {
  gpu.func @kernel() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error@+1 {{(V3) expected ops of goat_tile, arith, math, scf.for, scf.if, scf.while, gpu.block_id and gpu.return}}
    %t = gpu.thread_id x
    gpu.return
  }
}

// -----

gpu.module @v4 {
  gpu.func @kernel() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error@+1 {{(V4) expected scalars, tiles with a goat_tile encoding, and goat_tile types but got 'tensor<4xf32>'}}
    %t = arith.constant dense<0.0> : tensor<4xf32>
    gpu.return
  }
}

// -----

gpu.module @v5 {
  gpu.func @kernel() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error@+1 {{(V5) expected tiles spread over the block's 32 threads but got 'tensor<4xf32, #goat_tile.linear<threads = 64>>', spread over 64}}
    %t = arith.constant dense<0.0> : tensor<4xf32, #goat_tile.linear<threads = 64>>
    gpu.return
  }
}

// -----

gpu.module @v6 {
  gpu.func @kernel() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error@+1 {{(V6) expected an elementwise op, or a constant of one value, on tiles}}
    %t = arith.constant dense<[0.0, 1.0]> : tensor<2xf32, #goat_tile.linear<threads = 32>>
    gpu.return
  }
}

// -----

gpu.module @v2_workspace {
  // expected-error@+1 {{(V2) expected argument 0, a workspace, to be a pointer but got 'i32'}}
  gpu.func @kernel(%p: i32 {goat_tile.role = #goat_tile.workspace<0>}) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}

// -----

// expected-error@+1 {{(V7) expected one of the 2 kernels of this module to be the main one, with goat_tile.source}}
gpu.module @v7_none {
  gpu.func @a() kernel attributes {known_block_size = array<i32: 32, 1, 1>, goat_tile.grid = affine_map<() -> (1, 1, 1)>} {
    gpu.return
  }
  gpu.func @b() kernel attributes {known_block_size = array<i32: 32, 1, 1>, goat_tile.grid = affine_map<() -> (1, 1, 1)>} {
    gpu.return
  }
}

// -----

gpu.module @v7_two {
  gpu.func @a() kernel attributes {known_block_size = array<i32: 32, 1, 1>, goat_tile.grid = affine_map<() -> (1, 1, 1)>, goat_tile.source = () -> ()} {
    gpu.return
  }
  // expected-error@+1 {{(V7) expected one main kernel in a module but got 'a' and 'b' with goat_tile.source}}
  gpu.func @b() kernel attributes {known_block_size = array<i32: 32, 1, 1>, goat_tile.grid = affine_map<() -> (1, 1, 1)>, goat_tile.source = () -> ()} {
    gpu.return
  }
}

// -----

gpu.module @v7_grid {
  // expected-error@+1 {{(V7) expected a kernel of a module that is launched to have a goat_tile.grid}}
  gpu.func @a() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
  gpu.func @b() kernel attributes {known_block_size = array<i32: 32, 1, 1>, goat_tile.grid = affine_map<() -> (1, 1, 1)>, goat_tile.source = () -> ()} {
    gpu.return
  }
}

// -----

gpu.module @v7_workspace {
  // expected-error@+1 {{(V7) expected argument 1 to be one of the 2 goat_tile.workspaces of 'b' but got #goat_tile.workspace<2>}}
  gpu.func @a(%p: !goat_tile.ptr<f32> {goat_tile.role = #goat_tile.workspace<1>},
              %q: !goat_tile.ptr<f32> {goat_tile.role = #goat_tile.workspace<2>}) kernel attributes {known_block_size = array<i32: 32, 1, 1>, goat_tile.grid = affine_map<() -> (1, 1, 1)>} {
    gpu.return
  }
  gpu.func @b() kernel attributes {known_block_size = array<i32: 32, 1, 1>, goat_tile.grid = affine_map<() -> (1, 1, 1)>, goat_tile.source = () -> (),
      goat_tile.workspaces = [affine_map<() -> (4)>, affine_map<() -> (8)>], goat_tile.workspace_dims = []} {
    gpu.return
  }
}

// -----

gpu.module @v7_no_workspace {
  // expected-error@+1 {{(V7) expected argument 0 to be one of the 0 goat_tile.workspaces of 'a' but got #goat_tile.workspace<0>}}
  gpu.func @a(%p: !goat_tile.ptr<f32> {goat_tile.role = #goat_tile.workspace<0>}) kernel attributes {known_block_size = array<i32: 32, 1, 1>, goat_tile.grid = affine_map<() -> (1, 1, 1)>, goat_tile.source = () -> ()} {
    gpu.return
  }
}

// -----

gpu.module @v7_size {
  // expected-error@+1 {{(V7) expected goat_tile.workspaces of one result and a symbol for each of goat_tile.workspace_dims but got affine_map<()[s0] -> (s0)>}}
  gpu.func @a() kernel attributes {known_block_size = array<i32: 32, 1, 1>, goat_tile.grid = affine_map<() -> (1, 1, 1)>, goat_tile.source = () -> (),
      goat_tile.workspaces = [affine_map<()[s0] -> (s0)>], goat_tile.workspace_dims = []} {
    gpu.return
  }
}

// -----

gpu.module @v7_dims {
  // expected-error@+1 {{(V7) expected goat_tile.workspaces to be an array of sizes with goat_tile.workspace_dims beside it}}
  gpu.func @a() kernel attributes {known_block_size = array<i32: 32, 1, 1>, goat_tile.grid = affine_map<() -> (1, 1, 1)>, goat_tile.source = () -> (),
      goat_tile.workspaces = [affine_map<() -> (4)>]} {
    gpu.return
  }
}

// -----

gpu.module @v7_elsewhere {
  // expected-error@+1 {{(V7) expected goat_tile.workspaces on the main kernel 'b' alone}}
  gpu.func @a() kernel attributes {known_block_size = array<i32: 32, 1, 1>, goat_tile.grid = affine_map<() -> (1, 1, 1)>, goat_tile.workspaces = []} {
    gpu.return
  }
  gpu.func @b() kernel attributes {known_block_size = array<i32: 32, 1, 1>, goat_tile.grid = affine_map<() -> (1, 1, 1)>, goat_tile.source = () -> ()} {
    gpu.return
  }
}

// -----

// A barrier that some warps pass.
#mma = #goat_tile.mma<warps = 4>
#row = #goat_tile.slice<axis = 1, #mma>
gpu.module @m {
  gpu.func @verify_v8_barrier(%n: i32 {goat_tile.role = #goat_tile.dim<0, 0>}) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %i = goat_tile.iota : tensor<64xi32, #row>
    %c = arith.cmpi eq, %i, %i : tensor<64xi32, #row>
    %any = goat_tile.warp_any %c : tensor<64xi1, #row>
    scf.if %any {
      // expected-error@+1 {{(V8) expected a condition around this op that is the same in every warp, but it follows from goat_tile.warp_any; only branches around work in registers may}}
      goat_tile.barrier
    }
    gpu.return
  }
}

// -----

// A loop that carries such a condition into its next round.
#mma = #goat_tile.mma<warps = 4>
#row = #goat_tile.slice<axis = 1, #mma>
gpu.module @m {
  gpu.func @verify_v8_carried(%n: i32 {goat_tile.role = #goat_tile.dim<0, 0>}) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %i = goat_tile.iota : tensor<64xi32, #row>
    %c = arith.cmpi eq, %i, %i : tensor<64xi32, #row>
    %false = arith.constant false
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %last = scf.for %k = %c0 to %n step %c1 iter_args(%was = %false) -> (i1) : i32 {
      scf.if %was {
        // expected-error@+1 {{(V8) expected a condition around this op}}
        goat_tile.barrier
      }
      %any = goat_tile.warp_any %c : tensor<64xi1, #row>
      scf.yield %any : i1
    }
    gpu.return
  }
}
