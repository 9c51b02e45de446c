/*===- goat-c-test.c - tests of the C interface -------------------*- C -*-===*\
|*                                                                            *|
|* Part of the GOAT project, under the Apache License v2.0 with LLVM          *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* usage: goat-c-test DIRECTORY; writes artifacts there. Exits with 0 when    *|
|* every check holds.                                                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "GoatCTest.h"

#include <pthread.h>

static void testVersion(void) {
  int major = -1, minor = -1, patch = -1;
  char expected[64];
  goatGetVersion(&major, &minor, &patch);
  goatGetVersion(NULL, NULL, NULL);
  sprintf(expected, "GOAT %d.%d.%d with LLVM 22", major, minor, patch);
  CHECK(strncmp(goatVersionString(), expected, strlen(expected)) == 0);
  CHECK(strcmp(goatStatusName(GOAT_MISMATCH), "mismatch") == 0);
  CHECK(strcmp(goatStatusName((GoatStatus)99), "unknown status") == 0);
}

static void testOptions(void) {
  GoatDiagnostics *list = goatDiagnosticsCreate();
  GoatOptions *options = goatOptionsCreate();
  GoatString *keys = goatOptionsKeys();
  CHECK(strstr(goatStringData(keys), "target\n") != NULL);
  CHECK(strstr(goatStringData(keys), "\ntile-rows\n") != NULL);
  CHECK(goatStringSize(keys) == strlen(goatStringData(keys)));
  goatStringDestroy(keys);
  CHECK(goatOptionsSet(options, "tile-rows", "64", list) == GOAT_OK);
  CHECK(goatDiagnosticsCount(list) == 0);
  CHECK(goatOptionsSet(options, "tile-row", "64", list) ==
        GOAT_INVALID_ARGUMENT);
  CHECK(says(list, GOAT_ERROR, "expected an option called one of target, "));
  CHECK(goatOptionsSet(options, "tile-rows", "many", list) ==
        GOAT_INVALID_ARGUMENT);
  CHECK(says(list, GOAT_ERROR, "an integer but got 'many'"));
  CHECK(goatOptionsSet(options, "strip", "tile warps=1", list) ==
        GOAT_INVALID_ARGUMENT);
  CHECK(says(list, GOAT_ERROR, "a word but got 'tile warps=1'"));
  CHECK(goatOptionsSet(options, "cubin", "maybe", list) ==
        GOAT_INVALID_ARGUMENT);
  CHECK(says(list, GOAT_ERROR,
             "expected the option 'cubin' to be one of none, auto, required "
             "but got 'maybe'"));
  CHECK(goatOptionsSet(NULL, "strip", "tile", NULL) == GOAT_INVALID_ARGUMENT);
  goatDiagnosticsClear(list);
  CHECK(goatDiagnosticsCount(list) == 0);
  goatOptionsDestroy(options);
  goatDiagnosticsDestroy(list);
}

static void testEmit(void) {
  static const char *kinds[] = {"goat", "tile", "nvvm", "llvm", "ptx"};
  static const char *has[] = {"goat.attention", "goat_tile.", "nvvm.",
                              "define ", ".entry"};
  GoatDiagnostics *list = goatDiagnosticsCreate();
  GoatString *text = NULL;
  size_t i;
  for (i = 0; i < 5; ++i) {
    CHECK(goatEmit(layer, strlen(layer), "layer.mlir", NULL, kinds[i], &text,
                   list) == GOAT_OK);
    CHECK(strstr(goatStringData(text), has[i]) != NULL);
    goatStringDestroy(text);
  }
  CHECK(goatEmit(layer, strlen(layer), "layer.mlir", NULL, "cubin", &text,
                 list) == GOAT_INVALID_ARGUMENT);
  CHECK(says(list, GOAT_ERROR,
             "expected one of the kinds goat, tile, nvvm, llvm, ptx but got "
             "'cubin'"));
  goatDiagnosticsDestroy(list);
}

static void testTransform(void) {
  static const char text[] = "func.func @f(%x: f32) -> f32 {\n"
                             "  %y = arith.addf %x, %x : f32\n"
                             "  %z = arith.addf %x, %x : f32\n"
                             "  %t = arith.mulf %y, %z : f32\n"
                             "  return %t : f32\n}\n";
  GoatDiagnostics *list = goatDiagnosticsCreate();
  GoatString *result = NULL;
  const char *first;
  CHECK(goatTransform(text, strlen(text), "f.mlir", "func.func(cse)", &result,
                      list) == GOAT_OK);
  first = strstr(goatStringData(result), "addf");
  CHECK(first && !strstr(first + 1, "addf"));
  goatStringDestroy(result);
  CHECK(goatTransform(text, strlen(text), "f.mlir", "cse,no-such-pass", &result,
                      list) == GOAT_INVALID_ARGUMENT);
  CHECK(says(list, GOAT_ERROR, "no-such-pass"));
  CHECK(goatTransform("f", 1, "f.mlir", "cse", &result, list) ==
        GOAT_PARSE_ERROR);
  CHECK(goatTransform(layer, strlen(layer), "layer.mlir", "goat-verify-nvvm",
                      &result, list) != GOAT_OK);
  goatDiagnosticsDestroy(list);
}

static void testArtifact(const char *directory) {
  GoatDiagnostics *list = goatDiagnosticsCreate();
  GoatKernel *kernel = compileLayer(list, "sm_80"), *read = NULL;
  GoatParameter parameter;
  GoatString *report = NULL;
  const char *data, *again;
  size_t size, sizeAgain, i;
  CHECK(strcmp(goatKernelName(kernel), "layer") == 0);
  CHECK(strcmp(goatKernelTarget(kernel), "sm_80") == 0);
  CHECK(goatKernelInputCount(kernel) == 4);
  CHECK(goatKernelInput(kernel, 1, &parameter) == GOAT_OK);
  CHECK(strcmp(parameter.name, "key") == 0 && parameter.dtype == GOAT_F16);
  CHECK(parameter.rank == 4 && parameter.shape[0] == -1 &&
        parameter.shape[1] == 1 && parameter.shape[3] == 16);
  CHECK(goatKernelInput(kernel, 3, &parameter) == GOAT_OK);
  CHECK(parameter.rank == 0 && parameter.dtype == GOAT_F32);
  CHECK(goatKernelInput(kernel, 4, &parameter) == GOAT_INVALID_ARGUMENT);
  CHECK(goatKernelOutputCount(kernel) == 1);
  CHECK(goatKernelOutput(kernel, 0, &parameter) == GOAT_OK);
  CHECK(parameter.shape[1] == 2 && parameter.shape[2] == -1);

  CHECK(goatKernelWrite(kernel, directory, list) == GOAT_OK);
  CHECK(goatKernelRead(directory, &read, list) == GOAT_OK);
  CHECK(goatKernelFileCount(read) == 3);
  for (i = 0; i < goatKernelFileCount(kernel); ++i) {
    const char *name = goatKernelFileName(kernel, i);
    CHECK(goatKernelFile(kernel, name, &data, &size) == GOAT_OK);
    CHECK(goatKernelFile(read, name, &again, &sizeAgain) == GOAT_OK);
    CHECK(size == sizeAgain && memcmp(data, again, size) == 0);
  }
  CHECK(goatKernelFileName(kernel, 3) == NULL);
  CHECK(goatKernelFile(kernel, "kernel.html", &data, &size) ==
        GOAT_INVALID_ARGUMENT);
  CHECK(goatKernelReport(read, "text", "B=1 Lq=64 Lk=64", &report, list) ==
        GOAT_OK);
  CHECK(strstr(goatStringData(report), "layer") != NULL);
  goatStringDestroy(report);
  CHECK(goatKernelReport(read, "json", NULL, &report, list) == GOAT_OK);
  CHECK(goatStringData(report)[0] == '{');
  goatStringDestroy(report);
  CHECK(goatKernelReport(read, "text", "B=x", &report, list) == GOAT_MISMATCH);
  CHECK(goatKernelReport(read, "html", NULL, &report, list) ==
        GOAT_INVALID_ARGUMENT);
  CHECK(says(list, GOAT_ERROR,
             "expected the format of a report to be text or json but got "
             "'html'"));
  goatKernelDestroy(read);
  CHECK(goatKernelRead("no/such/directory", &read, list) == GOAT_IO_ERROR);
  goatKernelDestroy(kernel);
  goatDiagnosticsDestroy(list);
}

/** The layer's formula for one element of the output. */
static double expected(const double *query, const float *key,
                       const float *value, int h, int i, int d) {
  double sum = 0, total = 0, score;
  int j, e;
  for (j = 0; j <= i; ++j) {
    score = 0;
    for (e = 0; e < D; ++e)
      score += query[(h * L + i) * D + e] * key[e * L + j];
    score = exp(score / 4 - 0.125 * (i - j));
    total += score;
    sum += score * value[j * D + d];
  }
  return sum / total;
}

