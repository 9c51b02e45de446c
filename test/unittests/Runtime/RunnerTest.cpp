//===- RunnerTest.cpp - inputs, launch plans and the simulator ------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes and random values of a layer; a hand-written kernel through the
// simulator's runner, right and wrong.
//
//===----------------------------------------------------------------------===//

#include "goat/Runtime/Runner.h"
#include "goat/Dialect/Goat/IR/GoatDialect.h"
#include "goat/Runtime/LaunchPlan.h"
#include "goat/Runtime/LayerInputs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace goat;
using namespace goat::runtime;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static constexpr const char *layerText = R"(
func.func @layer(
    %q: tensor<?x4x?x8xbf16> {goat.name = "query"},
    %k: tensor<?x2x?x8xbf16> {goat.name = "key"},
    %v: tensor<?x2x?x8xbf16> {goat.name = "value"},
    %u: tensor<2x?xf32> {goat.name = "u"},
    %scale: f32 {goat.name = "scale"},
    %lengths: tensor<?xi32> {goat.name = "lengths"},
    %ids: tensor<?xi32> {goat.name = "ids"}) -> tensor<?x4x?x8xbf16> {
  %out = goat.attention %q, %k, %v scale(%scale) k_lengths(%lengths : tensor<?xi32>)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %p = goat.key_prior %u at (%b, %h, %j) : tensor<2x?xf32>
      %t = arith.addf %s, %p : f32
      goat.yield %t : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %id = tensor.extract %ids[%i] : tensor<?xi32>
      %zero = arith.constant 0 : i32
      %m = arith.cmpi sge, %id, %zero : i32
      goat.yield %m : i1
    } : (tensor<?x4x?x8xbf16>, tensor<?x2x?x8xbf16>, tensor<?x2x?x8xbf16>) -> (tensor<?x4x?x8xbf16>)
  return %out : tensor<?x4x?x8xbf16>
})";

