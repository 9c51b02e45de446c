/*===- goat-c-refused-test.c - what the C interface refuses -------*- C -*-===*\
|*                                                                            *|
|* Part of the GOAT project, under the Apache License v2.0 with LLVM          *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* usage: goat-c-refused-test DIRECTORY; writes artifacts there. Exits with 0 *|
|* when every check holds.                                                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "GoatCTest.h"

static void testRefusedText(void) {
  static const char broken[] = "func.func @f() {\n  %x = goat.nothing\n}\n";
  static const char two[] = "func.func @f() { return }\n"
                            "func.func @g() { return }\n";
  static const char empty[] = "func.func @f() { return }\n";
  static const char noBody[] = "func.func private @f()\n";
  GoatDiagnostics *list = goatDiagnosticsCreate();
  GoatOptions *options = goatOptionsCreate();
  GoatKernel *kernel = NULL;
  GoatDiagnostic entry;
  CHECK(goatCompile(broken, strlen(broken), "broken.mlir", NULL, &kernel,
                    list) == GOAT_PARSE_ERROR);
  CHECK(kernel == NULL);
  CHECK(goatDiagnosticsGet(list, 0, &entry) == GOAT_OK);
  CHECK(entry.severity == GOAT_ERROR && entry.line == 2 && entry.column == 8);
  CHECK(strcmp(entry.file, "broken.mlir") == 0);
  CHECK(goatDiagnosticsGet(list, 99, &entry) == GOAT_INVALID_ARGUMENT);
  CHECK(goatCompile(two, strlen(two), "two.mlir", NULL, &kernel, list) ==
        GOAT_PARSE_ERROR);
  CHECK(says(list, GOAT_ERROR, "expected one function but got 'f', 'g'"));
  CHECK(goatCompile(empty, strlen(empty), "empty.mlir", NULL, &kernel, list) ==
        GOAT_COMPILE_ERROR);
  CHECK(goatCompile(noBody, strlen(noBody), "f.mlir", NULL, &kernel, list) ==
        GOAT_PARSE_ERROR);
  CHECK(says(list, GOAT_ERROR, "expected 'f' to have a body"));
  CHECK(goatOptionsSet(options, "target", "sm_1", list) == GOAT_OK);
  CHECK(goatCompile(layer, strlen(layer), "layer.mlir", options, &kernel,
                    list) == GOAT_INVALID_ARGUMENT);
  CHECK(says(list, GOAT_ERROR, "sm_1"));
  CHECK(goatCompile(NULL, 0, "x", NULL, &kernel, list) ==
        GOAT_INVALID_ARGUMENT);
  goatOptionsDestroy(options);
  goatDiagnosticsDestroy(list);
}

/** Tensors that do not fit the layer's query. */
static void testTensors(void) {
  static const int64_t shape[] = {B, 2, L, D}, wide[] = {B, 2, L, D + 1};
  static const int64_t huge[] = {1LL << 40, 2, L, D};
  static const struct {
    GoatDType dtype;
    int32_t rank;
    const int64_t *shape;
    int hasData;
    const char *message;
  } cases[] = {
      {GOAT_F64, 4, wide, 1,
       "expected input 'query' of shape ?x2x?x16 but got 1x2x37x17"},
      {GOAT_I32, 4, shape, 1,
       "expected 'query' of type f16, bf16, f32 or f64 but got i32"},
      {(GoatDType)99, 4, shape, 1,
       "expected 'query' of type f16, bf16, f32 or f64 but got unknown"},
      {GOAT_F64, 9, shape, 1, "expected 'query' of rank 0 to 8 but got 9"},
      {GOAT_F64, 4, NULL, 1, "expected the shape of 'query' not to be NULL"},
      {GOAT_F64, 4, shape, 0, "expected the data of 'query' not to be NULL"},
      {GOAT_F64, 4, huge, 1,
       "expected at most 2147483648 elements of 'query' but got "
       "1099511627776x2x37x16"},
  };
  double query[B * 2 * L * D], slope;
  float key[B * L * D], value[B * L * D];
  GoatDiagnostics *list = goatDiagnosticsCreate();
  GoatKernel *kernel = compileLayer(list, "sm_80");
  GoatRun *run = NULL;
  GoatTensor inputs[4];
  size_t i;
  fillInputs(inputs, query, key, value, &slope);
  CHECK(goatKernelRun(kernel, GOAT_ON_SIM, inputs, 3, 0, &run, list) ==
        GOAT_MISMATCH);
  CHECK(says(list, GOAT_ERROR, "expected 4 inputs of 'layer' but got 3"));
  CHECK(goatKernelRun(kernel, (GoatRunner)9, inputs, 4, 0, &run, list) ==
        GOAT_INVALID_ARGUMENT);
  CHECK(says(list, GOAT_ERROR,
             "expected a runner GOAT_ON_REFERENCE or GOAT_ON_SIM but got 9"));
  for (i = 0; i < sizeof cases / sizeof *cases; ++i) {
    inputs[0] = (GoatTensor){cases[i].hasData ? query : NULL, cases[i].dtype,
                             cases[i].rank, cases[i].shape, NULL};
    CHECK(goatKernelRun(kernel, GOAT_ON_SIM, inputs, 4, 0, &run, list) ==
          GOAT_MISMATCH);
    CHECK(says(list, GOAT_ERROR, cases[i].message));
  }
  goatKernelDestroy(kernel);
  goatDiagnosticsDestroy(list);
}

