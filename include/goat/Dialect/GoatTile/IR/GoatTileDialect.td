//===- GoatTileDialect.td - the goat_tile dialect ----------*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TILE_DIALECT_TD
#define GOAT_TILE_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def GoatTile_Dialect : Dialect {
  let name = "goat_tile";
  let cppNamespace = "::goat::tile";
  let summary = "What one thread block does, on tiles with layouts";
  let description = [{
    Level 1 of the compiler. A tile is a ranked tensor whose encoding says how
    its elements are spread over registers, lanes and warps, so `arith`, `math`
    and `scf` work on tiles as they are; a value without an encoding is the same
    in every thread of the block. This dialect adds what upstream lacks:
    pointers to global memory, shared-memory buffers and their swizzle,
    asynchronous copies, the matrix multiply, reductions and coordinates.

    Coordinates inside a tensor are i32, distances in memory i64.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class GoatTile_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<GoatTile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}
class GoatTile_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<GoatTile_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}
class GoatTile_Op<string mnemonic, list<Trait> traits = []>
    : Op<GoatTile_Dialect, mnemonic, traits>;

#endif // GOAT_TILE_DIALECT_TD
