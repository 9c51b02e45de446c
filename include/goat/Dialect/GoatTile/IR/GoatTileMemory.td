//===- GoatTileMemory.td - global and shared memory --------*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TILE_MEMORY_TD
#define GOAT_TILE_MEMORY_TD

include "goat/Dialect/GoatTile/IR/GoatTileTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

def AdvanceOp : GoatTile_Op<"advance", [Pure, AllTypesMatch<["pointer", "result"]>]> {
  let summary = "pointer + offset, in elements";
  let arguments = (ins PointerType:$pointer, I64:$offset);
  let results = (outs PointerType:$result);
  let assemblyFormat = "$pointer `,` $offset attr-dict `:` type($pointer)";
}

def LoadOp : GoatTile_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "read one element per offset";
  let description = [{
    `result[x] = mask[x] ? pointer[offset[x]] : other`. `offset` is an i32 or i64
    scalar (one element, the same in every thread) or a tile; result and mask
    have its shape and encoding. Without a mask every element is read. `other` is
    the constant zero.
    Constraints:
    - (C1) result has the pointer's element type and offset's shape and encoding.
    - (C2) mask, when given, has i1 elements and offset's shape and encoding.
  }];
  let arguments = (ins PointerType:$pointer, AnyType:$offset, Optional<AnyType>:$mask);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $pointer `[` $offset `]` (`masked` `(` $mask^ `:` type($mask) `)`)? attr-dict `:`
    type($pointer) `,` type($offset) `->` type($result)
  }];
  let hasVerifier = 1;
}

def StoreOp : GoatTile_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "write one element per offset";
  let description = [{
    `pointer[offset[x]] = value[x]` where mask[x] holds. An element that several
    threads hold is written by one of them.
    Constraints: (C1), (C2) as for `goat_tile.load`, with value for result.
  }];
  let arguments = (ins AnyType:$value, PointerType:$pointer, AnyType:$offset,
                       Optional<AnyType>:$mask);
  let assemblyFormat = [{
    $value `,` $pointer `[` $offset `]` (`masked` `(` $mask^ `:` type($mask) `)`)? attr-dict `:`
    type($value) `,` type($pointer) `,` type($offset)
  }];
  let hasVerifier = 1;
}

def LoadRowsOp : GoatTile_Op<"load_rows", [MemoryEffects<[MemRead]>]> {
  let summary = "gather rows of a row-major matrix into a tile";
  let description = [{
    `result[r, c] = mask[r] ? pointer[row[r]·stride + c] : 0` for c < `columns`
    (default: all), 0 beyond. `row` is an i32 vector in the slice (axis 1) of
    result's encoding; `stride` is in elements; the product is taken in i64. The
    pointer and the stride are aligned to `alignment` bytes, so neighbouring
    columns of one thread are read together, as many as that allows. With
    `column_stride`, an element of column c lies c·column_stride on instead of c,
    and each is read alone.
    Constraints:
    - (C1) result has rank 2, an encoding and the pointer's element type.
    - (C2) row and mask are vectors of result's rows in `slice<axis = 1>` of its
      encoding, of i32 and i1.
    - (C3) columns is positive and no more than result has.
    - (C4) alignment is a power of two, at least the size of an element and at
      most 16; with column_stride it is that size.
  }];
  let arguments = (ins PointerType:$pointer, AnyRankedTensor:$row, AnyRankedTensor:$mask,
                       I64:$stride, Optional<I64>:$column_stride,
                       OptionalAttr<I64Attr>:$columns,
                       DefaultValuedAttr<I64Attr, "16">:$alignment);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $pointer `[` $row `]` `masked` `(` $mask `)` `stride` `(` $stride `)`
    (`column_stride` `(` $column_stride^ `)`)? attr-dict `:`
    type($pointer) `,` type($row) `,` type($mask) `->` type($result)
  }];
  let hasVerifier = 1;
}