/** Outputs that are not there, and runs that cannot be compared. */
static void testRuns(void) {
  static const int64_t shape[] = {B, 2, L, D}, wrong[] = {B, 2, L, D + 1};
  static const int64_t queryShape[] = {B, 2, 5, D};
  double query[B * 2 * L * D], slope, room[B * 2 * L * (D + 1)];
  float key[B * L * D], value[B * L * D];
  GoatDiagnostics *list = goatDiagnosticsCreate();
  GoatKernel *kernel = compileLayer(list, "reference"), *other = NULL;
  GoatOptions *options = goatOptionsCreate();
  GoatRun *run = NULL, *shorter = NULL, *another = NULL, *graph = NULL;
  GoatTensor inputs[4], out;
  GoatComparison comparison;
  char text[sizeof layer];
  strcpy(text, layer);
  memcpy(strstr(text, "subf"), "addf", 4);
  fillInputs(inputs, query, key, value, &slope);
  CHECK(goatOptionsSet(options, "target", "reference", list) == GOAT_OK);
  CHECK(goatCompile(text, strlen(text), "other.mlir", options, &other, list) ==
        GOAT_OK);
  CHECK(goatKernelRun(kernel, GOAT_ON_REFERENCE, inputs, 4, 0, &run, list) ==
        GOAT_OK);
  CHECK(goatKernelRun(other, GOAT_ON_REFERENCE, inputs, 4, 0, &another, list) ==
        GOAT_OK);
  CHECK(goatGraphRun(layer, strlen(layer), "layer.mlir", NULL,
                     GOAT_ON_REFERENCE, inputs, 4, 0, &graph, list) == GOAT_OK);
  inputs[0].shape = queryShape;
  CHECK(goatKernelRun(kernel, GOAT_ON_REFERENCE, inputs, 4, 0, &shorter,
                      list) == GOAT_OK);

  out = (GoatTensor){room, GOAT_F64, 4, shape, NULL};
  CHECK(goatRunCopyOutput(run, 1, &out, list) == GOAT_INVALID_ARGUMENT);
  CHECK(says(list, GOAT_ERROR, "expected one of 1 outputs but got number 1"));
  out.shape = wrong;
  CHECK(goatRunCopyOutput(run, 0, &out, list) == GOAT_MISMATCH);
  CHECK(says(list, GOAT_ERROR,
             "expected room for 'out' of shape 1x2x37x16 but got 1x2x37x17"));
  goatDiagnosticsClear(list);
  CHECK(goatRunCompare(run, run, 1, &comparison, list) ==
        GOAT_INVALID_ARGUMENT);
  CHECK(says(list, GOAT_ERROR, "expected one of 1 outputs but got number 1"));
  CHECK(goatRunCompare(run, another, 0, &comparison, list) == GOAT_MISMATCH);
  CHECK(says(list, GOAT_ERROR,
             "expected two runs of one kernel but got runs of two"));
  CHECK(goatRunCompare(graph, graph, 0, &comparison, list) == GOAT_UNAVAILABLE);
  CHECK(says(list, GOAT_ERROR,
             "expected runs of a kernel but got runs of a graph, whose outputs "
             "have no bound"));
  CHECK(goatRunCompare(run, shorter, 0, &comparison, list) == GOAT_MISMATCH);
  CHECK(says(list, GOAT_ERROR,
             "expected outputs of one shape but got 1x2x37x16 and 1x2x5x16"));
  goatRunDestroy(run);
  goatRunDestroy(shorter);
  goatRunDestroy(another);
  goatRunDestroy(graph);
  goatOptionsDestroy(options);
  goatKernelDestroy(other);
  goatKernelDestroy(kernel);
  goatDiagnosticsDestroy(list);
}

