/*===- Goat.h - the C interface of the compiler -------------------*- C -*-===*\
|*                                                                            *|
|* Part of the GOAT project, under the Apache License v2.0 with LLVM          *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Compiles attention layers, reads what was compiled before, runs it on the  *|
|* CPU, and gives access to a simulated GPU. The library behind it is         *|
|* libGoatC; nothing else of it is visible, and nothing of C++ or LLVM passes *|
|* through here.                                                              *|
|*                                                                            *|
|* Handles are opaque and belong to whoever received them, until they are     *|
|* given to their Destroy function, which takes NULL too. A pointer to text   *|
|* or data that a function returns belongs to the handle it was asked of and  *|
|* lives as long. Text is UTF-8 and ends in a zero byte.                      *|
|*                                                                            *|
|* Threads: a function may be called from any thread. A handle that a         *|
|* function takes as const may be used by several threads at once; of all     *|
|* others, one thread at a time. Different handles share nothing.             *|
|*                                                                            *|
|* Errors: a function that can fail returns a GoatStatus and says more in the *|
|* list of diagnostics it is given; NULL in its place drops that. Results are *|
|* written on GOAT_OK only, unless said otherwise. No exception leaves the    *|
|* library; when the host runs out of memory, the process ends.               *|
|*                                                                            *|
|* Stability: within one major version functions are added and none changes.  *|
|* While the major version is 0, that holds within one minor version.         *|
|* docs/c-api.md has a complete program.                                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef GOAT_C_GOAT_H
#define GOAT_C_GOAT_H

#include <stddef.h>
#include <stdint.h>

#define GOAT_C_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*\
|* Version, status, text
\*===----------------------------------------------------------------------===*/

/** The version of the library that is loaded. Any pointer may be NULL. */
GOAT_C_API void goatGetVersion(int *major, int *minor, int *patch);

/** "GOAT 0.1.0 with LLVM 22.1.8". */
GOAT_C_API const char *goatVersionString(void);

typedef enum GoatStatus {
  GOAT_OK = 0,
  /** A NULL handle, an unknown option, an index that is out of range. */
  GOAT_INVALID_ARGUMENT = 1,
  /** The text is not a valid program. */
  GOAT_PARSE_ERROR = 2,
  /** The program is valid, and the compiler cannot lower it. */
  GOAT_COMPILE_ERROR = 3,
  /** A file cannot be read or written, or an artifact is damaged. */
  GOAT_IO_ERROR = 4,
  /** Tensors that do not fit the kernel's parameters. */
  GOAT_MISMATCH = 5,
  /** The kernel ran, and did what it must not do. */
  GOAT_FINDINGS = 6,
  /** What is asked for needs a program or a form that is not there. */
  GOAT_UNAVAILABLE = 7,
  /** No status: it makes the type hold any int, as do those like it below. */
  GOAT_STATUS_ANY = 0x7fffffff
} GoatStatus;

/** "mismatch" and the like; never NULL. */
GOAT_C_API const char *goatStatusName(GoatStatus status);

/** Text or bytes that a function made. */
typedef struct GoatString GoatString;

/** The contents, with a zero byte behind them that the size does not count. */
GOAT_C_API const char *goatStringData(const GoatString *string);
GOAT_C_API size_t goatStringSize(const GoatString *string);
GOAT_C_API void goatStringDestroy(GoatString *string);

/*===----------------------------------------------------------------------===*\
|* Diagnostics
\*===----------------------------------------------------------------------===*/

typedef enum GoatSeverity {
  GOAT_ERROR = 0,
  GOAT_WARNING = 1,
  GOAT_REMARK = 2,
  /** Belongs to the last entry before it that is none. */
  GOAT_NOTE = 3
} GoatSeverity;

typedef struct GoatDiagnostic {
  GoatSeverity severity;
  const char *message;
  /** The name that was given for the text; "" where no place is known. */
  const char *file;
  /** From 1; 0 where no place is known. */
  uint32_t line, column;
} GoatDiagnostic;

/** A list that functions append to. */
typedef struct GoatDiagnostics GoatDiagnostics;

