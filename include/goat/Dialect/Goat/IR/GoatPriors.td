//===- GoatPriors.td - terms of the logits, by name --------*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_PRIORS_TD
#define GOAT_PRIORS_TD

include "goat/Dialect/Goat/IR/GoatDialect.td"
include "goat/Dialect/Goat/IR/GoatInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Most priors need no op: a region of plain ops on the distance, on the key or on
// the query is compiled to the same kernel. What is here promises something that
// plain ops cannot, which its description says, or is looked for by its name.

class Goat_Prior<string mnemonic, list<string> answers = []>
    : Goat_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<PluginOpInterface>,
                         DeclareOpInterfaceMethods<PriorOpInterface, answers>]> {
  let results = (outs F32:$result);
  let hasVerifier = 1;
}

def AlibiOp : Goat_Prior<"alibi", ["isBounded"]> {
  let summary = "ALiBi: −slope_h · δ";
  let description = [{
    A penalty linear in the distance `delta` (arXiv 2108.12409); negative
    distances, to later keys, get a reward, or with `symmetric` the same penalty:
    −slope·|δ|. Without `slopes` head h has 2^(−8(h + 1)/Hq), whatever Hq is (the
    paper takes other ones where Hq is not a power of two: give them as
    `slopes`). `slopes` is (H') with H' one of 1, Hkv, Hq; head h reads
    h·H'/Hq. It promises that slopes are parameters of a model, far below 1e15,
    so that no clamp is needed. GOAT's recency slope is this op.

    Constraints:
    - (C1) slopes have a static H' that is 1, Hkv or Hq of the enclosing attention.
    - (C2) stands inside a region of `goat.attention`.
  }];
  let arguments = (ins Optional<1DTensorOf<[F32]>>:$slopes, Index:$head,
                       Index:$delta, UnitAttr:$symmetric);
  let assemblyFormat = [{
    (`slopes` `(` $slopes^ `:` type($slopes) `)`)? `at` `(` $head `)`
    `distance` $delta attr-dict
  }];
}

def SinkPriorOp : Goat_Prior<"sink_prior", ["isBounded"]> {
  let summary = "GOAT's sink term: gain_h · MLP(features of the position) + bump_h · [t = 0]";
  let description = [{
    The key-only term of GOAT (arXiv 2601.15380) as the official module computes
    it, without its slope (that is `goat.alibi`):

    ```
    feat(t) = [cos ω_0 t, …, sin ω_0 t, …, t / n, log(1 + t) / log(1 + n)]
    u_h(t)  = gain_h · (out_weight · silu(hidden_weight · feat(t) + hidden_bias)
                        + out_bias) + bump_h · [t = 0]
    ```

    with t the key's `position`, usually `goat.key_position`, and n = `length`,
    the training length; where a model has none, pass max(Lk − 1, 1). A negative
    t counts as 0. gain and bump are (H'), hidden_weight is (U, 2M + 2), hidden_bias and
    out_weight are (U), out_bias is (1), ω is (M). As it depends on the key alone it
    is evaluated once per key, not per pair.

    Constraints:
    - (C1) gain and bump have one type, with a static H' that is 1, Hkv or Hq of
      the enclosing attention.
    - (C2) the other shapes are static and fit each other.
    - (C3) stands inside a region of `goat.attention`.
  }];
  let arguments = (ins 1DTensorOf<[F32]>:$gain, 1DTensorOf<[F32]>:$bump,
                       2DTensorOf<[F32]>:$hidden_weight,
                       1DTensorOf<[F32]>:$hidden_bias,
                       1DTensorOf<[F32]>:$out_weight,
                       1DTensorOf<[F32]>:$out_bias, 1DTensorOf<[F32]>:$omega,
                       F32:$length, Index:$head, Index:$position);
  let assemblyFormat = [{
    $gain `,` $bump `,` `mlp` `(` $hidden_weight `,` $hidden_bias `,` $out_weight
    `,` $out_bias `)` `frequencies` $omega `length` $length `at` `(` $head `,`
    $position `)` attr-dict `:` type($gain) `,` type($bump) `,`
    type($hidden_weight) `,` type($hidden_bias) `,` type($out_weight) `,`
    type($out_bias) `,` type($omega)
  }];
}

def SoftcapOp : Goat_Op<"softcap", [Pure,
    DeclareOpInterfaceMethods<PluginOpInterface>,
    DeclareOpInterfaceMethods<PriorOpInterface, ["isBounded"]>]> {
  let summary = "soft cap: cap · tanh(score / cap)";
  let description = [{
    Keeps a logit inside (−cap, cap), as Gemma 2 does, before priors are added.
    cap is not 0.

    Its absolute error is |cap|·2^-20, at five instructions per score; the relative
    2^-19 that `math.tanh` promises takes a dozen. Where query and key are bf16 and
    the attention gives no lse, a kernel takes the processor's tanh instead, in
    three: its relative error of 2^-11 is a quarter of what rounding the logit to
    bf16 would cost.
  }];
  let arguments = (ins F32:$score, F32:$cap);
  let results = (outs F32:$result);
  let assemblyFormat = "$score `,` $cap attr-dict";
}

def T5BucketOp : Goat_Op<"t5_bucket", [Pure,
    DeclareOpInterfaceMethods<PluginOpInterface>]> {
  let summary = "T5's bucket of a distance, an index into a table of biases";
  let description = [{
    Maps the distance `delta`, query minus key, to a bucket in [0, buckets)
    (arXiv 1910.10683). With n buckets for a direction, distances below n/2 have
    one each; of the others, d falls into bucket
    n/2 + ⌊log(d / (n/2)) / log(max_distance / (n/2)) · (n − n/2)⌋, the last one at
    most, in exact arithmetic. Without `bidirectional` n = buckets, and keys that
    come later fall into bucket 0; with it n = buckets/2, and they use the upper
    half. The bias itself is a `tensor.extract` of the table.

    Constraints:
    - (C1) n is at least 2, buckets is at most 512, and even when bidirectional.
    - (C2) max_distance is more than n/2.
  }];
  let arguments = (ins Index:$delta, DefaultValuedAttr<I32Attr, "32">:$buckets,
                       DefaultValuedAttr<I32Attr, "128">:$max_distance,
                       UnitAttr:$bidirectional);
  let results = (outs Index:$result);
  let assemblyFormat = "$delta attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Distances of a direction that have a bucket of their own, n/2.
    int64_t getNumExact();
    /// The least distance of each bucket after the first that is not exact.
    ::llvm::SmallVector<int64_t> getThresholds();
  }];
}

#endif // GOAT_PRIORS_TD
