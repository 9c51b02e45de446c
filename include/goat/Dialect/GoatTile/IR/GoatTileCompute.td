//===- GoatTileCompute.td - arithmetic on tiles ------------*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TILE_COMPUTE_TD
#define GOAT_TILE_COMPUTE_TD

include "goat/Dialect/GoatTile/IR/GoatTileTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def GoatTile_F32Product : I32EnumAttr<"F32Product", "how f32 operands are multiplied", [
  I32EnumAttrCase<"exact", 0>, I32EnumAttrCase<"tf32", 1>]> {
  let cppNamespace = "::goat::tile";
  let genSpecializedAttr = 0;
}
def GoatTile_F32ProductAttr : EnumAttr<GoatTile_Dialect, GoatTile_F32Product, "f32_product"> {
  let summary = "how f32 operands are multiplied";
  let description = [{
    - `exact`: by fused multiply-adds in f32, each rounded once.
    - `tf32`: on the tensor cores. Operands are rounded to nearest, ties away from
      zero, to the 10 bits of fraction of tf32; sums are f32.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def MmaOp : GoatTile_Op<"mma", [MemoryEffects<[MemRead]>, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "accumulator + a · b";
  let description = [{
    a is a buffer of M×K or a tile; b is a buffer of K×N, or of N×K with
    `b_transposed`. The accumulator is an f32 tile in `mma`. One op is the whole
    product: which fragments are loaded when is the lowering's choice.

    A tile a of 16-bit elements is in `mma_operand`. One of f32 is in `mma`, as
    another product left it: no element is moved for either `f32_product`.
    `rounded` says that buffers hold numbers of tf32 (`goat_tile.round_tf32`); a
    tile is rounded all the same.

    Columns of a b that is not transposed beyond the accumulator's are not read;
    f32 rows padded to 128 bytes are read without bank conflicts.
    Constraints:
    - (C1) the accumulator is an f32 tile of rank 2 in `mma`.
    - (C2) a is an M×K buffer or an M×K tile with as many warps, of f32 in `mma`,
      else in `mma_operand`.
    - (C3) b is a buffer of a's element type, of K rows and at least N columns
      or, with b_transposed, N×K.
    - (C4) elements are bf16 or f16 and K a multiple of 16, or f32 and K a
      multiple of 8.
    - (C5) `f32_product` is given for f32 elements, and for no others.
    - (C6) `rounded` is given with tf32 only.
  }];
  let arguments = (ins AnyType:$a, BufferType:$b, AnyRankedTensor:$accumulator,
                       UnitAttr:$b_transposed,
                       OptionalAttr<GoatTile_F32ProductAttr>:$f32_product,
                       UnitAttr:$rounded);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $accumulator attr-dict `:` type($a) `,` type($b) `->` type($result)
  }];
  let hasVerifier = 1;
}

def MmaRowSumOp : GoatTile_Op<"mma_row_sum", [Pure, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "accumulator + the row sums of a, by the matrix multiply";
  let description = [{
    `result[r, c] = accumulator[r, c] + Σ_k a[r, k]` for each of 8 columns c: the
    product with ones, on the tensor cores instead of the adders. a is what a
    product already holds in registers, so the sum is of the rounded values.
    Constraints:
    - (C1) the accumulator is an f32 tile in `mma` of 8 columns.
    - (C2) a is a bf16 or f16 tile in `mma_operand` with as many rows and warps.
  }];
  let arguments = (ins AnyRankedTensor:$a, AnyRankedTensor:$accumulator);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$a `,` $accumulator attr-dict `:` type($a) `->` type($result)";
  let hasVerifier = 1;
}

def MmaOnesOp : GoatTile_Op<"mma_ones", [MemoryEffects<[MemRead]>, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "accumulator + ones · bᵀ, for a narrow b";
  let description = [{
    `result[r, c] = accumulator[r, c] + Σ_k b[c, k]`: a vector over the columns,
    cut into parts by `goat_tile.write_parts`, added on the tensor cores instead
    of the adders (mma.m16n8k8).
    Constraints:
    - (C1) the accumulator is an f32 tile of rank 2 in `mma`.
    - (C2) b is a bf16 buffer of as many rows as the accumulator has columns, by
      8, and not swizzled.
  }];
  let arguments = (ins BufferType:$b, AnyRankedTensor:$accumulator);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$b `,` $accumulator attr-dict `:` type($b) `->` type($result)";
  let hasVerifier = 1;
}

def GoatTile_Reduction : I32EnumAttr<"Reduction", "how a row is reduced", [
  I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"max", 1>]> {
  let cppNamespace = "::goat::tile";
  let genSpecializedAttr = 0;
}
def GoatTile_ReductionAttr : EnumAttr<GoatTile_Dialect, GoatTile_Reduction, "reduction"> {
  let assemblyFormat = "$value";
}

def ReduceOp : GoatTile_Op<"reduce", [Pure]> {
  let summary = "reduce one axis of an f32 tile";
  let description = [{
    The result is in `slice` of the tile's encoding and is the same in every
    thread that holds it.
    Constraints: (C1) the tile has rank 2 and f32 elements; the result is what is
    left without `axis`, in the slice of its encoding. (C2) the reduced axis lies
    in one warp.
  }];
  let arguments = (ins GoatTile_ReductionAttr:$kind, AnyRankedTensor:$tile, I64Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $kind $tile `axis` `=` $axis attr-dict `:` type($tile) `->` type($result)
  }];
  let hasVerifier = 1;
}