GOAT_C_API GoatDiagnostics *goatDiagnosticsCreate(void);
GOAT_C_API void goatDiagnosticsDestroy(GoatDiagnostics *diagnostics);
GOAT_C_API void goatDiagnosticsClear(GoatDiagnostics *diagnostics);
GOAT_C_API size_t goatDiagnosticsCount(const GoatDiagnostics *diagnostics);
/** Entry `index`; its text lives until the list changes. */
GOAT_C_API GoatStatus goatDiagnosticsGet(const GoatDiagnostics *diagnostics,
                                         size_t index, GoatDiagnostic *entry);

/*===----------------------------------------------------------------------===*\
|* Options
\*===----------------------------------------------------------------------===*/

/**
 * Keys and values that say how to compile:
 *
 *   target    the chip, "sm_90"; "reference" does not compile at all and gives
 *             a kernel that runs on the reference only
 *   function  which function of the text; needed where it has several
 *   cubin     "none", "auto" (where ptxas is found) or "required"
 *
 * and the options of the pipeline goat-to-ptx, such as "tile-rows".
 */
typedef struct GoatOptions GoatOptions;

GOAT_C_API GoatOptions *goatOptionsCreate(void);
GOAT_C_API void goatOptionsDestroy(GoatOptions *options);

/** Sets one option; a later value replaces an earlier one. Refuses keys there
 * are none of, and values of the wrong kind. */
GOAT_C_API GoatStatus goatOptionsSet(GoatOptions *options, const char *key,
                                     const char *value,
                                     GoatDiagnostics *diagnostics);

/** All keys, a line each. */
GOAT_C_API GoatString *goatOptionsKeys(void);

/*===----------------------------------------------------------------------===*\
|* Kernels
\*===----------------------------------------------------------------------===*/

/** A compiled attention layer, with the program it came from. */
typedef struct GoatKernel GoatKernel;

/**
 * Compiles one function of an MLIR text (or bytecode) of `size` bytes; `name`
 * stands for the file in diagnostics. `options` may be NULL. What the compiler
 * has to say of a kernel it makes comes as remarks.
 */
GOAT_C_API GoatStatus goatCompile(const char *text, size_t size,
                                  const char *name, const GoatOptions *options,
                                  GoatKernel **kernel,
                                  GoatDiagnostics *diagnostics);

/** The text that `goatc --emit=KIND` writes, for the kinds goat, tile, nvvm,
 * llvm and ptx. */
GOAT_C_API GoatStatus goatEmit(const char *text, size_t size, const char *name,
                               const GoatOptions *options, const char *kind,
                               GoatString **result,
                               GoatDiagnostics *diagnostics);

/** The text after the passes of `pipeline` ran on it, such as
 * "goat-raise-attention,goat-outline-attention": any passes, of goat or MLIR,
 * by the names and in the form that goat-opt's --pass-pipeline takes them. */
GOAT_C_API GoatStatus goatTransform(const char *text, size_t size,
                                    const char *name, const char *pipeline,
                                    GoatString **result,
                                    GoatDiagnostics *diagnostics);

/** Reads an artifact directory. */
GOAT_C_API GoatStatus goatKernelRead(const char *directory, GoatKernel **kernel,
                                     GoatDiagnostics *diagnostics);

/** Writes an artifact directory, which is created when it does not exist. */
GOAT_C_API GoatStatus goatKernelWrite(const GoatKernel *kernel,
                                      const char *directory,
                                      GoatDiagnostics *diagnostics);

GOAT_C_API void goatKernelDestroy(GoatKernel *kernel);

/** The function's name, and the chip that it was compiled for. */
GOAT_C_API const char *goatKernelName(const GoatKernel *kernel);
GOAT_C_API const char *goatKernelTarget(const GoatKernel *kernel);

/** The files of the artifact: kernel.json, kernel.ptx, source.mlir and perhaps
 * a cubin. A kernel for the reference has source.mlir only. */
GOAT_C_API size_t goatKernelFileCount(const GoatKernel *kernel);
/** NULL when `index` is out of range. */
GOAT_C_API const char *goatKernelFileName(const GoatKernel *kernel,
                                          size_t index);
GOAT_C_API GoatStatus goatKernelFile(const GoatKernel *kernel, const char *name,
                                     const char **data, size_t *size);

