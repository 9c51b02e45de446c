//===- GoatTileTypes.td - memory and asynchrony as values --*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TILE_TYPES_TD
#define GOAT_TILE_TYPES_TD

include "goat/Dialect/GoatTile/IR/GoatTileEncodings.td"

def PointerType : GoatTile_Type<"Pointer", "ptr"> {
  let summary = "an address in global memory";
  let description = [{ Counted in elements of its type. Without an element count:
    what may be read is the launcher's promise.
    Constraints: (C1) elements are integers or floats of 8, 16, 32 or 64 bits. }];
  let genVerifyDecl = 1;
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

def BufferType : GoatTile_Type<"Buffer", "buffer"> {
  let summary = "a buffer in shared memory";
  let description = [{
    `!goat_tile.buffer<128x64xbf16, swizzled>`: row-major, rank 1 to 3; a rank-3
    buffer is a ring of rank-2 stages, a ring of rank-1 vectors has rank 2. In a
    swizzled buffer the 16-byte chunks of a row are permuted by the row's number
    so that eight consecutive rows at one logical column touch all 32 banks.
    Constraints: (C1) the shape is static and positive, of rank 1 to 3. (C2)
    elements are integers or floats of 8, 16, 32 or 64 bits. (C3) a swizzled
    buffer has rank 2 or 3, elements of 16 or 32 bits, a multiple of 8 rows, and
    rows of a multiple of 16 bytes.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType,
                        DefaultValuedParameter<"bool", "false">:$swizzled);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    int64_t getNumElements() const;
    /// Size in bytes of the whole buffer.
    int64_t getNumBytes() const;
    /// The type of one stage: the shape without its first dimension.
    BufferType getStageType() const;
    /// Whether the first dimension counts stages.
    bool isRing() const;
  }];
}

def TokenType : GoatTile_Type<"Token", "token"> {
  let summary = "an asynchronous copy under way";
}

def GroupType : GoatTile_Type<"Group", "group"> {
  let summary = "a committed group of asynchronous copies";
}

#endif // GOAT_TILE_TYPES_TD