namespace {
class LayerInputsTest : public testing::Test {
protected:
  void SetUp() override {
    context.loadDialect<GoatDialect, mlir::arith::ArithDialect,
                        mlir::func::FuncDialect, mlir::math::MathDialect,
                        mlir::tensor::TensorDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(layerText, &context);
    ASSERT_TRUE(module);
    function = *module->getOps<mlir::func::FuncOp>().begin();
  }
  LayerInputs inputs() { return llvm::cantFail(LayerInputs::create(function)); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
};
} // namespace

static std::string textOf(llvm::Error error) {
  return llvm::toString(std::move(error));
}

TEST_F(LayerInputsTest, AxesThatAgreeAreOneSize) {
  LayerInputs layer = inputs();
  ASSERT_EQ(textOf(layer.setSize("B", 2)), "");
  ASSERT_EQ(textOf(layer.setSize("query.2", 5)), "");
  ASSERT_EQ(textOf(layer.setSize("Lk", 7)), "");
  ASSERT_EQ(textOf(layer.setTensor("ids", {{5}, {0, 0, 0, 0, 0}}, "here")), "");
  llvm::Expected<std::vector<Tensor>> tensors = layer.generate(0);
  ASSERT_TRUE(bool(tensors)) << llvm::toString(tensors.takeError());
  using Sizes = llvm::SmallVector<int64_t>;
  EXPECT_EQ((*tensors)[0].shape, (Sizes{2, 4, 5, 8}));
  EXPECT_EQ((*tensors)[1].shape, (Sizes{2, 2, 7, 8}));
  EXPECT_EQ((*tensors)[2].shape, (Sizes{2, 2, 7, 8}));
  EXPECT_EQ((*tensors)[3].shape, (Sizes{2, 7}));
  EXPECT_EQ((*tensors)[4].shape, (Sizes{}));
  EXPECT_EQ((*tensors)[5].shape, (Sizes{2}));
}

TEST_F(LayerInputsTest, ContradictionsAreRefused) {
  LayerInputs layer = inputs();
  ASSERT_EQ(textOf(layer.setSize("Lk", 7)), "");
  EXPECT_EQ(textOf(layer.setSize("u.1", 8)),
            "expected u.1 to be 7 as --size says but got 8 from --size");
  EXPECT_EQ(textOf(layer.setSize("query.1", 3)),
            "expected query.1 to be 4 as the type of 'query' says but got 3 "
            "from --size");
  EXPECT_EQ(textOf(layer.setTensor("u", {{2, 6}, {}}, "'u.npy'")),
            "expected u.1 to be 7 as --size says but got 6 from 'u.npy'");
  EXPECT_EQ(textOf(layer.setTensor("u", {{2}, {}}, "'u.npy'")),
            "expected 'u' to have rank 2 but got 2 from 'u.npy'");
  EXPECT_EQ(textOf(layer.setTensor("sink", {{2}, {}}, "'u.npy'")),
            "expected one of the parameters query, key, value, u, scale, "
            "lengths, ids but got 'sink'");
  EXPECT_NE(textOf(layer.setSize("Lv", 8))
                .find("expected one of the sizes B, "
                      "Lq, Lk, query.0, query.2"),
            std::string::npos);
  EXPECT_EQ(textOf(layer.setSize("B", -1)),
            "expected a size of at least 0 for B but got -1");
}

TEST_F(LayerInputsTest, IntegersAreWholeAndFit) {
  LayerInputs layer = inputs();
  auto refusal = [](const char *got) {
    return "expected whole numbers from -2147483648 to 2147483647 for 'ids' "
           "but got " +
           std::string(got) + " from 'ids.npy'";
  };
  auto set = [&](double value) {
    return textOf(layer.setTensor("ids", {{3}, {0, value, 2}}, "'ids.npy'"));
  };
  EXPECT_EQ(set(1.5), refusal("1.5"));
  EXPECT_EQ(set(std::nan("")), refusal("nan"));
  EXPECT_EQ(set(2147483648.0), refusal("2147483648"));
  EXPECT_EQ(set(-2147483649.0), refusal("-2147483649"));
  EXPECT_EQ(set(-2147483648.0), "");
  EXPECT_EQ(set(2147483647.0), "");
}

TEST_F(LayerInputsTest, WhatNothingDeterminesMustBeGiven) {
  LayerInputs layer = inputs();
  ASSERT_EQ(textOf(layer.setSize("B", 2)), "");
  ASSERT_EQ(textOf(layer.setSize("Lk", 7)), "");
  EXPECT_EQ(textOf(layer.generate(0).takeError()),
            "nothing says how large Lq is; give --size Lq=N or a file for "
            "'query'");
  ASSERT_EQ(textOf(layer.setSize("Lq", 7)), "");
  EXPECT_EQ(textOf(layer.generate(0).takeError()),
            "expected a value for 'ids': integers other than lengths have no "
            "random value; give --arg ids=FILE.npy");
}

TEST_F(LayerInputsTest, RandomValuesFollowTheirRole) {
  LayerInputs layer = inputs();
  ASSERT_EQ(textOf(layer.setSize("B", 50)), "");
  ASSERT_EQ(textOf(layer.setSize("Lk", 7)), "");
  ASSERT_EQ(textOf(layer.setTensor("ids", {{3}, {0, 0, 0}}, "here")), "");
  std::vector<Tensor> tensors = llvm::cantFail(layer.generate(1));
  double sum = 0, squares = 0;
  for (double x : tensors[1].data) {
    EXPECT_EQ(x, roundTo(DType::BF16, x));
    sum += x;
    squares += x * x;
  }
  const double count = tensors[1].data.size(); // 5600
  EXPECT_NEAR(sum / count, 0, 0.06);
  EXPECT_NEAR(squares / count, 1, 0.1);
  EXPECT_FLOAT_EQ(tensors[4].data[0], 1 / std::sqrt(8.0));
  for (double length : tensors[5].data)
    EXPECT_TRUE(length >= 1 && length <= 7 && length == std::floor(length));
  EXPECT_NE(tensors[1].data, tensors[2].data);
  EXPECT_EQ(llvm::cantFail(layer.generate(1))[1].data, tensors[1].data);
  EXPECT_NE(llvm::cantFail(layer.generate(2))[1].data, tensors[1].data);
}

TEST_F(LayerInputsTest, GivenValuesAreRounded) {
  LayerInputs layer = inputs();
  Tensor query{{1, 4, 1, 8}, std::vector<double>(32, 257)};
  ASSERT_EQ(textOf(layer.setTensor("query", query, "'q.npy'")), "");
  ASSERT_EQ(textOf(layer.setSize("Lk", 1)), "");
  ASSERT_EQ(textOf(layer.setTensor("ids", {{1}, {0}}, "here")), "");
  EXPECT_EQ(llvm::cantFail(layer.generate(0))[0].data[0], 256);
}

//===----------------------------------------------------------------------===//
// The simulator
//===----------------------------------------------------------------------===//

/// out[i] = in[i] + bias for i < n, 32 threads to a block.
static constexpr const char *ptxText = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry add_bias(
  .param .u64 in, .param .f32 bias, .param .u64 out, .param .u32 n)
.reqntid 32, 1, 1
{
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .f32 %f<3>;
  .reg .b64 %rd<6>;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %tid.x;
  mad.lo.s32 %r2, %r0, 32, %r1;
  ld.param.u32 %r3, [n];
  setp.ge.s32 %p, %r2, %r3;
  @%p bra done;
  ld.param.u64 %rd0, [in];
  ld.param.u64 %rd1, [out];
  ld.param.f32 %f0, [bias];
  mul.wide.s32 %rd2, %r2, 4;
  add.s64 %rd3, %rd0, %rd2;
  add.s64 %rd4, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
  add.f32 %f2, %f1, %f0;
  st.global.f32 [%rd4], %f2;
done:
  ret;
}
)";