/** An artifact whose source somebody has damaged. */
static void testSource(const char *directory) {
  double query[B * 2 * L * D], slope;
  float key[B * L * D], value[B * L * D];
  char path[4096];
  GoatDiagnostics *list = goatDiagnosticsCreate();
  GoatKernel *kernel = compileLayer(list, "sm_80");
  GoatRun *run = NULL;
  GoatTensor inputs[4];
  FILE *file;
  fillInputs(inputs, query, key, value, &slope);
  CHECK(goatKernelWrite(kernel, directory, list) == GOAT_OK);
  goatKernelDestroy(kernel);
  CHECK(snprintf(path, sizeof path, "%s/source.mlir", directory) <
        (int)sizeof path);
  file = fopen(path, "w");
  CHECK(file && fputs("func.func @layer(", file) >= 0 && fclose(file) == 0);
  CHECK(goatKernelRead(directory, &kernel, list) == GOAT_OK);
  CHECK(goatKernelRun(kernel, GOAT_ON_REFERENCE, inputs, 4, 0, &run, list) ==
        GOAT_PARSE_ERROR);
  CHECK(says(list, GOAT_ERROR, "cannot read the source of 'layer' back"));
  goatKernelDestroy(kernel);
  goatDiagnosticsDestroy(list);
}

static void testReferenceOnly(void) {
  double query[B * 2 * L * D], slope;
  float key[B * L * D], value[B * L * D];
  GoatDiagnostics *list = goatDiagnosticsCreate();
  GoatKernel *kernel = compileLayer(list, "reference");
  GoatRun *run = NULL;
  GoatString *report = NULL;
  GoatTensor inputs[4];
  fillInputs(inputs, query, key, value, &slope);
  CHECK(goatKernelFileCount(kernel) == 1);
  CHECK(goatKernelInputCount(kernel) == 4);
  CHECK(goatKernelRun(kernel, GOAT_ON_REFERENCE, inputs, 4, 0, &run, list) ==
        GOAT_OK);
  goatRunDestroy(run);
  CHECK(goatKernelRun(kernel, GOAT_ON_SIM, inputs, 4, 0, &run, list) ==
        GOAT_UNAVAILABLE);
  CHECK(goatKernelReport(kernel, "text", NULL, &report, list) ==
        GOAT_UNAVAILABLE);
  CHECK(says(list, GOAT_ERROR, "a kernel for the reference has no report"));
  goatDiagnosticsClear(list);
  CHECK(goatKernelWrite(kernel, ".", list) == GOAT_UNAVAILABLE);
  CHECK(says(
      list, GOAT_ERROR,
      "expected a compiled kernel but 'layer' is for the reference; compile "
      "it for a chip"));
  goatKernelDestroy(kernel);
  goatDiagnosticsDestroy(list);
}