/** Whether a number is the formula's; inputs were rounded to f16. NaN is not.
 */
static int isNear(double actual, double right) {
  return fabs(actual - right) < 4e-3;
}

/** A graph that calls the layer with twice its query. */
static void testGraph(void) {
  static const char around[] =
      "func.func @graph(%q: tensor<1x2x37x16xf16>, %k: tensor<1x1x37x16xf16>,\n"
      "    %v: tensor<1x1x37x16xf16>, %slope: f32) -> tensor<1x2x37x16xf16> {\n"
      "  %double = arith.addf %q, %q : tensor<1x2x37x16xf16>\n"
      "  %a = tensor.cast %double\n"
      "      : tensor<1x2x37x16xf16> to tensor<?x2x?x16xf16>\n"
      "  %b = tensor.cast %k : tensor<1x1x37x16xf16> to tensor<?x1x?x16xf16>\n"
      "  %c = tensor.cast %v : tensor<1x1x37x16xf16> to tensor<?x1x?x16xf16>\n"
      "  %o = func.call @layer(%a, %b, %c, %slope) : (tensor<?x2x?x16xf16>,\n"
      "      tensor<?x1x?x16xf16>, tensor<?x1x?x16xf16>, f32)\n"
      "      -> tensor<?x2x?x16xf16>\n"
      "  %r = tensor.cast %o : tensor<?x2x?x16xf16> to tensor<1x2x37x16xf16>\n"
      "  return %r : tensor<1x2x37x16xf16>\n"
      "}\n";
  static const int64_t shape[] = {B, 2, L, D};
  double query[B * 2 * L * D], slope;
  float key[B * L * D], value[B * L * D], out[B * 2 * L * D];
  char text[sizeof(layer) + sizeof(around)];
  GoatDiagnostics *list = goatDiagnosticsCreate();
  GoatOptions *options = goatOptionsCreate();
  GoatRun *run = NULL;
  GoatTensor inputs[4], destination;
  GoatComparison comparison;
  int runner, h, i, d, wrong = 0;
  fillInputs(inputs, query, key, value, &slope);
  sprintf(text, "%s%s", layer, around);
  CHECK(goatGraphRun(text, strlen(text), "graph.mlir", NULL, GOAT_ON_SIM,
                     inputs, 4, 0, &run, list) == GOAT_PARSE_ERROR);
  CHECK(goatOptionsSet(options, "function", "graph", list) == GOAT_OK);
  for (runner = GOAT_ON_REFERENCE; runner <= GOAT_ON_SIM; ++runner) {
    CHECK(goatGraphRun(text, strlen(text), "graph.mlir", options,
                       (GoatRunner)runner, inputs, 4, 0, &run,
                       list) == GOAT_OK);
    destination = (GoatTensor){out, GOAT_F32, 4, shape, NULL};
    CHECK(goatRunCopyOutput(run, 0, &destination, list) == GOAT_OK);
    for (i = 0; i < B * 2 * L * D; ++i)
      query[i] *= 2;
    for (h = 0; h < 2; ++h)
      for (i = 0; i < L; ++i)
        for (d = 0; d < D; ++d)
          wrong += !isNear(out[(h * L + i) * D + d],
                           expected(query, key, value, h, i, d));
    for (i = 0; i < B * 2 * L * D; ++i)
      query[i] /= 2;
    /* Only a kernel has instructions. */
    CHECK((goatRunCountCount(run) > 0) == (runner == GOAT_ON_SIM));
    CHECK(goatRunCompare(run, run, 0, &comparison, list) == GOAT_UNAVAILABLE);
    goatRunDestroy(run);
  }
  CHECK(wrong == 0);
  CHECK(goatGraphRun(text, strlen(text), "graph.mlir", options, GOAT_ON_SIM,
                     inputs, 3, 0, &run, list) == GOAT_MISMATCH);
  CHECK(says(list, GOAT_ERROR, "expected 4 inputs of 'graph' but got 3"));
  CHECK(goatGraphRun(NULL, 0, NULL, NULL, GOAT_ON_SIM, NULL, 0, 0, NULL,
                     list) == GOAT_INVALID_ARGUMENT);
  goatOptionsDestroy(options);
  goatDiagnosticsDestroy(list);
}