/** The performance report as `format` "text" or "json". `sizes` is NULL, or
 * says at which sizes to evaluate formulas: "B=4 Lq=4096 Lk=4096". */
GOAT_C_API GoatStatus goatKernelReport(const GoatKernel *kernel,
                                       const char *format, const char *sizes,
                                       GoatString **result,
                                       GoatDiagnostics *diagnostics);

/*===----------------------------------------------------------------------===*\
|* Parameters and tensors
\*===----------------------------------------------------------------------===*/

typedef enum GoatDType {
  GOAT_F16 = 0,
  GOAT_BF16 = 1,
  GOAT_F32 = 2,
  GOAT_I32 = 3,
  /** Of the caller's tensors only. */
  GOAT_F64 = 4,
  /** A byte, false where it is 0. */
  GOAT_I1 = 5,
  GOAT_I8 = 6,
  GOAT_I64 = 7,
  GOAT_DTYPE_ANY = 0x7fffffff
} GoatDType;

#define GOAT_MAX_RANK 8

typedef struct GoatParameter {
  const char *name;
  GoatDType dtype;
  int32_t rank;
  /** -1 where a size is known at run time only. */
  int64_t shape[GOAT_MAX_RANK];
} GoatParameter;

GOAT_C_API size_t goatKernelInputCount(const GoatKernel *kernel);
GOAT_C_API GoatStatus goatKernelInput(const GoatKernel *kernel, size_t index,
                                      GoatParameter *parameter);
GOAT_C_API size_t goatKernelOutputCount(const GoatKernel *kernel);
GOAT_C_API GoatStatus goatKernelOutput(const GoatKernel *kernel, size_t index,
                                       GoatParameter *parameter);

/** A tensor in the caller's memory. */
typedef struct GoatTensor {
  void *data;
  GoatDType dtype;
  int32_t rank;
  const int64_t *shape;
  /** In elements, may be negative; NULL for contiguous and row-major. */
  const int64_t *strides;
} GoatTensor;

/*===----------------------------------------------------------------------===*\
|* Running
\*===----------------------------------------------------------------------===*/

typedef enum GoatRunner {
  /** The formulas in double precision. */
  GOAT_ON_REFERENCE = 0,
  /** The kernel's PTX on a simulated GPU. */
  GOAT_ON_SIM = 1,
  GOAT_ON_ANY = 0x7fffffff
} GoatRunner;

/** The outcome of one run, with its outputs. */
typedef struct GoatRun GoatRun;

/**
 * Runs a kernel on `inputCount` tensors, one for each input in order. Floats
 * are rounded to the parameter's type, integers have to be of it.
 * `seed` orders the simulator's blocks and warps. With GOAT_FINDINGS, `run` is
 * written too, and each finding is an error in `diagnostics`.
 */
GOAT_C_API GoatStatus goatKernelRun(const GoatKernel *kernel, GoatRunner runner,
                                    const GoatTensor *inputs, size_t inputCount,
                                    uint64_t seed, GoatRun **run,
                                    GoatDiagnostics *diagnostics);

/**
 * Runs a function of a text whole: ops of linalg, tensor, arith and math, and
 * calls. All is evaluated on the reference, but with GOAT_ON_SIM the functions
 * it calls that hold an attention (goat-outline-attention makes them) are
 * compiled as `options` say and executed on the simulator; counts are those of
 * all launches together. `options` may be NULL; the key "function" is needed
 * where the text has several. Otherwise like goatKernelRun.
 */
GOAT_C_API GoatStatus goatGraphRun(const char *text, size_t size,
                                   const char *name, const GoatOptions *options,
                                   GoatRunner runner, const GoatTensor *inputs,
                                   size_t inputCount, uint64_t seed,
                                   GoatRun **run, GoatDiagnostics *diagnostics);

GOAT_C_API void goatRunDestroy(GoatRun *run);
GOAT_C_API size_t goatRunOutputCount(const GoatRun *run);
/** An output's name, type and sizes; none of them is -1. */
GOAT_C_API GoatStatus goatRunOutput(const GoatRun *run, size_t index,
                                    GoatParameter *parameter);
/** Copies an output to a tensor of its shape, of any floating-point type for
 * floats (rounded to nearest) and of its own type for integers. */
