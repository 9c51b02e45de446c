//===- GoatCoordinates.td - positions and row reductions ---*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_COORDINATES_TD
#define GOAT_COORDINATES_TD

include "goat/Dialect/Goat/IR/GoatDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// An op that only makes sense inside a region of goat.attention, because it
/// reads the op's offsets. (C1) of each such op.
class Goat_CoordinateOp<string mnemonic> : Goat_Op<mnemonic, [Pure]> {
  let results = (outs Index:$result);
  let hasVerifier = 1;
}

def QueryPositionOp : Goat_CoordinateOp<"query_position"> {
  let summary = "position(i) = i + q_offset[b]";
  let description = [{
    The position of query row `i`. Constraints: (C1) stands inside a region of
    `goat.attention`.
  }];
  let arguments = (ins Index:$batch, Index:$query);
  let assemblyFormat = "$batch `,` $query attr-dict";
}

def KeyPositionOp : Goat_CoordinateOp<"key_position"> {
  let summary = "position(j) = j + k_offset[b]";
  let description = [{
    The position of key row `j`. Constraints: (C1) stands inside a region of
    `goat.attention`.
  }];
  let arguments = (ins Index:$batch, Index:$key);
  let assemblyFormat = "$batch `,` $key attr-dict";
}

def DistanceOp : Goat_CoordinateOp<"distance"> {
  let summary = "δ = position(i) − position(j)";
  let description = [{
    The relative distance, query minus key; negative for a key that comes later.
    What depends on it alone is generated as a strip of values over δ instead of
    one value per pair. Constraints: (C1) stands inside a region of
    `goat.attention`.
  }];
  let arguments = (ins Index:$batch, Index:$query, Index:$key);
  let assemblyFormat = "$batch `,` $query `,` $key attr-dict";
}

class Goat_RowReductionOp<string mnemonic, string what>
    : Goat_Op<mnemonic, [Pure]> {
  let summary = what # " over the elements of a row, in f32";
  let description = [{
    Reduces a row of an exclusion region to one f32. Constraints: (C1) the row
    has a static, positive size.
  }];
  let arguments = (ins 1DTensorOf<[F32]>:$row);
  let results = (outs F32:$result);
  let assemblyFormat = "$row attr-dict `:` type($row)";
  let hasVerifier = 1;
}
def RowSumOp : Goat_RowReductionOp<"row_sum", "sum">;
def RowMaxOp : Goat_RowReductionOp<"row_max", "maximum">;

#endif // GOAT_COORDINATES_TD
