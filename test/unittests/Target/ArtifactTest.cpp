//===- ArtifactTest.cpp - kernel.json and its directory -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is written is read back; what is malformed is refused with its place.
//
//===----------------------------------------------------------------------===//

#include "goat/Target/PTX/Artifact.h"
#include "goat/Target/PTX/Chips.h"
#include "goat/Target/PTX/Ptxas.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

using namespace goat::ptx;

static Kernel makeKernel() {
  Kernel kernel;
  kernel.name = "layer";
  kernel.target = "sm_90";
  kernel.inputs = {{"query", DType::BF16, {std::nullopt, 12, std::nullopt, 64}},
                   {"scale", DType::F32, {}}};
  kernel.outputs = {{"out",
                     DType::BF16,
                     {Expr(DimRef{0, 0}), 12, Expr(DimRef{0, 2}), 64},
                     {}},
                    {"lse", DType::F32, {Expr(DimRef{0, 2})}, 0.0}};
  kernel.requirements = {
      {Expr(DimRef{0, 0}), Expr(2), "query has two batch entries"}};
  Launch launch;
  launch.entry = "layer";
  launch.grid = {Expr(Expr::Kind::CeilDiv, {Expr(DimRef{0, 2}), Expr(128)}),
                 Expr(12), Expr(DimRef{0, 0})};
  launch.block = {128, 1, 1};
  launch.sharedBytes = 49152;
  launch.parameters = {{Parameter::Kind::Input, 0, 0},
                       {Parameter::Kind::Input, 1, 0},
                       {Parameter::Kind::Output, 0, 0},
                       {Parameter::Kind::Output, 1, 0},
                       {Parameter::Kind::Dim, 0, 2},
                       {Parameter::Kind::Workspace, 0, 0, Expr(256)},
                       {Parameter::Kind::TensorMap, 0, 0}};
  launch.tensorMaps = {{false, 0, {1, 1, 64, 128}, 128}};
  Variant variant;
  variant.name = "contiguous";
  variant.guards = {Guard::aligned(false, 0, 16), Guard::aligned(true, 1, 4),
                    Guard::less(Expr(DimRef{0, 2}), Expr(99)),
                    Guard::stride(Guard::Kind::StrideMultiple, false, 0, 1, 8),
                    Guard::stride(Guard::Kind::StrideEquals, true, 1, 0, 1)};
  Launch first = launch;
  first.entry = "fill";
  first.sharedBytes = 16;
  first.parameters = {{Parameter::Kind::Workspace, 0, 0, Expr(0)}};
  first.tensorMaps.clear();
  variant.launches = {launch, first};
  variant.workspaceBytes =
      Expr(Expr::Kind::Multiply, {Expr(DimRef{0, 2}), Expr(4)});
  kernel.variants = {variant};
  kernel.choices =
      llvm::json::Object{{"schedule", "flash_mma"}, {"tile_rows", 128}};
  return kernel;
}

TEST(Artifact, KernelSurvivesJson) {
  std::string text = writeKernel(makeKernel());
  llvm::Expected<Kernel> read = readKernel(text, "kernel.json");
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(writeKernel(*read), text);
  EXPECT_EQ(read->inputs[0].shape[0], std::nullopt);
  EXPECT_EQ(read->inputs[0].shape[1], 12);
  EXPECT_EQ(read->inputs[0].dtype, DType::BF16);
  EXPECT_TRUE(read->inputs[1].shape.empty());
  EXPECT_EQ(read->outputs[0].initialise, std::nullopt);
  EXPECT_EQ(read->outputs[1].initialise, 0.0);
  EXPECT_EQ(read->cubin, std::nullopt);
  const Variant &variant = read->variants.at(0);
  EXPECT_EQ(variant.guards[0].kind, Guard::Kind::Aligned);
  EXPECT_FALSE(variant.guards[0].isOutput);
  EXPECT_EQ(variant.guards[1].kind, Guard::Kind::Aligned);
  EXPECT_TRUE(variant.guards[1].isOutput);
  ASSERT_EQ(variant.guards.size(), 5u);
  EXPECT_EQ(variant.guards[3].kind, Guard::Kind::StrideMultiple);
  EXPECT_EQ(variant.guards[3].axis, 1);
  EXPECT_EQ(variant.guards[3].number, 8);
  EXPECT_EQ(variant.guards[4].kind, Guard::Kind::StrideEquals);
  EXPECT_TRUE(variant.guards[4].isOutput);
  EXPECT_EQ(variant.guards[1].bytes, 4);
  EXPECT_EQ(variant.guards[2].kind, Guard::Kind::Less);
  EXPECT_EQ(variant.launches[0].parameters[4].kind, Parameter::Kind::Dim);
  EXPECT_EQ(variant.launches[0].parameters[4].axis, 2);
  EXPECT_EQ(variant.launches[0].parameters[5].kind, Parameter::Kind::Workspace);
  EXPECT_EQ(variant.launches[0].parameters[5].offset.asConstant(), 256);
  EXPECT_EQ(variant.launches[0].parameters[6].kind, Parameter::Kind::TensorMap);
  ASSERT_EQ(variant.launches[0].tensorMaps.size(), 1u);
  EXPECT_EQ(variant.launches[0].tensorMaps[0].swizzle, 128);
  EXPECT_EQ(variant.launches[0].tensorMaps[0].box[2], 64);
  EXPECT_EQ(variant.launches[1].entry, "fill");
}