static ptx::Artifact makeArtifact() {
  ptx::Artifact artifact;
  ptx::Kernel &kernel = artifact.kernel;
  kernel.name = "add_bias";
  kernel.target = "sm_80";
  kernel.inputs = {{"in", DType::F32, {std::nullopt}},
                   {"bias", DType::F32, {}}};
  kernel.outputs = {{"out", DType::F32, {ptx::Expr(ptx::DimRef{0, 0})}, {}}};
  ptx::Launch launch;
  launch.entry = "add_bias";
  launch.grid = {ptx::Expr(ptx::Expr::Kind::CeilDiv,
                           {ptx::Expr(ptx::DimRef{0, 0}), ptx::Expr(32)}),
                 1, 1};
  launch.block = {32, 1, 1};
  launch.parameters = {{ptx::Parameter::Kind::Input, 0, 0},
                       {ptx::Parameter::Kind::Input, 1, 0},
                       {ptx::Parameter::Kind::Output, 0, 0},
                       {ptx::Parameter::Kind::Dim, 0, 0}};
  ptx::Variant variant;
  variant.name = "contiguous";
  variant.guards = {ptx::Guard::aligned(false, 0, 16),
                    ptx::Guard::aligned(true, 0, 16),
                    ptx::Guard::less(ptx::Expr(ptx::DimRef{0, 0}), 1000)};
  variant.launches = {launch};
  kernel.variants = {variant};
  artifact.ptx = ptxText;
  return artifact;
}

static llvm::Expected<RunResult> runSim(const ptx::Artifact &artifact,
                                        int64_t length) {
  Tensor in;
  in.shape = {length};
  for (int64_t i = 0; i < length; ++i)
    in.data.push_back(i);
  return createSimRunner(artifact, SimOptions())
      ->run({in, Tensor{{}, {0.5}}}, nullptr);
}

TEST(SimRunner, RunsAKernel) {
  llvm::Expected<RunResult> result = runSim(makeArtifact(), 100);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_TRUE(result->findings.empty()) << result->findings.front();
  ASSERT_EQ(result->outputs.size(), 1u);
  ASSERT_EQ(result->outputs[0].data.size(), 100u);
  EXPECT_EQ(result->outputs[0].data[99], 99.5);
  EXPECT_GT(result->instructions, 40u);
}

TEST(SimRunner, EmptyGridIsNotLaunched) {
  llvm::Expected<RunResult> result = runSim(makeArtifact(), 0);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_TRUE(result->findings.empty());
  EXPECT_EQ(result->instructions, 0u);
}

TEST(SimRunner, FindsAccessesPastATensor) {
  ptx::Artifact artifact = makeArtifact();
  size_t at = artifact.ptx.find("@%p bra done;");
  artifact.ptx.erase(at, 13);
  llvm::Expected<RunResult> result = runSim(artifact, 100);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  ASSERT_FALSE(result->findings.empty());
  EXPECT_NE(result->findings.front().find("out-of-bounds"), std::string::npos)
      << result->findings.front();
}

