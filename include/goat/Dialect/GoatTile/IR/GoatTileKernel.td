//===- GoatTileKernel.td - what a launcher has to know -----*- tablegen -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GOAT_TILE_KERNEL_TD
#define GOAT_TILE_KERNEL_TD

include "goat/Dialect/GoatTile/IR/GoatTileCompute.td"

// A kernel is a gpu.func. The kernels of a gpu.module are launched in the order
// they stand in, on one stream. Each of a kernel's arguments carries one of the
// attributes below as `goat_tile.role`; every kernel carries
//   goat_tile.grid      = affine_map<()[s0, s1, ...] -> (x, y, z)>
//   goat_tile.grid_dims = [#goat_tile.dim<...>, ...]  what s0, s1, … stand for
//   goat_tile.shared_bytes = N : i32   set when buffers have been placed
//   known_block_size
// and one of them, the main kernel, what describes the artifact:
//   goat_tile.source    = the L0 function's type, so that dtypes and shapes of
//                         inputs and outputs are known to the artifact; no
//                         other kernel has it
//   goat_tile.argument_names, goat_tile.result_names = ["query", ...]
//   goat_tile.result_dims = [[size, ...], ...] of each result; a size is an i64
//                         or a #goat_tile.dim
//   goat_tile.equal_dims, goat_tile.at_least_dims = [[a, b], ...] what a
//                         launcher has to check: a = b, a ≥ b
//   goat_tile.choices   = {...} what the compiler chose, for the reader
//   goat_tile.workspaces = [affine_map<()[s0, ...] -> (bytes)>, ...] scratch
//                         regions of global memory that the launcher lends to
//                         one call. A region starts at the sum of the sizes
//                         before it, each rounded up to 256 bytes; nobody
//                         initialises it.
//   goat_tile.workspace_dims = [#goat_tile.dim<...>, ...]  what s0, … stand for
//   goat_tile.memory    = [#goat_tile.memory<...>, ...] how each input and then
//                         each output lies in memory, for a launcher to check.
//                         Without it all are contiguous and aligned to 16 bytes.
// A module may hold several variants of one kernel, for tensors that lie in
// memory in different ways. Each is such a sequence with a main kernel of its
// own; its kernels carry
//   goat_tile.variant   = "name"; without it a kernel is of the variant
//                         "contiguous"
// A launcher takes the first variant of which goat_tile.memory holds.
// Reading them as one sequence, and checking it: Launches.h.

def InputAttr : GoatTile_Attr<"Input", "input"> {
  let summary = "argument `index` of the source function: a tensor's address or a scalar";
  let parameters = (ins "int64_t":$index);
  let assemblyFormat = "`<` $index `>`";
}
def OutputAttr : GoatTile_Attr<"Output", "output"> {
  let summary = "result `index` of the source function: a tensor's address";
  let parameters = (ins "int64_t":$index);
  let assemblyFormat = "`<` $index `>`";
}
def DimAttr : GoatTile_Attr<"Dim", "dim"> {
  let summary = "size of dimension `axis` of argument `index` of the source function, i32";
  let parameters = (ins "int64_t":$index, "int64_t":$axis);
  let assemblyFormat = "`<` $index `,` $axis `>`";
}

def InputStrideAttr : GoatTile_Attr<"InputStride", "input_stride"> {
  let summary = "elements from one index of `axis` of argument `index` to the next, i64";
  let parameters = (ins "int64_t":$index, "int64_t":$axis);
  let assemblyFormat = "`<` $index `,` $axis `>`";
}
def OutputStrideAttr : GoatTile_Attr<"OutputStride", "output_stride"> {
  let summary = "elements from one index of `axis` of result `index` to the next, i64";
  let parameters = (ins "int64_t":$index, "int64_t":$axis);
  let assemblyFormat = "`<` $index `,` $axis `>`";
}

def GoatTile_Access : I32EnumAttr<"Access", "how a tensor lies in memory", [
  I32EnumAttrCase<"contiguous", 0>, I32EnumAttrCase<"rows", 1>,
  I32EnumAttrCase<"any", 2>]> {
  let cppNamespace = "::goat::tile";
  let genSpecializedAttr = 0;
}
def MemoryAttr : GoatTile_Attr<"Memory", "memory"> {
  let summary = "how a tensor has to lie in memory for a variant to be launched";
  let description = [{
    The address is a multiple of `alignment` bytes, a power of two. The elements
    lie
    - `contiguous`: in row-major order without gaps;
    - `rows`: those of the last axis next to each other, and the strides of all
      other axes are multiples of `alignment` bytes;
    - `any`: as the strides of the call say.
  }];
  let parameters = (ins EnumParameter<GoatTile_Access>:$access, "int64_t":$alignment);
  let assemblyFormat = "`<` $access `,` struct($alignment) `>`";
}

def WorkspaceAttr : GoatTile_Attr<"Workspace", "workspace"> {
  let summary = "address of region `index` of the main kernel's workspaces";
  let parameters = (ins "int64_t":$index);
  let assemblyFormat = "`<` $index `>`";
}

def GoatTile_ScheduleKind : I32EnumAttr<"ScheduleKind", "the shape of a kernel", [
  I32EnumAttrCase<"flash_mma", 0>]> {
  let cppNamespace = "::goat::tile";
  let genSpecializedAttr = 0;
}

