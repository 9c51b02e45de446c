//===- GoatAttention.td - goat.attention and goat.yield ----*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_ATTENTION_TD
#define GOAT_ATTENTION_TD

include "goat/Dialect/Goat/IR/GoatDialect.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Goat_TokenTensor : 4DTensorOf<[F16, BF16, F32]>;
def Goat_OffsetType : AnyTypeOf<[I32, 1DTensorOf<[I32]>],
    "i32 or a 1D tensor of i32 (one per batch entry)">;

def AttentionOp : Goat_Op<"attention", [
    AttrSizedOperandSegments, Pure]> {
  let summary = "attention with pluggable priors, masks and exclusions";
  let description = [{
    Computes, for every batch entry b, query head h and query row i,

    ```
    q    = load_q(query[b,h,i,:], b, h, i)                       default: the row
    k_j  = load_k(key[b,h/G,j,:], b, h/G, j)                     G = Hq / Hkv
    s_j  = scale · Σ_d q[d] · k_j[d]
    t_j  = score(s_j, b, h, i, j)                                default: s_j
    t_j  = −∞ where mask(b, h, i, j) is false                    default: true
    p    = softmax over j of t, joined by the head's sink logit  or σ(t_j)
    y    = Σ_j p_j · value[b,h/G,j,:]
    out  = exclude(y, own, b, h, i)                              default: y
    lse  = log(Σ_j exp t_j [+ exp sink[h]])
    ```

    in that order. The axes of query, key, value and out are (B, H, L, D), or
    (B, L, H, D) with `layout = bshd`; lse is (B, Hq, Lq) in both. Head counts and
    head dimensions are static, batch and lengths may be dynamic.

    *Memory.* A tensor that is an argument or a result of the function lies in
    row-major order without gaps, at a multiple of 16 bytes, unless the argument
    or result has the unit attribute `goat.strided`: then a call gives its
    strides. What the strides and the address allow decides at run time which
    variant of the kernel is launched.

    *Indices are not positions.* Region arguments `i`, `j` are row indices of
    query and key. `position(i) = i + q_offset[b]` and
    `position(j) = j + k_offset[b]`; the offsets default to
    `len_k[b] − len_q[b]` (so that the last query is aligned with the last key)
    and 0, where `len_q`, `len_k` are `q_lengths`, `k_lengths` or else the
    tensors' lengths. Data indexed by the user (a dense bias, document ids) is
    indexed by `i`, `j`; structured ops (`goat.distance`, `goat.causal_mask`) use
    positions.

    *Loads.* `load_q` and `load_k` say what becomes of a row of query and of key
    before anything else: RoPE, QK-norm, any function of the row with the row ops.
    They take a row, the batch entry, the head (of the query; of the key) and the
    row's index, in f32, and their result is rounded to the element type of
    query: that is what scores are computed from, whichever way a kernel does it.
    Value rows have none.

    *Own row.* `own` in the exclusion is row `position(i) − k_offset[b]` of
    value; the `own` region, when given, computes that index instead. Where an
    exclusion that reads `own` meets a row whose own index lies outside
    [0, len_k[b]), it is left out: out = y.

    *Rows and keys past a length.* Lengths lie in [0, L]. Keys at or past `k_lengths[b]` are never
    read, whatever bits they hold. Rows at or past `q_lengths[b]` give out = 0
    and lse = −∞.

    *Masked rows.* A row that sees no key gives out = 0, whatever the exclusion,
    and lse = −∞, or lse = sink[h] when there is a sink. Only masks give −∞: the
    result of the score region is clamped to at least −1e25.

    *Precision.* Score, mask and exclusion regions, the sink, lse and all
    accumulation are f32 whatever the operands are; out is rounded once.

    Constraints:
    - (C1) query, key, value have rank 4 and one element type: f16, bf16 or f32.
    - (C2) batch sizes agree; key and value agree in heads and length.
    - (C3) head counts and head dimensions are static; query and key agree in
      head dimension; each is at least 1.
    - (C4) the number of query heads is a multiple of the number of key heads.
    - (C5) out has, axis by axis, query's shape with value's head dimension, and query's
      element type.
    - (C6) lse, when a result, is tensor<BxHqxLqxf32>.
    - (C7) scale is given once: as an attribute or as an operand; without
      either it is 1/√D. It is finite.
    - (C8) each offset is given once: as an attribute or as an operand.
    - (C9) tensor offsets, `q_lengths` and `k_lengths` have B elements.
    - (C10) sink is tensor<Hqxf32> and goes with softmax; lse goes with softmax.
    - (C11) the score region takes (f32, index, index, index, index) and yields
      f32; load_q and load_k take a row tensor<Dxf32> and three indices and
      yield a row; mask takes four indices and yields i1; exclude takes two rows
      tensor<Dvxf32> and three indices and yields a row; own takes three indices
      and yields an index.
    - (C12) regions hold pure ops only, and at most one block.
    - (C13) own goes with an exclude region.
    - (C14) where lengths and offsets are static, an exclusion that reads `own`
      finds a value row for every query row (or `own` says which).
    - (C15) offsets lie in (−2^30, 2^30), so that a distance fits 32 bits; those
      given at run time are the caller's promise.
  }];

  let arguments = (ins
    Goat_TokenTensor:$query, Goat_TokenTensor:$key, Goat_TokenTensor:$value,
    Optional<F32>:$scale,
    Optional<1DTensorOf<[F32]>>:$sink,
    Optional<Goat_OffsetType>:$q_offset,
    Optional<Goat_OffsetType>:$k_offset,
    Optional<1DTensorOf<[I32]>>:$q_lengths,
    Optional<1DTensorOf<[I32]>>:$k_lengths,
    OptionalAttr<F32Attr>:$static_scale,
    OptionalAttr<I32Attr>:$static_q_offset,
    OptionalAttr<I32Attr>:$static_k_offset,
    DefaultValuedAttr<Goat_NormalizerAttr, "Normalizer::softmax">:$normalizer,
    DefaultValuedAttr<Goat_LayoutAttr, "Layout::bhsd">:$layout);
  let results = (outs Goat_TokenTensor:$out, Optional<3DTensorOf<[F32]>>:$lse);
  let regions = (region MaxSizedRegion<1>:$score, MaxSizedRegion<1>:$mask,
                        MaxSizedRegion<1>:$exclude, MaxSizedRegion<1>:$own,
                        MaxSizedRegion<1>:$load_q, MaxSizedRegion<1>:$load_k);

  let assemblyFormat = [{
    $query `,` $key `,` $value
    (`scale` `(` $scale^ `)`)?
    (`sink` `(` $sink^ `:` type($sink) `)`)?
    (`q_offset` `(` $q_offset^ `:` type($q_offset) `)`)?
    (`k_offset` `(` $k_offset^ `:` type($k_offset) `)`)?
    (`q_lengths` `(` $q_lengths^ `:` type($q_lengths) `)`)?
    (`k_lengths` `(` $k_lengths^ `:` type($k_lengths) `)`)?
    (`load_q` $load_q^)? (`load_k` $load_k^)?
    (`score` $score^)? (`mask` $mask^)? (`exclude` $exclude^)? (`own` $own^)?
    attr-dict-with-keyword `:`
    `(` type($query) `,` type($key) `,` type($value) `)` `->`
    `(` type($out) (`,` type($lse)^)? `)`
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getQueryType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getQuery().getType());
    }
    ::mlir::RankedTensorType getKeyType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getKey().getType());
    }
    ::mlir::RankedTensorType getValueType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getValue().getType());
    }
    /// The axis of heads, and that of rows, of query, key, value and out.
    int64_t getHeadAxis() { return getLayout() == Layout::bshd ? 2 : 1; }
    int64_t getLengthAxis() { return getLayout() == Layout::bshd ? 1 : 2; }
    int64_t getNumQueryHeads() {
      return getQueryType().getDimSize(getHeadAxis());
    }
    int64_t getNumKeyHeads() { return getKeyType().getDimSize(getHeadAxis()); }
    /// Lq and Lk, or dynamic.
    int64_t getQueryLength() {
      return getQueryType().getDimSize(getLengthAxis());
    }
    int64_t getKeyLength() { return getKeyType().getDimSize(getLengthAxis()); }
    /// Query heads that share one key head.
    int64_t getGroupSize() { return getNumQueryHeads() / getNumKeyHeads(); }
    /// D, the head dimension of query and key.
    int64_t getHeadDim() { return getQueryType().getDimSize(3); }
    /// Dv, the head dimension of value and out.
    int64_t getValueDim() { return getValueType().getDimSize(3); }
    /// The attribute, or 1/√D when neither attribute nor operand is there;
    /// nullopt when the scale is a run-time value.
    std::optional<double> getConstantScale();
  }];
}

def YieldOp : Goat_Op<"yield", [Pure, Terminator, ReturnLike,
                                ParentOneOf<["AttentionOp"]>]> {
  let summary = "ends a region of goat.attention with its result";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // GOAT_ATTENTION_TD
