//===- GoatPlugins.td - priors and exclusions --------------*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_PLUGINS_TD
#define GOAT_PLUGINS_TD

include "goat/Dialect/Goat/IR/GoatDialect.td"
include "goat/Dialect/Goat/IR/GoatPriors.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def FourierPriorOp : Goat_Prior<"fourier_prior", ["isBounded"]> {
  let summary = "spectral relative prior Σ_r α_r cos(ω_r δ) + β_r sin(ω_r δ)";
  let description = [{
    The relative prior of GOAT (arXiv 2601.15380) at distance `delta` for head
    `head` of batch entry `batch`. α and β are (H', R) or (B, H', R) with H'
    one of 1, the number of key heads, the number of query heads; ω is (R).
    Head h reads row h·H'/Hq. Usually `delta` is `goat.distance`; a per-axis
    difference gives a prior on images.

    Accuracy: |error| ≤ 1e-5·Σ_r(|α_r| + |β_r|) for |δ| ≤ 131072, |ω| ≤ π.

    Constraints:
    - (C1) α and β have the same type, rank 2 or 3, static H' and R ≥ 1.
    - (C2) ω has R elements.
    - (C3) H' is 1, Hkv or Hq, and B the batch size, of the enclosing attention.
    - (C4) stands inside a region of `goat.attention`.
  }];
  let arguments = (ins TensorRankOf<[F32], [2, 3]>:$alpha,
                       TensorRankOf<[F32], [2, 3]>:$beta,
                       1DTensorOf<[F32]>:$omega,
                       Index:$batch, Index:$head, Index:$delta);
  let assemblyFormat = [{
    $alpha `,` $beta `,` $omega `at` `(` $batch `,` $head `)` `distance` $delta
    attr-dict `:` type($alpha) `,` type($beta) `,` type($omega)
  }];
}

def KeyPriorOp : Goat_Prior<"key_prior"> {
  let summary = "a learned bias u(j) per key: the sink term of GOAT";
  let description = [{
    Reads `table[h', key]` or `table[batch, h', key]`; h' as in
    `goat.fourier_prior`. The table is indexed by the key's row, not its
    position.

    Constraints:
    - (C1) the table has rank 2 or 3 with static H'.
    - (C2) its last dimension is the key length.
    - (C3) H' is 1, Hkv or Hq, and B the batch size, of the enclosing attention.
    - (C4) stands inside a region of `goat.attention`.
  }];
  let arguments = (ins TensorRankOf<[F32], [2, 3]>:$table,
                       Index:$batch, Index:$head, Index:$key);
  let assemblyFormat = [{
    $table `at` `(` $batch `,` $head `,` $key `)` attr-dict `:` type($table)
  }];
}

def XsaOp : Goat_Op<"xsa", [Pure, AllTypesMatch<["row", "own", "result"]>,
    DeclareOpInterfaceMethods<PluginOpInterface>,
    DeclareOpInterfaceMethods<ExclusionOpInterface, ["isLinear"]>]> {
  let summary = "remove the component along the token's own value vector";
  let description = [{
    Exclusive self attention (arXiv 2603.09078): `z = y − a·(y·v)·inv·v` with
    v the own value row, n = ‖v‖², a the strength (1 when not given) and

    - `clamp`: inv = 1 / max(n, eps)
    - `add`:   inv = 1 / (n + eps)
    - `where`: inv = 1 / n, or 0 where n = 0

    All in f32 from the unrounded row. `F.normalize(eps=e)` is clamp with e².

    Constraints:
    - (C1) y, own and the result have one type tensor<Dvxf32>.
    - (C2) eps is finite and positive, so that v = 0 gives z = y.
  }];
  let arguments = (ins 1DTensorOf<[F32]>:$row, 1DTensorOf<[F32]>:$own,
                       Optional<F32>:$strength,
                       DefaultValuedAttr<Goat_EpsModeAttr, "EpsMode::clamp">:$eps_mode,
                       DefaultValuedAttr<F32Attr, "1e-12f">:$eps);
  let results = (outs 1DTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $row `,` $own (`strength` `(` $strength^ `)`)? attr-dict `:` type($row)
  }];
  let hasVerifier = 1;
}

#endif // GOAT_PLUGINS_TD