def GoatTile_StripSource : I32EnumAttr<"StripSource", "where the values of a function of the distance come from", [
  I32EnumAttrCase<"tile", 0>, I32EnumAttrCase<"block", 1>,
  I32EnumAttrCase<"table", 2>]> {
  let cppNamespace = "::goat::tile";
  let genSpecializedAttr = 0;
}
def GoatTile_KeyTerms : I32EnumAttr<"KeyTerms", "how functions of the key are added", [
  I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"product", 1>]> {
  let cppNamespace = "::goat::tile";
  let genSpecializedAttr = 0;
}
def GoatTile_MaskIndexUse : I32EnumAttr<"MaskIndexUse", "when an index of key tiles is built", [
  I32EnumAttrCase<"automatic", 0>, I32EnumAttrCase<"always", 1>,
  I32EnumAttrCase<"never", 2>, I32EnumAttrCase<"given", 3>]> {
  let cppNamespace = "::goat::tile";
  let genSpecializedAttr = 0;
}
def GoatTile_KeySource : I32EnumAttr<"KeySource", "where the values of a function of the key come from", [
  I32EnumAttrCase<"tile", 0>, I32EnumAttrCase<"table", 1>]> {
  let cppNamespace = "::goat::tile";
  let genSpecializedAttr = 0;
}
def GoatTile_LoadSource : I32EnumAttr<"LoadSource", "where a load region is evaluated", [
  I32EnumAttrCase<"kernel", 0>, I32EnumAttrCase<"block", 1>]> {
  let cppNamespace = "::goat::tile";
  let genSpecializedAttr = 0;
}
def GoatTile_StripParameter : EnumParameter<GoatTile_StripSource> {
  let defaultValue = "::goat::tile::StripSource::tile";
}
def GoatTile_KeyTermsParameter : EnumParameter<GoatTile_KeyTerms> {
  let defaultValue = "::goat::tile::KeyTerms::add";
}
def GoatTile_F32ProductParameter : EnumParameter<GoatTile_F32Product> {
  let defaultValue = "::goat::tile::F32Product::exact";
}

def GoatTile_MaskIndexParameter : EnumParameter<GoatTile_MaskIndexUse> {
  let defaultValue = "::goat::tile::MaskIndexUse::automatic";
}
def GoatTile_KeySourceParameter : EnumParameter<GoatTile_KeySource> {
  let defaultValue = "::goat::tile::KeySource::tile";
}

def GoatTile_LoadSourceParameter : EnumParameter<GoatTile_LoadSource> {
  let defaultValue = "::goat::tile::LoadSource::kernel";
}

def ScheduleAttr : GoatTile_Attr<"Schedule", "schedule"> {
  let summary = "which kernel an attention becomes, and its tile sizes";
  let description = [{
    Written by `--goat-choose-schedule` on `goat.attention` as the attribute
    `goat_tile.schedule`; one that is already there is kept.

    `flash_mma`: one block per `rows` query rows of one head, `warps` warps of
    rows/warps rows each, online softmax over tiles of `keys` keys that arrive
    through a ring of `stages` shared-memory stages; `mma.sync` and `cp.async`,
    sm_80 and up. Each warp has 16 or 32 rows.

    `strip` says where the values of score terms that are functions of the
    distance come from, a strip in shared memory in any case:
    - `tile`: each block generates, one tile ahead, the values a tile needs
      beyond the tile before.
    - `block`: each block generates the values of all its tiles before the first.
      The number of keys has to be static.
    - `table`: a kernel launched before writes the values of all distances to
      global memory, in fragments' order; blocks copy what a tile needs.

    `key_terms` says how functions of the key reach the accumulator: `add`, one
    addition for each element, or `product`, as bf16 parts in 8 extra columns of
    the multiply (exact to f32's last bit or nearly). `key_source` says where
    their values come from: `tile`, each block generates those of a tile one tile
    ahead; or `table`, a kernel launched before writes those of all keys to
    global memory, as values or as parts, and blocks copy what a tile needs.

    `mask_index` says when kernels before the main one sort the key tiles of each
    block into empty, partial and full ones: `always` (of a mask), `never`,
    `given`, by the classes that the caller passes as one more argument, or
    `automatic`, where the keys a block sees are no single interval, or are not
    known without evaluating the mask and heads share it. Without an index the
    mask is evaluated on every tile of the smallest interval that is not known
    to be full.

    `load_q` says where the load region of query is evaluated: in a `kernel`
    launched before, which writes the rows to global memory, as that of key is
    always; or each `block` does it for its own rows before the first tile.

    `f32_product` says how query, key and value of f32 are multiplied, see
    `#goat_tile.f32_product`; for 16-bit elements it stays `exact`, which they
    are in f32.
  }];
  let parameters = (ins EnumParameter<GoatTile_ScheduleKind>:$kind,
                        "int64_t":$rows, "int64_t":$keys, "int64_t":$warps,
                        "int64_t":$stages, GoatTile_StripParameter:$strip,
                        GoatTile_KeyTermsParameter:$key_terms,
                        GoatTile_MaskIndexParameter:$mask_index,
                        GoatTile_F32ProductParameter:$f32_product,
                        GoatTile_KeySourceParameter:$key_source,
                        GoatTile_LoadSourceParameter:$load_q);
  let assemblyFormat = [{
    `<` $kind `,` struct($rows, $keys, $warps, $stages, $strip, $key_terms,
                         $mask_index, $f32_product, $key_source, $load_q) `>`
  }];
}

#endif // GOAT_TILE_KERNEL_TD
