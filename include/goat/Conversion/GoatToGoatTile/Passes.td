//===- Passes.td - from attention to tiles -----------------*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_CONVERSION_GOATTOGOATTILE_PASSES_TD
#define GOAT_CONVERSION_GOATTOGOATTILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def NormalizeScore : Pass<"goat-normalize-score", "::mlir::func::FuncOp"> {
  let summary = "write score regions as sums, the terms of each kind together";
  let description = [{
    Rewrites the score region of every `goat.attention` so that schedules find the
    terms they have a cheap way for: a function of the distance, of the key, or of
    the query alone.

    - `a - b` becomes `a + (-b)`, and minus a sum the sum of the negated.
    - A factor or divisor that is the same for all queries and keys (of batch and
      head only) is multiplied into a sum of different kinds of terms.
    - A constant factor of the score goes into a constant scale.
    - A plug-in that mixes kinds is replaced by its expansion where that is a sum.
    - The summands of a sum are ordered: what has the score in it, terms of the
      distance, of the key, of the query, and the rest.

    Only what f32 rounds differently changes.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ChooseSchedule : Pass<"goat-choose-schedule", "::mlir::func::FuncOp"> {
  let summary = "decide which kernel each attention becomes, and its tile sizes";
  let description = [{
    Writes `goat_tile.schedule` on every `goat.attention` that has none. A
    schedule that is already there is kept, which is how a user overrides the
    choice. An option of 0, or auto, leaves the choice to the pass: the tile sizes
    that fit the chip with the fewest predicted clocks per score, which
    `goat_tile.schedule_reason` spells out. A prediction, from counts and
    published rates; nothing was timed.
  }];
  let options = [
    Option<"rows", "tile-rows", "int64_t", "0", "query rows of a block">,
    Option<"keys", "tile-keys", "int64_t", "0", "keys of a tile">,
    Option<"warps", "warps", "int64_t", "0", "warps of a block">,
    Option<"stages", "stages", "int64_t", "0",
           "shared-memory stages of key and value tiles">,
    Option<"strip", "strip", "std::string", "\"auto\"",
           "where values over the distance come from: auto, tile, block or table">,
    Option<"keyTerms", "key-terms", "std::string", "\"auto\"",
           "how functions of the key are added: auto, add or product">,
    Option<"maskIndex", "mask-index", "std::string", "\"auto\"",
           "when an index of key tiles is built: auto, always, never or given">,
    Option<"f32Product", "f32-product", "std::string", "\"exact\"",
           "how query, key and value of f32 are multiplied: exact or tf32">,
    Option<"keySource", "key-source", "std::string", "\"auto\"",
           "where values over the key come from: auto, tile or table">,
    Option<"loadQ", "load-q", "std::string", "\"auto\"",
           "where the load region of query is evaluated: auto, kernel or block">,
    Option<"target", "target", "std::string", "\"sm_90\"",
           "the chip whose limits and rates the choice is made for">
  ];
  let dependentDialects = ["::goat::tile::GoatTileDialect"];
}

def ConvertGoatToGoatTile
    : Pass<"convert-goat-to-goat-tile", "::mlir::ModuleOp"> {
  let summary = "build the kernel of each attention from its schedule";
  let description = [{
    Replaces every function that holds one `goat.attention` and returns its
    results by a `gpu.module` of the function's name with one kernel. What no
    schedule can build yet is refused by name.
  }];
  let dependentDialects = [
    "::goat::tile::GoatTileDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // GOAT_CONVERSION_GOATTOGOATTILE_PASSES_TD