static void testRun(void) {
  static const int64_t shape[] = {B, 2, L, D};
  static const int64_t reversed[] = {2 * L * D, L * D, -D, 1};
  double query[B * 2 * L * D], slope, exact[B * 2 * L * D];
  float key[B * L * D], value[B * L * D], simulated[B * 2 * L * D];
  GoatDiagnostics *list = goatDiagnosticsCreate();
  GoatKernel *kernel = compileLayer(list, "sm_80");
  GoatRun *reference = NULL, *sim = NULL;
  GoatTensor inputs[4], out;
  GoatParameter parameter;
  GoatComparison comparison;
  const char *name;
  uint64_t count;
  int h, i, d, wrong = 0;
  fillInputs(inputs, query, key, value, &slope);
  CHECK(goatKernelRun(kernel, GOAT_ON_REFERENCE, inputs, 4, 0, &reference,
                      list) == GOAT_OK);
  CHECK(goatKernelRun(kernel, GOAT_ON_SIM, inputs, 4, 7, &sim, list) ==
        GOAT_OK);
  CHECK(goatRunOutputCount(sim) == 1);
  CHECK(goatRunOutput(sim, 0, &parameter) == GOAT_OK);
  CHECK(parameter.shape[2] == L && parameter.dtype == GOAT_F16);
  CHECK(goatRunOutput(sim, 1, &parameter) == GOAT_INVALID_ARGUMENT);
  out = (GoatTensor){exact, GOAT_F64, 4, shape, NULL};
  CHECK(goatRunCopyOutput(reference, 0, &out, list) == GOAT_OK);
  /* The last row first. */
  out = (GoatTensor){simulated + (L - 1) * D, GOAT_F32, 4, shape, reversed};
  CHECK(goatRunCopyOutput(sim, 0, &out, list) == GOAT_OK);
  for (h = 0; h < 2; ++h)
    for (i = 0; i < L; ++i)
      for (d = 0; d < D; ++d) {
        double right = expected(query, key, value, h, i, d);
        wrong += !isNear(exact[(h * L + i) * D + d], right);
        wrong += !isNear(simulated[(h * L + L - 1 - i) * D + d], right);
      }
  CHECK(wrong == 0);
  CHECK(goatRunCompare(sim, reference, 0, &comparison, list) == GOAT_OK);
  CHECK(comparison.isWithin && comparison.relativeL2 < comparison.tolerance);
  CHECK(comparison.relativeL2 > 0 && comparison.maxAbs > 0);
  CHECK(goatRunCount(sim, 0, &name, &count) == GOAT_OK);
  CHECK(strcmp(name, "warp_instructions") == 0 && count > 0);
  CHECK(goatRunCountCount(reference) == 0);

  goatRunDestroy(sim);
  goatRunDestroy(reference);
  goatKernelDestroy(kernel);
  goatDiagnosticsDestroy(list);
}

