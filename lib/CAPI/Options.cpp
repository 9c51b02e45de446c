//===- Options.cpp - how to compile, as keys and values -------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipeline's own options are asked for their names, so that a new one needs
// no line here.
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

#include "llvm/ADT/StringExtras.h"

using namespace goat;
using namespace goat::capi;

static constexpr llvm::StringLiteral ownKeys[] = {"target", "function",
                                                  "cubin"};
static constexpr llvm::StringLiteral cubinValues[] = {"none", "auto",
                                                      "required"};

/// Names of the pipeline's options, with the values they have by default.
static std::map<std::string, std::string> pipelineKeys() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  GoatToPTXOptions().print(stream);
  std::map<std::string, std::string> keys;
  llvm::SmallVector<llvm::StringRef> entries;
  llvm::StringRef(text).trim(" {}").split(entries, ' ');
  for (llvm::StringRef entry : entries) {
    auto [key, value] = entry.split('=');
    if (key != "target")
      keys[key.str()] = value.str();
  }
  return keys;
}

static bool isInteger(llvm::StringRef text) {
  int64_t value;
  return !text.getAsInteger(10, value);
}

GoatOptions *goatOptionsCreate(void) { return new GoatOptions(); }

void goatOptionsDestroy(GoatOptions *options) { delete options; }

GoatStatus goatOptionsSet(GoatOptions *options, const char *key,
                          const char *value, GoatDiagnostics *diagnostics) {
  if (!options || !key || !value)
    return refuseNull(diagnostics, "goatOptionsSet");
  const llvm::StringRef name(key), text(value);
  auto refuse = [&](const llvm::Twine &message) {
    return fail(diagnostics, GOAT_INVALID_ARGUMENT, message);
  };
  if (name == "cubin" && !llvm::is_contained(cubinValues, text))
    return refuse("expected the option 'cubin' to be one of " +
                  llvm::join(llvm::ArrayRef(cubinValues), ", ") + " but got '" +
                  text + "'");
  if (!llvm::is_contained(ownKeys, name)) {
    std::map<std::string, std::string> keys = pipelineKeys();
    auto known = keys.find(key);
    if (known == keys.end()) {
      std::string all = llvm::join(llvm::ArrayRef(ownKeys), ", ");
      for (const auto &[other, unused] : keys)
        all += ", " + other;
      return refuse("expected an option called one of " + all + " but got '" +
                    name + "'");
    }
    if (isInteger(known->second) && !isInteger(text))
      return refuse("expected the option '" + name +
                    "' to be an integer but got '" + text + "'");
    // A word: anything else could be read as more options.
    if (text.empty() || !llvm::all_of(text, [](char c) {
          return llvm::isAlnum(c) || c == '-' || c == '_' || c == '.';
        }))
      return refuse("expected the option '" + name +
                    "' to be a word but got '" + text + "'");
  }
  options->values[key] = value;
  return GOAT_OK;
}

GoatString *goatOptionsKeys(void) {
  auto *keys = new GoatString();
  for (llvm::StringRef key : ownKeys)
    keys->text += key.str() + "\n";
  for (const auto &[key, unused] : pipelineKeys())
    keys->text += key + "\n";
  return keys;
}

llvm::StringRef goat::capi::optionOr(const GoatOptions *options,
                                     llvm::StringRef key,
                                     llvm::StringRef otherwise) {
  if (!options)
    return otherwise;
  auto found = options->values.find(key.str());
  return found == options->values.end() ? otherwise
                                        : llvm::StringRef(found->second);
}

void goat::capi::fill(const GoatOptions *options, GoatToPTXOptions &pipeline) {
  if (!options)
    return;
  std::string text;
  for (const auto &[key, value] : options->values)
    if (!llvm::is_contained(ownKeys, key))
      text += key + "=" + value + " ";
  // goatOptionsSet let nothing pass that this refuses.
  (void)pipeline.parseFromString(text);
}