/// Replaces the first `from` of the valid text by `to` and reads it.
static std::string errorAfter(llvm::StringRef from, llvm::StringRef to) {
  std::string text = llvm::formatv(
      "{0}", llvm::cantFail(llvm::json::parse(writeKernel(makeKernel()))));
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str() << " is not in " << text;
  text.replace(at, from.size(), to.str());
  llvm::Expected<Kernel> read = readKernel(text, "kernel.json");
  return read ? "" : llvm::toString(read.takeError());
}

TEST(Artifact, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(errorAfter("goat-kernel/1", "goat-kernel/2"),
            "kernel.json: expected schema 'goat-kernel/1' but got "
            "'goat-kernel/2'; compile the kernel again with this version of "
            "goatc");
  EXPECT_EQ(errorAfter("\"schema\"", "\"scheme\""),
            "kernel.json: expected an object with \"schema\": "
            "\"goat-kernel/1\"");
}

TEST(Artifact, RefusesMalformedTextWithItsPlace) {
  for (auto [from, to, message] :
       {std::array<const char *, 3>{"{\"choices\"", "{choices",
                                    "kernel.json: expected JSON: [1:"},
        {"\"bf16\"", "\"fp8\"",
         "expected one of f16, bf16, f32, i1, i8, i32, i64 at "
         "kernel.json.inputs[0].dtype"},
        {"[128,1,1]", "[128,1]",
         "expected an array of three at "
         "kernel.json.variants[0].launches[0].block"},
        {"[128,1,1]", "[0,1,1]",
         "expected an extent from 1 to 1024 at "
         "kernel.json.variants[0].launches[0].block[0]"},
        {"[128,1,1]", "[128,1025,1]",
         "expected an extent from 1 to 1024 at "
         "kernel.json.variants[0].launches[0].block[1]"},
        {"\"grid\"", "\"grit\"",
         "missing value at kernel.json.variants[0].launches[0].grid"},
        {"\"bytes\":16", "\"bytes\":12", "expected a power of two"},
        {"\"kind\":\"dim\"", "\"kind\":\"stride\"",
         "expected one of input, output, dim, input_stride, output_stride, "
         "workspace, tensor_map at "
         "kernel.json.variants[0].launches[0].parameters[4].kind"},
        {"\"less\"", "\"lest\"",
         "expected a guard with \"aligned\", \"stride\" or \"less\" at "
         "kernel.json.variants[0].guards[2]"},
        {"\"multiple\":8", "\"multiple\":0",
         "expected a positive number at "
         "kernel.json.variants[0].guards[3].multiple"},
        {"\"axis\":1", "\"axis\":4", "one of 4 axes but got axis 4"},
        {"\"kind\":\"workspace\",\"offset\"", "\"kind\":\"workspace\",\"o\"",
         "missing value at "
         "kernel.json.variants[0].launches[0].parameters[5].offset"},
        {"\"swizzle\":128", "\"swizzle\":16",
         "expected one of 0, 32, 64, 128 at "
         "kernel.json.variants[0].launches[0].tensor_maps[0].swizzle"},
        {"\"box\":[1,1,64,128]", "\"box\":[1,1,257,128]",
         "expected an extent from 1 to 256 at "
         "kernel.json.variants[0].launches[0].tensor_maps[0].box[2]"},
        {"\"box\":[1,1,64,128]", "\"box\":[64,128]",
         "expected the box of a tensor map of variant 'contiguous' to have an "
         "extent for each axis of a tensor of 1 to 5 axes but got 2 for 4"},
        {"\"index\":0,\"kind\":\"tensor_map\"",
         "\"index\":1,\"kind\":\"tensor_map\"",
         "one of 1 tensor maps but got tensor map 1"},
        {"\"tensor\":{\"input\":0}", "\"tensor\":{\"input\":2}",
         "one of 2 inputs but got input 2"},
        {"\"workspace_bytes\"", "\"workspace\"",
         "missing value at kernel.json.variants[0].workspace_bytes"},
        {"[null,12", "[-4,12",
         "expected null or a size of at least 0 at "
         "kernel.json.inputs[0].shape[0]"},
        {"\"index\":1,\"kind\":\"input\"", "\"index\":2,\"kind\":\"input\"",
         "kernel.json: expected variant 'contiguous' to name one of 2 inputs "
         "but got input 2"},
        {"\"axis\":2", "\"axis\":4", "one of 4 axes but got axis 4"},
        {"{\"output\":1}", "{\"output\":2}", "2 outputs but got output 2"}}) {
    std::string error = errorAfter(from, to);
    EXPECT_NE(error.find(message), std::string::npos) << to << ": " << error;
  }
}