GOAT_C_API GoatStatus goatRunCopyOutput(const GoatRun *run, size_t index,
                                        const GoatTensor *destination,
                                        GoatDiagnostics *diagnostics);
/** What the simulator counted: "warp_instructions" and others. */
GOAT_C_API size_t goatRunCountCount(const GoatRun *run);
GOAT_C_API GoatStatus goatRunCount(const GoatRun *run, size_t index,
                                   const char **name, uint64_t *value);

typedef struct GoatComparison {
  /** Of all elements: the L2 norm of the difference by that of the reference,
   * and the most it may be. */
  double relativeL2, tolerance;
  double maxAbs;
  /** 1 when every row, too, is within its bound. */
  int32_t isWithin;
} GoatComparison;

/** Compares an output with that of a run of the same kernel on the same inputs
 * on the reference. */
GOAT_C_API GoatStatus goatRunCompare(const GoatRun *run,
                                     const GoatRun *reference, size_t index,
                                     GoatComparison *comparison,
                                     GoatDiagnostics *diagnostics);

/*===----------------------------------------------------------------------===*\
|* A simulated GPU
\*===----------------------------------------------------------------------===*/

/** Memory and launches, as a CUDA driver has them, for code that launches. */
typedef struct GoatSim GoatSim;
typedef struct GoatSimModule GoatSimModule;

/** `seed` orders blocks and warps. */
GOAT_C_API GoatSim *goatSimCreate(uint64_t seed);
GOAT_C_API void goatSimDestroy(GoatSim *sim);

/** Device memory that nobody has written yet; `name` stands for it in findings.
 * 0 when the host has no room. It lives as long as `sim`. */
GOAT_C_API uint64_t goatSimAllocate(GoatSim *sim, uint64_t bytes,
                                    const char *name);
/** Both are refused where the range does not lie in one allocation. */
GOAT_C_API GoatStatus goatSimWrite(GoatSim *sim, uint64_t address,
                                   const void *source, uint64_t bytes);
GOAT_C_API GoatStatus goatSimRead(const GoatSim *sim, uint64_t address,
                                  void *destination, uint64_t bytes);

#define GOAT_TENSOR_MAP_BYTES 128

/** A tensor in device memory and the box that one TMA copy moves, as for
 * cuTensorMapEncodeTiled without interleaving: axes count from the innermost
 * one, whose elements lie one after the other. Zeros are read outside. */
typedef struct GoatTensorMap {
  GoatDType dtype;
  /** From 1 to 5. */
  int32_t rank;
  uint64_t address;
  uint64_t extents[5];
  /** In bytes, of the axes from the second on. */
  uint64_t strides[4];
  uint32_t box[5];
  /** 0, 32, 64 or 128 bytes. */
  uint32_t swizzle;
} GoatTensorMap;

/** Writes the GOAT_TENSOR_MAP_BYTES that a kernel takes by value. Refuses what
 * the CUDA driver refuses. */
GOAT_C_API GoatStatus goatSimEncodeTensorMap(const GoatTensorMap *map,
                                             void *encoded,
                                             GoatDiagnostics *diagnostics);

/** Parses PTX text; `name` stands for the file in diagnostics. */
GOAT_C_API GoatStatus goatSimModuleLoad(const char *ptx, size_t size,
                                        const char *name,
                                        GoatSimModule **module,
                                        GoatDiagnostics *diagnostics);
GOAT_C_API void goatSimModuleDestroy(GoatSimModule *module);

typedef struct GoatSimLaunch {
  const char *entry;
  uint32_t grid[3], block[3], cluster[3];
  uint32_t sharedBytes;
  /** One for each parameter of the entry: where its value lies, and how many
   * bytes it has. */
  const void *const *arguments;
  const size_t *argumentSizes;
  size_t argumentCount;
} GoatSimLaunch;

/** Runs a kernel to its end. With GOAT_FINDINGS, each is an error in
 * `diagnostics`, with the PTX line it was made at. */
GOAT_C_API GoatStatus goatSimRun(GoatSim *sim, const GoatSimModule *module,
                                 const GoatSimLaunch *launch,
                                 GoatDiagnostics *diagnostics);

#ifdef __cplusplus
}
#endif

#endif /* GOAT_C_GOAT_H */
