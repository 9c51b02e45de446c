//===- GoatTileEncodings.td - layouts of tiles -------------*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TILE_ENCODINGS_TD
#define GOAT_TILE_ENCODINGS_TD

include "goat/Dialect/GoatTile/IR/GoatTileDialect.td"
include "mlir/IR/TensorEncoding.td"

def LayoutAttrInterface : AttrInterface<"LayoutAttrInterface"> {
  let cppNamespace = "::goat::tile";
  let description = [{
    An encoding that spreads a tile over registers, lanes and warps.
  }];
  let methods = [
    InterfaceMethod<[{
      The layout of a tile of this shape, or nullopt, with the reason in
      `reason` when that is given, when the encoding does not tile it.
    }], "::std::optional<::goat::layout::TileLayout>", "getLayout",
    (ins "::llvm::ArrayRef<int64_t>":$shape, "::std::string *":$reason)>,
    InterfaceMethod<[{
      The shape of the smallest tile the encoding lays out; its rank is that of
      every tile in the encoding.
    }], "::llvm::SmallVector<int64_t>", "getSmallestShape">
  ];
}

class GoatTile_Encoding<string name, string mnemonic>
    : GoatTile_Attr<name, mnemonic,
                    [DeclareAttrInterfaceMethods<LayoutAttrInterface>,
                     DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]>;

def MmaEncoding : GoatTile_Encoding<"Mma", "mma"> {
  let summary = "the accumulator of mma.sync m16n8k16";
  let description = [{
    A tile's shape that its encoding does not lay out is refused where the type
    is written.
    Each of `warps` warps owns rows/warps consecutive rows, in m16 tiles; a
    thread holds (g, 2t), (g, 2t+1), (g+8, 2t), (g+8, 2t+1) of each 16×8 tile,
    g = lane/4, t = lane%4. Rows are a multiple of 16·warps, columns of 8.
  }];
  let parameters = (ins "int64_t":$warps);
  let assemblyFormat = "`<` `warps` `=` $warps `>`";
}

def MmaOperandEncoding : GoatTile_Encoding<"MmaOperand", "mma_operand"> {
  let summary = "the A operand of mma.sync m16n8k16, 16-bit elements";
  let description = [{
    Rows as in `mma`; columns, the contraction, a multiple of 16.
  }];
  let parameters = (ins "int64_t":$warps);
  let assemblyFormat = "`<` `warps` `=` $warps `>`";
}

def MmaPartialEncoding : GoatTile_Encoding<"MmaPartial", "mma_partial"> {
  let summary = "rows of `mma` that each thread has added up for itself";
  let description = [{
    rows×4: column t is in thread t of the four that share a row in `mma`. Rows
    as in `mma`.
  }];
  let parameters = (ins "int64_t":$warps);
  let assemblyFormat = "`<` `warps` `=` $warps `>`";
}

def SliceEncoding : GoatTile_Encoding<"Slice", "slice"> {
  let summary = "what is left of a tile's layout when one axis is reduced";
  let description = [{
    Every thread that held an element of row (column) r of the parent tile holds
    element r. The extent of the reduced axis is not part of the layout: the
    parent is taken with the smallest extent it allows there.
    Constraints: (C1) axis is 0 or 1. (C2) parent is an encoding of rank 2.
  }];
  let genVerifyDecl = 1;
  let parameters = (ins "int64_t":$axis, "::mlir::Attribute":$parent);
  let assemblyFormat = "`<` `axis` `=` $axis `,` $parent `>`";
}

def LinearEncoding : GoatTile_Encoding<"Linear", "linear"> {
  let summary = "one dimension dealt out to the threads of a block in turn";
  let description = [{
    Element e is register e / threads of thread e mod threads. Any length;
    elements past the end exist in no thread.
  }];
  let parameters = (ins "int64_t":$threads);
  let assemblyFormat = "`<` `threads` `=` $threads `>`";
}

#endif // GOAT_TILE_ENCODINGS_TD