/** NULL in place of every handle and pointer. */
static void testNull(void) {
  GoatDiagnostics *list = goatDiagnosticsCreate();
  GoatParameter parameter;
  GoatDiagnostic entry;
  size_t refused = 0;
  goatStringDestroy(NULL);
  goatDiagnosticsDestroy(NULL);
  goatDiagnosticsClear(NULL);
  goatOptionsDestroy(NULL);
  goatKernelDestroy(NULL);
  goatRunDestroy(NULL);
  goatSimDestroy(NULL);
  goatSimModuleDestroy(NULL);
  CHECK(strcmp(goatStringData(NULL), "") == 0 && goatStringSize(NULL) == 0);
  CHECK(goatDiagnosticsCount(NULL) == 0);
  CHECK(strcmp(goatKernelName(NULL), "") == 0);
  CHECK(strcmp(goatKernelTarget(NULL), "") == 0);
  CHECK(goatKernelFileCount(NULL) == 0 && !goatKernelFileName(NULL, 0));
  CHECK(goatKernelInputCount(NULL) == 0 && goatKernelOutputCount(NULL) == 0);
  CHECK(goatRunOutputCount(NULL) == 0 && goatRunCountCount(NULL) == 0);
  CHECK(goatSimAllocate(NULL, 1, NULL) == 0);
#define REFUSED(call) refused += (call) == GOAT_INVALID_ARGUMENT
  REFUSED(goatDiagnosticsGet(NULL, 0, &entry));
  REFUSED(goatOptionsSet(NULL, NULL, NULL, list));
  REFUSED(goatCompile(NULL, 0, NULL, NULL, NULL, list));
  REFUSED(goatEmit(NULL, 0, NULL, NULL, NULL, NULL, list));
  REFUSED(goatTransform(NULL, 0, NULL, NULL, NULL, list));
  REFUSED(goatKernelRead(NULL, NULL, list));
  REFUSED(goatKernelWrite(NULL, NULL, list));
  REFUSED(goatKernelReport(NULL, NULL, NULL, NULL, list));
  REFUSED(goatKernelRun(NULL, GOAT_ON_SIM, NULL, 0, 0, NULL, list));
  REFUSED(goatRunCopyOutput(NULL, 0, NULL, list));
  REFUSED(goatRunCompare(NULL, NULL, 0, NULL, list));
  REFUSED(goatSimModuleLoad(NULL, 0, NULL, NULL, list));
  REFUSED(goatSimEncodeTensorMap(NULL, NULL, list));
  REFUSED(goatSimRun(NULL, NULL, NULL, list));
  CHECK(goatDiagnosticsCount(list) == 13 && refused == 14);
  REFUSED(goatKernelFile(NULL, NULL, NULL, NULL));
  REFUSED(goatKernelInput(NULL, 0, &parameter));
  REFUSED(goatKernelOutput(NULL, 0, &parameter));
  REFUSED(goatRunOutput(NULL, 0, &parameter));
  REFUSED(goatRunCount(NULL, 0, NULL, NULL));
  REFUSED(goatSimWrite(NULL, 0, NULL, 1));
  REFUSED(goatSimRead(NULL, 0, NULL, 1));
  CHECK(refused == 21);
  CHECK(says(list, GOAT_ERROR,
             "expected the handles and pointers of goatSimRun not to be NULL"));
  goatDiagnosticsDestroy(list);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: goat-c-refused-test DIRECTORY\n");
    return 2;
  }
  testRefusedText();
  testTensors();
  testRuns();
  testSource(argv[1]);
  testReferenceOnly();
  testNull();
  printf("%d checks failed\n", failures);
  return failures != 0;
}