TEST(SimRunner, FindsMissingStores) {
  ptx::Artifact artifact = makeArtifact();
  size_t at = artifact.ptx.find("setp.ge.s32 %p, %r2, %r3;");
  artifact.ptx.replace(at, 25, "setp.ge.s32 %p, %r2, 64; ");
  llvm::Expected<RunResult> result = runSim(artifact, 100);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  ASSERT_EQ(result->findings.size(), 1u);
  EXPECT_EQ(result->findings.front(),
            "missing-store: 144 of 400 bytes of output 'out' were never "
            "written");
}

TEST(SimRunner, RefusesCallsThatDoNotFit) {
  EXPECT_EQ(llvm::toString(runSim(makeArtifact(), 1000).takeError()),
            "no variant of 'add_bias' takes these inputs; variant "
            "'contiguous': 1000 is not less than 1000");
  ptx::Artifact artifact = makeArtifact();
  artifact.kernel.inputs[0].shape = {64};
  EXPECT_EQ(llvm::toString(runSim(artifact, 100).takeError()),
            "expected input 'in' of shape 64 but got 100");
  artifact = makeArtifact();
  artifact.kernel.requirements = {
      {ptx::Expr(ptx::DimRef{0, 0}), 64, "in.0 equals 64"}};
  EXPECT_EQ(llvm::toString(runSim(artifact, 100).takeError()),
            "expected that in.0 equals 64 but got 100 and 64");
  for (int64_t bytes : {int64_t(1) << 32, int64_t(-1)}) {
    artifact = makeArtifact();
    artifact.kernel.variants[0].launches[0].sharedBytes = bytes;
    EXPECT_EQ(llvm::toString(runSim(artifact, 100).takeError()),
              "expected a number of bytes below 2^32 of shared memory for "
              "'add_bias' but got " +
                  std::to_string(bytes));
  }
  artifact = makeArtifact();
  artifact.kernel.variants[0].launches[0].grid[1] = 65536;
  EXPECT_EQ(llvm::toString(runSim(artifact, 100).takeError()),
            "expected from 0 to 65535 blocks on axis 1 of the grid of "
            "'add_bias' but got 65536");
  artifact.kernel.variants[0].launches[0].grid[1] = -1;
  EXPECT_EQ(llvm::toString(runSim(artifact, 100).takeError()),
            "expected from 0 to 65535 blocks on axis 1 of the grid of "
            "'add_bias' but got -1");
  artifact = makeArtifact();
  artifact.kernel.variants[0].launches[0].cluster = {3, 1, 1};
  EXPECT_EQ(llvm::toString(runSim(artifact, 100).takeError()),
            "expected a grid that is a multiple of the cluster 3x1x1 but got "
            "4x1x1");
  artifact = makeArtifact();
  artifact.ptx = "frobnicate;";
  EXPECT_NE(
      llvm::toString(runSim(artifact, 100).takeError()).find("kernel.ptx:1"),
      std::string::npos);
}

TEST(SimRunner, EncodesTensorMaps) {
  llvm::Expected<ptx::Artifact> artifact =
      ptx::readArtifact(GOAT_PYTHON_INPUTS "/tma");
  ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
  auto run = [&](std::initializer_list<int64_t> shape, Shape strides) {
    Tensor x{Shape(shape), {}};
    for (int64_t i = 0, count = reference::numElements(x.shape); i < count; ++i)
      x.data.push_back(i % 1000);
    SimOptions options;
    options.placements["x"].strides = strides;
    llvm::Expected<RunResult> result =
        createSimRunner(*artifact, options)->run({x}, nullptr);
    if (result) {
      EXPECT_TRUE(result->findings.empty()) << result->findings.front();
      EXPECT_EQ(result->outputs[0].data, x.data);
      EXPECT_EQ(result->outputs[1].data, std::vector<double>({0, 1, 0, 1}));
    }
    return result.takeError();
  };
  for (const Shape &strides : {Shape(), Shape({64, 128, 1})})
    EXPECT_EQ(llvm::toString(run({2, 33, 64}, strides)), "");
  EXPECT_EQ(llvm::toString(run({1, 1, 64}, {})), "");
  EXPECT_EQ(llvm::toString(run({2, 33, 64}, {8448, 128, 2})),
            "expected a stride of 1 of the last axis of 'x', which has a "
            "tensor map, but got 2");
  EXPECT_EQ(llvm::toString(run({2, 33, 64}, {2113, 64, 1})),
            "cannot encode a tensor map of 'x': expected a stride below 2^40 "
            "and divisible by 16 bytes in dimension 2 of a tensor map but got "
            "4226");
}

