//===- GoatRows.td - rows on their way into attention ------*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_ROWS_TD
#define GOAT_ROWS_TD

include "goat/Dialect/Goat/IR/GoatDialect.td"
include "goat/Dialect/Goat/IR/GoatInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Goat_RowType : 1DTensorOf<[F32]>;

//===----------------------------------------------------------------------===//
// Building rows
//===----------------------------------------------------------------------===//

def ColumnsOp : Goat_Op<"columns", [Pure]> {
  let summary = "the row 0, 1, …, D − 1";
  let description = [{
    Constraints: (C1) the result has a static, positive size.
  }];
  let results = (outs 1DTensorOf<[I32]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def GatherRowOp : Goat_Op<"gather_row", [Pure]> {
  let summary = "result[d] = source[columns[d]]";
  let description = [{
    Elements of a row, or of a captured vector, in another order: a permutation,
    a shift, one weight per column. What lies outside of source is 0.

    In a kernel, the row that a load region is given can be read at any column,
    and so can what is computed of it. The row of an exclusion is held in
    registers and cannot.

    Constraints:
    - (C1) columns and the result have one static, positive size.
  }];
  let arguments = (ins Goat_RowType:$source, 1DTensorOf<[I32]>:$columns);
  let results = (outs Goat_RowType:$result);
  let assemblyFormat = [{
    $source `[` $columns `]` attr-dict `:` type($source) `,` type($columns) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Plug-ins for load regions
//===----------------------------------------------------------------------===//

class Goat_RowPlugin<string mnemonic>
    : Goat_Op<mnemonic, [Pure, AllTypesMatch<["row", "result"]>,
                         DeclareOpInterfaceMethods<PluginOpInterface>]> {
  let results = (outs Goat_RowType:$result);
  let hasVerifier = 1;
}

def RopeOp : Goat_RowPlugin<"rope"> {
  let summary = "rotary position embedding of some columns of a row";
  let description = [{
    Rotates P pairs of columns of a row by angles that grow with the position
    (RoFormer, arXiv 2104.09864). With ω the P `frequencies` and m the
    `magnitude`, pair r = (a, c) becomes

    ```
    angle = position · ω[r]
    y[a]  = m·(x[a]·cos angle − x[c]·sin angle)
    y[c]  = m·(x[c]·cos angle + x[a]·sin angle)
    ```

    The pairs are those of the 2P columns from `first` on: (first + r,
    first + P + r) with `halves`, as GPT-NeoX and Llama pair them, and
    (first + 2r, first + 2r + 1) with `neighbours`, as GPT-J and RoFormer do.
    Other columns stay as they are.

    What is partial, scaled or of two dimensions is said by the operands: partial
    RoPE has fewer frequencies than D/2; scaling of positions (linear, NTK,
    YaRN, Llama 3) is other frequencies, and YaRN's attention factor is
    `magnitude`; on an image one `goat.rope` rotates the columns of the row
    number, and a second one, with another `first`, those of the column number.
    Usually `position` is `goat.query_position` or `goat.key_position`; that is
    how offsets of a cache count.

    Accuracy: |error of cos, sin| ≤ 1e-6 for |position·ω| < 4e5.

    Constraints:
    - (C1) the row has a static, positive size.
    - (C2) there is a static number of frequencies, at least 1, and their pairs
      lie inside the row.
    - (C3) magnitude is finite.
  }];
  let arguments = (ins Goat_RowType:$row, Goat_RowType:$frequencies, Index:$position,
                       DefaultValuedAttr<Goat_PairingAttr, "Pairing::halves">:$pairing,
                       DefaultValuedAttr<I64Attr, "0">:$first,
                       DefaultValuedAttr<F32Attr, "1.0f">:$magnitude);
  let assemblyFormat = [{
    $row `,` $frequencies `position` $position attr-dict `:` type($row) `,`
    type($frequencies)
  }];
}

def RmsNormOp : Goat_RowPlugin<"rms_norm"> {
  let summary = "a row over its root mean square, times a weight per column";
  let description = [{
    `y[d] = x[d] / √(Σ x²/D + eps) · weight[d]`, without a weight 1: the QK-norm of
    most models. All in f32.

    Constraints:
    - (C1) the row has a static, positive size.
    - (C2) the weight, when given, has the row's size.
    - (C3) eps is finite and not negative.
  }];
  let arguments = (ins Goat_RowType:$row, Optional<Goat_RowType>:$weight,
                       DefaultValuedAttr<F32Attr, "1e-6f">:$eps);
  let assemblyFormat = [{
    $row (`weight` `(` $weight^ `:` type($weight) `)`)? attr-dict `:` type($row)
  }];
}

def L2NormOp : Goat_RowPlugin<"l2_norm"> {
  let summary = "a row over its length";
  let description = [{
    `y[d] = x[d] / max(√Σ x², eps)`, as `F.normalize` has it. All in f32. The
    learned scale that goes with it is the attention's.

    Constraints:
    - (C1) the row has a static, positive size.
    - (C2) eps is finite, positive and no subnormal number.
  }];
  let arguments = (ins Goat_RowType:$row, DefaultValuedAttr<F32Attr, "1e-12f">:$eps);
  let assemblyFormat = "$row attr-dict `:` type($row)";
}

#endif // GOAT_ROWS_TD
