//===- GoatMasks.td - which keys a query may see -----------*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_MASKS_TD
#define GOAT_MASKS_TD

include "goat/Dialect/Goat/IR/GoatDialect.td"
include "goat/Dialect/Goat/IR/GoatInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Masks are combined by arith.andi, arith.ori, and arith.xori with true for
// "not". Which blocks of keys are empty, full or partial is worked out for what
// they are combined to, and for comparisons of positions written by hand. What
// only an op knows beyond its expansion it answers to MaskOpInterface.

class Goat_Mask<string mnemonic, list<string> answers = [],
                list<Trait> traits = []>
    : Goat_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<PluginOpInterface>,
                         DeclareOpInterfaceMethods<MaskOpInterface, answers>]
                        # traits> {
  let results = (outs I1:$result);
  let hasVerifier = 1;
}

def CausalMaskOp : Goat_Mask<"causal_mask", ["buildKeyRange"]> {
  let summary = "position(j) ≤ position(i)";
  let description = [{
    True where the key does not come after the query, in positions. The offsets
    of `goat.attention` say how the two sequences are aligned: by default the
    last query stands at the last key (bottom-right); with
    `static_q_offset = 0 : i32` the first query stands at the first key
    (top-left). Constraints: (C1) stands inside a region of `goat.attention`.
  }];
  let arguments = (ins Index:$batch, Index:$query, Index:$key);
  let assemblyFormat = "$batch `,` $query `,` $key attr-dict";
}

def WindowMaskOp
    : Goat_Mask<"window_mask", [], [AttrSizedOperandSegments]> {
  let summary = "−right ≤ δ ≤ left, every dilation-th distance";
  let description = [{
    A sliding window in positions: the query at position p sees the keys at
    p − left to p + right, both included. A width that is not given is
    unbounded. Widths are i32 values, constant or known at run time; a negative
    one ends the window before (`left`: behind) the query itself, so that
    `left(%c-1)` with `right(%c4)` sees the four keys after it.

    With `dilation` = n > 1 only distances that are multiples of n count; widths
    stay in positions.

    Example, the last 128 tokens and oneself:

    ```mlir
    %left = arith.constant 128 : i32
    %right = arith.constant 0 : i32
    %m = goat.window_mask %b, %i, %j left(%left) right(%right)
    ```

    Constraints:
    - (C1) stands inside a region of `goat.attention`.
    - (C2) at least one of left, right and a dilation above 1 is given.
    - (C3) widths lie in (−2^30, 2^30); those given at run time are the
      caller's promise.
    - (C4) dilation is positive.
  }];
  let arguments = (ins Index:$batch, Index:$query, Index:$key,
                       Optional<I32>:$left, Optional<I32>:$right,
                       DefaultValuedAttr<I64Attr, "1">:$dilation);
  let assemblyFormat = [{
    $batch `,` $query `,` $key (`left` `(` $left^ `)`)?
    (`right` `(` $right^ `)`)? (`dilation` $dilation^)? attr-dict
  }];
}

def PrefixMaskOp : Goat_Mask<"prefix_mask"> {
  let summary = "position(j) < length";
  let description = [{
    True for the keys at the first `length` positions, whatever the query. With
    `goat.causal_mask` or it makes a prefix language model; with
    `goat.window_mask` the attention sinks of StreamingLLM (arXiv 2309.17453);
    with `goat.document_mask` a prefix that all documents share. A length per
    batch entry is read in the region:

    ```mlir
    %n = tensor.extract %lengths[%b] : tensor<?xi32>
    %prefix = goat.prefix_mask %b, %j length(%n)
    %causal = goat.causal_mask %b, %i, %j
    %m = arith.ori %prefix, %causal : i1
    ```

    Constraints: (C1) stands inside a region of `goat.attention`.
  }];
  let arguments = (ins Index:$batch, Index:$key, I32:$length);
  let assemblyFormat = "$batch `,` $key `length` `(` $length `)` attr-dict";
}

def DocumentMaskOp : Goat_Mask<"document_mask", ["buildKeyRange"]> {
  let summary = "query_ids[b, i] = key_ids[b, j]";
  let description = [{
    True where query and key carry the same number: documents packed into one
    row, or segments. The numbers are the user's data and are indexed by rows,
    not positions; a rank of 1 stands for one row of numbers for all batch
    entries. For self-attention both operands are the same tensor.

    `sorted` promises that the numbers of the rows that count (up to the length
    of the batch entry) never fall, in both tensors. The keys of a document are
    then consecutive and are found by binary search, so that others are neither
    read nor multiplied. Numbers in any order are found by an index of blocks.

    Constraints:
    - (C1) stands inside a region of `goat.attention`.
    - (C2) query_ids and key_ids have one rank.
    - (C3) their sizes are those of the attention: batch, query and key length.
  }];
  let arguments = (ins TensorRankOf<[I32], [1, 2]>:$query_ids,
                       TensorRankOf<[I32], [1, 2]>:$key_ids,
                       Index:$batch, Index:$query, Index:$key,
                       UnitAttr:$sorted);
  let assemblyFormat = [{
    (`sorted` $sorted^)? $query_ids `,` $key_ids `at` `(` $batch `,` $query `,`
    $key `)` attr-dict `:` type($query_ids) `,` type($key_ids)
  }];
}

def NeighborhoodMaskOp : Goat_Mask<"neighborhood_mask"> {
  let summary = "the nearest tokens on a grid, as in NATTEN";
  let description = [{
    Tokens stand on a grid of the given extents (height × width for an image),
    numbered by position, the last axis fastest. Along each axis a query at x
    sees the `kernel` consecutive places that begin at
    `min(max(x − kernel / 2, 0), extent − kernel)`: those around it, moved
    inwards at the border so that every query sees equally many
    (neighbourhood attention, arXiv 2204.07143). What stands at a position
    outside of the grid sees nothing and is not seen.

    Constraints:
    - (C1) stands inside a region of `goat.attention`.
    - (C2) extents and kernel have one to three elements, equally many.
    - (C3) each size of kernel is odd, positive and no more than its extent.
    - (C4) the grid has less than 2^30 places.
  }];
  let arguments = (ins Index:$batch, Index:$query, Index:$key,
                       DenseI64ArrayAttr:$extents, DenseI64ArrayAttr:$kernel);
  let assemblyFormat = [{
    $batch `,` $query `,` $key `grid` $extents `kernel` $kernel attr-dict
  }];
}

#endif // GOAT_MASKS_TD