/// The same in two launches: once into the workspace, behind 256 bytes that
/// nobody uses, and once more from there.
static ptx::Artifact makeTwoLaunches() {
  ptx::Artifact artifact = makeArtifact();
  ptx::Variant &variant = artifact.kernel.variants[0];
  ptx::Expr length(ptx::DimRef{0, 0});
  variant.workspaceBytes =
      ptx::Expr(ptx::Expr::Kind::Add,
                {ptx::Expr(ptx::Expr::Kind::Multiply, {length, 4}), 256});
  variant.launches.push_back(variant.launches[0]);
  ptx::Parameter region{ptx::Parameter::Kind::Workspace, 0, 0, 256};
  variant.launches[0].parameters[2] = region;
  variant.launches[1].parameters[0] = region;
  return artifact;
}

TEST(SimRunner, LaunchesFollowOneAnotherThroughTheWorkspace) {
  llvm::Expected<RunResult> result = runSim(makeTwoLaunches(), 100);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_TRUE(result->findings.empty()) << result->findings.front();
  EXPECT_EQ(result->outputs[0].data[99], 100.0);
  llvm::Expected<RunResult> once = runSim(makeArtifact(), 100);
  ASSERT_TRUE(bool(once)) << llvm::toString(once.takeError());
  EXPECT_EQ(result->instructions, 2 * once->instructions);
}

TEST(SimRunner, WorkspaceIsNotInitialised) {
  ptx::Artifact artifact = makeTwoLaunches();
  artifact.kernel.variants[0].launches[0].grid[2] = 0;
  llvm::Expected<RunResult> result = runSim(artifact, 100);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  ASSERT_FALSE(result->findings.empty());
  const std::string &finding = result->findings.front();
  EXPECT_EQ(finding.find("uninitialised-memory"), 0u) << finding;
  EXPECT_NE(finding.find("near 'workspace'"), std::string::npos) << finding;
}

TEST(SimRunner, WorkspaceEndsWhereItIsSaidTo) {
  ptx::Artifact artifact = makeTwoLaunches();
  artifact.kernel.variants[0].workspaceBytes = 256 + 4 * 99;
  llvm::Expected<RunResult> result = runSim(artifact, 100);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  ASSERT_FALSE(result->findings.empty());
  EXPECT_EQ(result->findings.front().find("out-of-bounds"), 0u)
      << result->findings.front();
  artifact.kernel.variants[0].workspaceBytes = 255;
  EXPECT_EQ(llvm::toString(runSim(artifact, 100).takeError()),
            "expected 'add_bias' to be given an address in the workspace of "
            "255 bytes but got offset 256");
  artifact.kernel.variants[0].workspaceBytes = int64_t(1) << 61;
  EXPECT_EQ(llvm::toString(runSim(artifact, 100).takeError()),
            "cannot allocate a workspace of 2305843009213693952 bytes");
  artifact.kernel.variants[0].workspaceBytes = -1;
  EXPECT_EQ(llvm::toString(runSim(artifact, 100).takeError()),
            "expected a workspace of at least 0 bytes for variant "
            "'contiguous' but got -1");
}

TEST(SimRunner, NothingIsLaunchedAfterAKernelThatDoesNotEnd) {
  ptx::Artifact artifact = makeTwoLaunches();
  artifact.ptx.insert(artifact.ptx.find("  mov.u32 %r0, %ctaid.x;"),
                      "  trap;\n");
  llvm::Expected<RunResult> result = runSim(artifact, 100);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(llvm::count_if(result->findings,
                           [](const std::string &finding) {
                             return finding.find("trap") == 0;
                           }),
            1);
}