TEST(Artifact, DirectorySurvives) {
  llvm::SmallString<128> directory;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("goat", directory));
  Artifact artifact{makeKernel(), "// ptx", "", "func.func @layer"};
  ASSERT_FALSE(bool(writeArtifact(artifact, directory)));
  llvm::Expected<Artifact> read = readArtifact(directory);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->ptx, artifact.ptx);
  EXPECT_EQ(read->source, artifact.source);
  EXPECT_EQ(read->cubin, "");
  artifact.kernel.cubin = "kernel.sm_90.cubin";
  artifact.cubin = std::string("\0ELF", 4);
  ASSERT_FALSE(bool(writeArtifact(artifact, directory)));
  read = readArtifact(directory);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->cubin, artifact.cubin);
  llvm::sys::fs::remove_directories(directory);
  read = readArtifact(directory);
  ASSERT_FALSE(bool(read));
  EXPECT_EQ(
      llvm::toString(read.takeError())
          .find("cannot read '" + directory.str().str() + "/kernel.json': "),
      0u);
}

TEST(Chips, AreFoundByName) {
  llvm::Expected<ChipDescription> chip = findChip("sm_90a");
  ASSERT_TRUE(bool(chip));
  EXPECT_EQ(chip->sharedBytesPerBlock, 232448);
  chip = findChip("sm_91");
  ASSERT_FALSE(bool(chip));
  EXPECT_EQ(llvm::toString(chip.takeError()),
            "expected a target among sm_80, sm_86, sm_89, sm_90, sm_90a, "
            "sm_100, sm_100a, sm_120 but got 'sm_91'");
}

TEST(Ptxas, ReportIsRead) {
  std::vector<EntryResources> entries = parseResources(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'layer' for 'sm_90'\n"
      "ptxas info    : Function properties for layer\n"
      "    64 bytes stack frame, 36 bytes spill stores, 40 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 1 barriers, 512 bytes smem\n"
      "ptxas info    : Compiling entry function 'merge' for 'sm_90'\n"
      "ptxas info    : Function properties for merge\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].entry, "layer");
  EXPECT_EQ(entries[0].registers, 168);
  EXPECT_EQ(entries[0].stackBytes, 64);
  EXPECT_EQ(entries[0].spillStoreBytes, 36);
  EXPECT_EQ(entries[0].spillLoadBytes, 40);
  EXPECT_EQ(entries[0].staticSharedBytes, 512);
  EXPECT_EQ(entries[1].entry, "merge");
  EXPECT_EQ(entries[1].registers, 8);
  EXPECT_EQ(entries[1].spillStoreBytes, 0);
}