def FoldOp : GoatTile_Op<"fold", [Pure]> {
  let summary = "add up what each thread holds of the rows of an f32 tile";
  let description = [{
    A row sum that stops before elements would have to leave their thread;
    `goat_tile.reduce sum` of the result finishes it.
    Constraints: (C1) the tile has rank 2 and f32 elements, and so does the
    result, with as many rows. (C2) a thread holds the same rows in both, and
    threads that share a row have a column of the result each (as `mma_partial`
    for `mma`).
  }];
  let arguments = (ins AnyRankedTensor:$tile);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def WarpAnyOp : GoatTile_Op<"warp_any", [Pure]> {
  let summary = "whether an element that the warp holds is true";
  let description = [{
    The one scalar that differs between the warps of a block. Only work without
    barriers, copies and shared memory may be done on its condition
    (`--goat-verify-tile`, V8).
    Constraints: (C1) the tile has i1 elements and an encoding.
  }];
  let arguments = (ins AnyRankedTensor:$tile);
  let results = (outs I1:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

def ExpandOp : GoatTile_Op<"expand", [Pure]> {
  let summary = "repeat a vector along an axis of a tile";
  let description = [{
    `result[r, c] = vector[r]` (axis = 1) or `vector[c]` (axis = 0).
    Constraints: (C1) the vector is in `slice<axis>` of the result's encoding,
    with the length of the other axis and the result's element type.
  }];
  let arguments = (ins AnyRankedTensor:$vector, I64Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$vector `axis` `=` $axis attr-dict `:` type($vector) `->` type($result)";
  let hasVerifier = 1;
}

def IotaOp : GoatTile_Op<"iota", [Pure]> {
  let summary = "the vector 0, 1, 2, …";
  let description = [{
    Constraints: (C1) the result is an i32 vector with an encoding.
  }];
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def ConvertLayoutOp : GoatTile_Op<"convert_layout", [Pure]> {
  let summary = "the same tile in another encoding";
  let description = [{
    Constraints: (C1) one shape and element type. (C2) no element has to leave
    its thread (as from `mma` to `mma_operand`).
  }];
  let arguments = (ins AnyRankedTensor:$tile);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def SplatOp : GoatTile_Op<"splat", [Pure]> {
  let summary = "a tile of one value";
  let description = [{
    The scalar is the same in every thread of the block.
    Constraints: (C1) the result has the scalar's type as element type, and an encoding.
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def BlockIndexOp : GoatTile_Op<"block_index", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the block's index in the grid, read where it stands";
  let description = [{
    The same number as `gpu.block_id`, as i32, but read anew each time: what is
    computed from it is computed again too, instead of being kept in registers
    from before a loop. `axis` is 0, 1 or 2 for x, y, z.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

#endif // GOAT_TILE_COMPUTE_TD