def StoreRowsOp : GoatTile_Op<"store_rows", [MemoryEffects<[MemWrite]>]> {
  let summary = "scatter the rows of a tile into a row-major matrix";
  let description = [{
    `pointer[row[r]·stride + c] = value[r, c]` where mask[r] holds and c <
    `columns` (default: all); the counterpart of `goat_tile.load_rows`, with its
    constraints (C1), (C2), (C3), (C4) for value.
  }];
  let arguments = (ins AnyRankedTensor:$value, PointerType:$pointer, AnyRankedTensor:$row,
                       AnyRankedTensor:$mask, I64:$stride, Optional<I64>:$column_stride,
                       OptionalAttr<I64Attr>:$columns,
                       DefaultValuedAttr<I64Attr, "16">:$alignment);
  let assemblyFormat = [{
    $value `,` $pointer `[` $row `]` `masked` `(` $mask `)` `stride` `(` $stride `)`
    (`column_stride` `(` $column_stride^ `)`)? attr-dict `:`
    type($value) `,` type($pointer) `,` type($row) `,` type($mask)
  }];
  let hasVerifier = 1;
}

def StorePartsOp : GoatTile_Op<"store_parts", [MemoryEffects<[MemWrite]>]> {
  let summary = "scatter f32 elements into a matrix of their bf16 parts";
  let description = [{
    Where mask[i] holds, row `row[i]` of a row-major matrix of 8 bf16 becomes
    what `goat_tile.write_parts` makes of value[i]. The pointer is aligned to 16
    bytes.
    Constraints: (C1) the vector has f32 elements and an encoding. (C2) the
    pointer is one to bf16. (C3) row and mask have the vector's shape and
    encoding, and i32 and i1 elements.
  }];
  let arguments = (ins AnyRankedTensor:$value, PointerType:$pointer, AnyRankedTensor:$row,
                       AnyRankedTensor:$mask);
  let assemblyFormat = [{
    $value `,` $pointer `[` $row `]` `masked` `(` $mask `)` attr-dict `:`
    type($value) `,` type($pointer) `,` type($row) `,` type($mask)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

def AllocOp : GoatTile_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a buffer in shared memory that lives as long as the block";
  let description = [{
    `offset`, in bytes from the start of the block's dynamic shared memory, is
    set by `--goat-tile-place-buffers`.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs BufferType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def StageOp : GoatTile_Op<"stage", [Pure]> {
  let summary = "one stage of a ring of buffers";
  let description = [{
    The sub-buffer at `index` (i32, in range, the same in every thread) of the
    first dimension. Constraints: (C1) the buffer is a ring: rank 3, or rank 2
    and not swizzled; the result has its stage type.
  }];
  let arguments = (ins BufferType:$buffer, I32:$index);
  let results = (outs BufferType:$result);
  let assemblyFormat = "$buffer `[` $index `]` attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def WindowOp : GoatTile_Op<"window", [Pure]> {
  let summary = "some consecutive elements, or rows, in shared memory";
  let description = [{
    The sub-buffer of the result's length that begins at element or row `start`
    (i32, in range, the same in every thread).
    Constraints: (C1) buffer and result have one element type and rank 1, or rank
    2, equal rows and no swizzle. (C2) the result is no longer than the buffer.
  }];
  let arguments = (ins BufferType:$buffer, I32:$start);
  let results = (outs BufferType:$result);
  let assemblyFormat = "$buffer `[` $start `]` attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def WriteOp : GoatTile_Op<"write", [MemoryEffects<[MemWrite]>]> {
  let summary = "registers to shared memory";
  let description = [{
    Writes each element of a vector to the buffer's element of the same index. A
    barrier has to stand between this and a read by another thread.
    Constraints: (C1) vector and buffer have one shape of rank 1 and one element type.
  }];
  let arguments = (ins AnyRankedTensor:$value, BufferType:$buffer);
  let assemblyFormat = "$value `,` $buffer attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
}

def WriteRowsOp : GoatTile_Op<"write_rows", [MemoryEffects<[MemWrite]>]> {
  let summary = "a tile from registers to rows of shared memory";
  let description = [{
    `buffer[first_row + r, c] = value[r, c]`. A barrier has to stand between this
    and a read by another thread.
    Constraints: (C1) the tile has an encoding, and rank 2, element type and
    columns as the buffer. (C2) first_row is a multiple of the tile's rows, of
    which the buffer has that many.
  }];
  let arguments = (ins AnyRankedTensor:$value, BufferType:$buffer,
                       DefaultValuedAttr<I64Attr, "0">:$first_row);
  let assemblyFormat = "$value `,` $buffer attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
}

def WritePartsOp : GoatTile_Op<"write_parts", [MemoryEffects<[MemWrite]>]> {
  let summary = "registers to shared memory, each f32 as bf16 parts";
  let description = [{
    Row i of the buffer becomes three bf16 whose sum is element i of the vector
    to its last bit or nearly, and zeros: what `goat_tile.mma_ones` adds. An
    infinity or a NaN is one part. A barrier has to stand between this and a
    read by another thread.
    Constraints: (C1) the vector has f32 elements and an encoding. (C2) the
    buffer has as many rows as the vector has elements, of 8 bf16, and is not
    swizzled.
  }];
  let arguments = (ins AnyRankedTensor:$value, BufferType:$buffer);
  let assemblyFormat = "$value `,` $buffer attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
}

def ReadOp : GoatTile_Op<"read", [MemoryEffects<[MemRead]>]> {
  let summary = "shared memory to registers";
  let description = [{
    Reads a rank-1 buffer into a vector of any encoding.
    Constraints: (C1) buffer and vector have one shape of rank 1 and one element type.
  }];
  let arguments = (ins BufferType:$buffer);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def ReadDiagonalsOp : GoatTile_Op<"read_diagonals", [MemoryEffects<[MemRead]>]> {
  let summary = "spread a strip of values over the diagonals of a tile";
  let description = [{
    `result[r, c] = strip[r − c + columns − 1]`: a function of the distance of
    row and column needs rows + columns − 1 values for a whole tile. Elements of
    one diagonal that a thread holds are read once.
    Constraints:
    - (C1) result has rank 2, an encoding, and the strip's element type.
    - (C2) the strip has rank 1 and at least rows + columns − 1 elements.
  }];
  let arguments = (ins BufferType:$strip);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$strip attr-dict `:` type($strip) `->` type($result)";
  let hasVerifier = 1;
}

def ReadDiagonalQuadsOp : GoatTile_Op<"read_diagonal_quads", [MemoryEffects<[MemRead]>]> {
  let summary = "spread a strip of quads over the diagonals of a tile";
  let description = [{
    `read_diagonals` for a strip s that holds, at p, the quad (s[p], s[p − 1],
    s[p + 8], s[p + 7]): the four elements of an accumulator fragment, so one
    16-byte read fills four registers in the order the multiply takes them.
    Constraints:
    - (C1) result is an f32 tile of rank 2 in `mma`.
    - (C2) the strip is an f32 buffer of at least rows + columns − 1 quads: rank
      2, 4 columns, not swizzled.
  }];
  let arguments = (ins BufferType:$strip);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$strip attr-dict `:` type($strip) `->` type($result)";
  let hasVerifier = 1;
}

def ReadAtOp : GoatTile_Op<"read_at", [MemoryEffects<[MemRead]>]> {
  let summary = "gather elements of shared memory";
  let description = [{
    `result[x] = buffer[offset[x]]`, the elements of a buffer of rank 2 counted row
    after row. Every offset lies in the buffer.
    Constraints:
    - (C1) the buffer has rank 1 or 2, the result's element type, and no swizzle.
    - (C2) offset has i32 elements and result's shape and encoding.
  }];
  let arguments = (ins BufferType:$buffer, AnyRankedTensor:$offset);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $buffer `[` $offset `]` attr-dict `:` type($buffer) `,` type($offset) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

def CopyAsyncOp : GoatTile_Op<"copy_async", [MemoryEffects<[MemRead, MemWrite]>,
                                             AttrSizedOperandSegments]> {
  let summary = "start copying consecutive rows of a row-major matrix into a buffer";
  let description = [{
    Row r of the buffer becomes `pointer[(firstRow + r)·stride + c]` when
    `firstRow + r < rows`, else zero; columns from `columns` (default: the
    buffer's) on are zero. `firstRow` ≥ 0 and `rows` are i32, `stride` is in
    elements; the product is taken in i64. Nothing past `rows` is read. Pointer
    and stride are aligned to `alignment` bytes: as many are copied at a time.
    With `column_stride`, column c lies c·column_stride elements on. With `if`,
    nothing is copied when that is false; it is a predicate of each thread's
    copies, which costs less than a branch around them. The buffer
    must not be read until the result has gone through a commit and a wait, and
    other threads' parts of it not before the barrier after that.

    What is less than 4 bytes has no asynchronous copy: there each thread reads
    its part into registers and writes it, which is slow and not overlapped.
    Constraints:
    - (C1) the buffer has rank 2 and the pointer's element type.
    - (C2) a row of the buffer is a multiple of 16 bytes.
    - (C3) columns is a multiple of `alignment` and no more than the buffer has.
    - (C4) alignment is a power of two, at least the size of an element and at
      most 16; with column_stride it is that size.
  }];
  let arguments = (ins PointerType:$pointer, I32:$firstRow, I32:$rows, I64:$stride,
                       BufferType:$buffer, Optional<I64>:$column_stride,
                       Optional<I1>:$condition, OptionalAttr<I64Attr>:$columns,
                       DefaultValuedAttr<I64Attr, "16">:$alignment);
  let results = (outs TokenType:$token);
  let assemblyFormat = [{
    $pointer `[` $firstRow `to` $rows `]` `stride` `(` $stride `)`
    (`column_stride` `(` $column_stride^ `)`)? `into` $buffer
    (`if` $condition^)? attr-dict `:` type($pointer) `,` type($buffer)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Type":$token, "::mlir::Value":$pointer,
                   "::mlir::Value":$firstRow, "::mlir::Value":$rows,
                   "::mlir::Value":$stride, "::mlir::Value":$buffer,
                   "::mlir::IntegerAttr":$columns), [{
      build($_builder, $_state, token, pointer, firstRow, rows, stride, buffer,
            /*column_stride=*/::mlir::Value(), /*condition=*/::mlir::Value(), columns);
    }]>
  ];
  let hasVerifier = 1;
}

def RoundTF32Op : GoatTile_Op<"round_tf32", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "round a buffer's elements to tf32, in place";
  let description = [{
    To nearest, ties away from zero, with 10 bits of fraction; once for the block,
    where a multiply would do it once for each warp. Each element is rounded by the
    thread that copies it in `goat_tile.copy_async`: that thread's copies have to be
    in place (`goat_tile.wait`), those of others need not be. A barrier has to stand
    between this and a read by another thread.
    Constraints: (C1) the buffer has rank 2 and f32 elements. (C2) its rows are a
    multiple of 16 bytes.
  }];
  let arguments = (ins BufferType:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def CommitOp : GoatTile_Op<"commit", [MemoryEffects<[MemWrite]>,
                                      ParamNativeOpTrait<"AtLeastNOperands", "1">]> {
  let summary = "close a group of asynchronous copies, of at least one";
  let arguments = (ins Variadic<TokenType>:$tokens);
  let results = (outs GroupType:$group);
  let assemblyFormat = "$tokens attr-dict";
}

def WaitOp : GoatTile_Op<"wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait for a group of asynchronous copies";
  let description = [{
    After this the thread's own copies of `group`, and of every group committed
    before it, are in place. `pending` is how many groups committed after it may
    still be under way.
  }];
  let arguments = (ins GroupType:$group, ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$group `pending` `=` $pending attr-dict";
}

def BarrierOp : GoatTile_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of the block arrive before any goes on";
  let assemblyFormat = "attr-dict";
}

#endif // GOAT_TILE_MEMORY_TD
