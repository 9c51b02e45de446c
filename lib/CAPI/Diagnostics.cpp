//===- Diagnostics.cpp - version, text, lists of diagnostics --------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the C interface that know nothing of compiling.
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

#include "llvm/Config/llvm-config.h"

using namespace goat::capi;

//===----------------------------------------------------------------------===//
// Version and text
//===----------------------------------------------------------------------===//

void goatGetVersion(int *major, int *minor, int *patch) {
  if (major)
    *major = GOAT_VERSION_MAJOR;
  if (minor)
    *minor = GOAT_VERSION_MINOR;
  if (patch)
    *patch = GOAT_VERSION_PATCH;
}

const char *goatVersionString(void) {
  return "GOAT " GOAT_VERSION " with LLVM " LLVM_VERSION_STRING;
}

const char *goatStatusName(GoatStatus status) {
  static constexpr const char *names[] = {
      "ok",        "invalid argument", "parse error", "compile error",
      "i/o error", "mismatch",         "findings",    "unavailable"};
  if (status >= 0 && status < int(std::size(names)))
    return names[status];
  return "unknown status";
}

const char *goatStringData(const GoatString *string) {
  return string ? string->text.c_str() : "";
}

size_t goatStringSize(const GoatString *string) {
  return string ? string->text.size() : 0;
}

void goatStringDestroy(GoatString *string) { delete string; }

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

GoatDiagnostics *goatDiagnosticsCreate(void) { return new GoatDiagnostics(); }

void goatDiagnosticsDestroy(GoatDiagnostics *diagnostics) {
  delete diagnostics;
}

void goatDiagnosticsClear(GoatDiagnostics *diagnostics) {
  if (diagnostics)
    diagnostics->entries.clear();
}

size_t goatDiagnosticsCount(const GoatDiagnostics *diagnostics) {
  return diagnostics ? diagnostics->entries.size() : 0;
}

GoatStatus goatDiagnosticsGet(const GoatDiagnostics *diagnostics, size_t index,
                              GoatDiagnostic *entry) {
  if (!entry || index >= goatDiagnosticsCount(diagnostics))
    return GOAT_INVALID_ARGUMENT;
  const GoatDiagnostics::Entry &found = diagnostics->entries[index];
  *entry = {found.severity, found.message.c_str(), found.file.c_str(),
            found.line, found.column};
  return GOAT_OK;
}

GoatStatus goat::capi::fail(GoatDiagnostics *diagnostics, GoatStatus status,
                            const llvm::Twine &message) {
  if (diagnostics)
    diagnostics->entries.push_back({GOAT_ERROR, message.str(), ""});
  return status;
}

GoatStatus goat::capi::fail(GoatDiagnostics *diagnostics, GoatStatus status,
                            llvm::Error error) {
  return fail(diagnostics, status, llvm::toString(std::move(error)));
}

GoatStatus goat::capi::refuseNull(GoatDiagnostics *diagnostics,
                                  const char *function) {
  return fail(diagnostics, GOAT_INVALID_ARGUMENT,
              llvm::Twine("expected the handles and pointers of ") + function +
                  " not to be NULL");
}
