/* Compiles the attention layer of a file, runs it on random numbers in the
 * simulator, compares with the formulas and writes the artifact.
 *
 * usage: goat-c-example LAYER.mlir DIRECTORY
 *
 * Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "goat-c/Goat.h"

#include <stdio.h>
#include <stdlib.h>

static int complain(const GoatDiagnostics *list) {
  GoatDiagnostic entry;
  for (size_t i = 0; goatDiagnosticsGet(list, i, &entry) == GOAT_OK; ++i)
    fprintf(stderr, "%s:%u:%u: %s\n", entry.file, entry.line, entry.column,
            entry.message);
  return 1;
}

/* Random numbers for a parameter; 1 entry, 8 heads as the type says, 100 rows.
 */
static GoatTensor randomTensor(const GoatParameter *parameter, int64_t *shape) {
  size_t count = 1;
  for (int axis = 0; axis < parameter->rank; ++axis) {
    shape[axis] = parameter->shape[axis];
    if (shape[axis] < 0)
      shape[axis] = axis == 0 ? 1 : 100;
    count *= shape[axis];
  }
  float *data = malloc(count * sizeof *data);
  for (size_t i = 0; i < count; ++i)
    data[i] = (float)rand() / (float)RAND_MAX - 0.5f;
  return (GoatTensor){data, GOAT_F32, parameter->rank, shape, NULL};
}

int main(int argc, char **argv) {
  static char text[1 << 16];
  FILE *file = argc == 3 ? fopen(argv[1], "r") : NULL;
  if (!file)
    return fprintf(stderr, "usage: goat-c-example LAYER.mlir DIRECTORY\n"), 2;
  size_t size = fread(text, 1, sizeof text, file);
  fclose(file);

  GoatDiagnostics *list = goatDiagnosticsCreate();
  GoatOptions *options = goatOptionsCreate();
  GoatKernel *kernel;
  if (goatOptionsSet(options, "target", "sm_90", list) ||
      goatCompile(text, size, argv[1], options, &kernel, list))
    return complain(list);

  GoatTensor inputs[16];
  int64_t shapes[16][GOAT_MAX_RANK];
  size_t inputCount = goatKernelInputCount(kernel);
  for (size_t i = 0; i < inputCount && i < 16; ++i) {
    GoatParameter parameter;
    goatKernelInput(kernel, i, &parameter);
    inputs[i] = randomTensor(&parameter, shapes[i]);
  }

  GoatRun *sim, *reference;
  GoatComparison comparison;
  if (goatKernelRun(kernel, GOAT_ON_SIM, inputs, inputCount, 0, &sim, list) ||
      goatKernelRun(kernel, GOAT_ON_REFERENCE, inputs, inputCount, 0,
                    &reference, list) ||
      goatRunCompare(sim, reference, 0, &comparison, list) ||
      goatKernelWrite(kernel, argv[2], list))
    return complain(list);
  printf("%s for %s: %s\n", goatKernelName(kernel), goatKernelTarget(kernel),
         comparison.isWithin ? "right" : "WRONG");

  goatRunDestroy(sim);
  goatRunDestroy(reference);
  goatKernelDestroy(kernel);
  goatOptionsDestroy(options);
  goatDiagnosticsDestroy(list);
  for (size_t i = 0; i < inputCount; ++i)
    free(inputs[i].data);
  return !comparison.isWithin;
}