static void testSim(void) {
  static const char ptx[] =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry twice(.param .u64 p, .param .u32 n) {\n"
      "  .reg .b64 %rd<3>;\n  .reg .b32 %r<5>;\n"
      "  ld.param.u64 %rd0, [p];\n  ld.param.u32 %r0, [n];\n"
      "  mov.u32 %r1, %tid.x;\n  mul.wide.u32 %rd1, %r1, 4;\n"
      "  add.s64 %rd2, %rd0, %rd1;\n  ld.global.u32 %r2, [%rd2];\n"
      "  mul.lo.u32 %r3, %r2, %r0;\n  st.global.u32 [%rd2], %r3;\n  ret;\n}\n";
  GoatDiagnostics *list = goatDiagnosticsCreate();
  GoatSim *sim = goatSimCreate(0);
  GoatSimModule *module = NULL;
  uint32_t numbers[32], factor = 2, i;
  uint64_t address = goatSimAllocate(sim, sizeof numbers, "numbers");
  const void *arguments[] = {&address, &factor};
  size_t sizes[] = {8, 4};
  GoatSimLaunch launch = {"twice", {1, 1, 1}, {32, 1, 1}, {1, 1, 1},
                          0,       arguments, sizes,      2};
  GoatTensorMap map = {GOAT_I32, 2, 0, {8, 4}, {32}, {8, 2}, 32};
  uint8_t encoded[GOAT_TENSOR_MAP_BYTES] = {0};
  GoatDiagnostic entry;
  for (i = 0; i < 32; ++i)
    numbers[i] = i;
  CHECK(address != 0);
  CHECK(goatSimWrite(sim, address, numbers, sizeof numbers) == GOAT_OK);
  CHECK(goatSimWrite(sim, address + 4, numbers, sizeof numbers) ==
        GOAT_MISMATCH);
  CHECK(goatSimModuleLoad(ptx, strlen(ptx), "twice.ptx", &module, list) ==
        GOAT_OK);
  CHECK(goatSimRun(sim, module, &launch, list) == GOAT_OK);
  CHECK(goatSimRead(sim, address, numbers, sizeof numbers) == GOAT_OK);
  CHECK(numbers[31] == 62);
  launch.block[0] = 64;
  goatDiagnosticsClear(list);
  CHECK(goatSimRun(sim, module, &launch, list) == GOAT_FINDINGS);
  CHECK(says(list, GOAT_ERROR, "out-of-bounds"));
  CHECK(goatDiagnosticsGet(list, 0, &entry) == GOAT_OK && entry.line == 12);
  launch.argumentCount = 1;
  CHECK(goatSimRun(sim, module, &launch, list) == GOAT_MISMATCH);
  map.address = address;
  CHECK(goatSimEncodeTensorMap(&map, encoded, list) == GOAT_OK);
  CHECK(encoded[0] != 0);
  map.swizzle = 48;
  CHECK(goatSimEncodeTensorMap(&map, encoded, list) == GOAT_INVALID_ARGUMENT);
  CHECK(says(list, GOAT_ERROR, "0, 32, 64 or 128 bytes but got 48"));
  map.swizzle = 64;
  map.address += 4;
  CHECK(goatSimEncodeTensorMap(&map, encoded, list) == GOAT_INVALID_ARGUMENT);
  CHECK(says(list, GOAT_ERROR, "address of a tensor map"));
  map.dtype = GOAT_DTYPE_ANY;
  CHECK(goatSimEncodeTensorMap(&map, encoded, list) == GOAT_INVALID_ARGUMENT);
  CHECK(says(list, GOAT_ERROR,
             "expected a dtype that kernels take for a tensor map but got "
             "unknown"));
  goatSimModuleDestroy(module);
  CHECK(goatSimModuleLoad("mov", 3, "bad.ptx", &module, list) ==
        GOAT_PARSE_ERROR);
  CHECK(says(list, GOAT_ERROR, "bad.ptx:1"));
  goatSimDestroy(sim);
  goatDiagnosticsDestroy(list);
}

static void *compileInThread(void *unused) {
  (void)unused;
  GoatDiagnostics *list = goatDiagnosticsCreate();
  GoatKernel *kernel = compileLayer(list, "sm_80");
  goatDiagnosticsDestroy(list);
  return kernel;
}

static void testThreads(void) {
  pthread_t threads[3];
  void *kernels[3];
  const char *first, *other;
  size_t size, otherSize;
  int i;
  for (i = 0; i < 3; ++i)
    CHECK(pthread_create(&threads[i], NULL, compileInThread, NULL) == 0);
  for (i = 0; i < 3; ++i)
    CHECK(pthread_join(threads[i], &kernels[i]) == 0);
  CHECK(goatKernelFile(kernels[0], "kernel.ptx", &first, &size) == GOAT_OK);
  for (i = 1; i < 3; ++i) {
    CHECK(goatKernelFile(kernels[i], "kernel.ptx", &other, &otherSize) ==
          GOAT_OK);
    CHECK(size == otherSize && memcmp(first, other, size) == 0);
  }
  for (i = 0; i < 3; ++i)
    goatKernelDestroy(kernels[i]);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: goat-c-test DIRECTORY\n");
    return 2;
  }
  testVersion();
  testOptions();
  testEmit();
  testTransform();
  testArtifact(argv[1]);
  testRun();
  testGraph();
  testSim();
  testThreads();
  printf("%d checks failed\n", failures);
  return failures != 0;
}
