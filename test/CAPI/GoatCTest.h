/*===- GoatCTest.h - what tests of the C interface share ----------*- C -*-===*\
|*                                                                            *|
|* Part of the GOAT project, under the Apache License v2.0 with LLVM          *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Checks, a layer, and its inputs.                                           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef GOAT_TEST_CAPI_GOATCTEST_H
#define GOAT_TEST_CAPI_GOATCTEST_H

#include "goat-c/Goat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);           \
      ++failures;                                                              \
    }                                                                          \
  } while (0)

static const char layer[] =
    "func.func @layer(%query: tensor<?x2x?x16xf16>,\n"
    "    %key: tensor<?x1x?x16xf16>, %value: tensor<?x1x?x16xf16>,\n"
    "    %slope: f32) -> tensor<?x2x?x16xf16> {\n"
    "  %out = goat.attention %query, %key, %value score {\n"
    "  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):\n"
    "    %d = goat.distance %b, %i, %j\n"
    "    %e = arith.index_cast %d : index to i32\n"
    "    %f = arith.sitofp %e : i32 to f32\n"
    "    %p = arith.mulf %f, %slope : f32\n"
    "    %t = arith.subf %s, %p : f32\n"
    "    goat.yield %t : f32\n"
    "  } mask {\n"
    "  ^bb0(%b: index, %h: index, %i: index, %j: index):\n"
    "    %m = goat.causal_mask %b, %i, %j\n"
    "    goat.yield %m : i1\n"
    "  } : (tensor<?x2x?x16xf16>, tensor<?x1x?x16xf16>, tensor<?x1x?x16xf16>)\n"
    "      -> (tensor<?x2x?x16xf16>)\n"
    "  return %out : tensor<?x2x?x16xf16>\n"
    "}\n";

/** Whether some entry has the severity and holds the text. */
static int says(const GoatDiagnostics *list, GoatSeverity severity,
                const char *text) {
  size_t i;
  GoatDiagnostic entry;
  for (i = 0; i < goatDiagnosticsCount(list); ++i)
    if (goatDiagnosticsGet(list, i, &entry) == GOAT_OK &&
        entry.severity == severity && strstr(entry.message, text))
      return 1;
  for (i = 0; i < goatDiagnosticsCount(list); ++i)
    if (goatDiagnosticsGet(list, i, &entry) == GOAT_OK)
      printf("  it says: %s\n", entry.message);
  return 0;
}

static GoatKernel *compileLayer(GoatDiagnostics *list, const char *target) {
  GoatKernel *kernel = NULL;
  GoatOptions *options = goatOptionsCreate();
  CHECK(goatOptionsSet(options, "target", target, list) == GOAT_OK);
  CHECK(goatOptionsSet(options, "cubin", "none", list) == GOAT_OK);
  CHECK(goatCompile(layer, strlen(layer), "layer.mlir", options, &kernel,
                    list) == GOAT_OK);
  goatOptionsDestroy(options);
  return kernel;
}

enum { B = 1, L = 37, D = 16 };

/** Inputs as the layer takes them; keys lie transposed in memory. */
static void fillInputs(GoatTensor inputs[4], double *query, float *key,
                       float *value, double *slope) {
  static const int64_t queryShape[] = {B, 2, L, D}, keyShape[] = {B, 1, L, D};
  static const int64_t transposed[] = {D * L, D * L, 1, L};
  int i;
  for (i = 0; i < B * 2 * L * D; ++i)
    query[i] = sin(i);
  for (i = 0; i < B * L * D; ++i) {
    key[i] = (float)cos(3 * i);
    value[i] = (float)sin(5 * i);
  }
  *slope = 0.125;
  inputs[0] = (GoatTensor){query, GOAT_F64, 4, queryShape, NULL};
  inputs[1] = (GoatTensor){key, GOAT_F32, 4, keyShape, transposed};
  inputs[2] = (GoatTensor){value, GOAT_F32, 4, keyShape, NULL};
  inputs[3] = (GoatTensor){slope, GOAT_F64, 0, NULL, NULL};
}

#endif
