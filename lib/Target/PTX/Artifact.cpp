//===- Artifact.cpp - directories of artifacts ----------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes the files of an artifact, and names element types.
//
//===----------------------------------------------------------------------===//

#include "goat/Target/PTX/Artifact.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace goat::ptx;

const char *goat::ptx::dtypeName(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return "f16";
  case DType::BF16:
    return "bf16";
  case DType::F32:
    return "f32";
  case DType::I1:
    return "i1";
  case DType::I8:
    return "i8";
  case DType::I64:
    return "i64";
  case DType::I32:
    return "i32";
  }
  llvm_unreachable("unknown dtype");
}

std::optional<DType> goat::ptx::parseDType(llvm::StringRef name) {
  for (DType dtype : {DType::F16, DType::BF16, DType::F32, DType::I1, DType::I8,
                      DType::I32, DType::I64})
    if (name == dtypeName(dtype))
      return dtype;
  return std::nullopt;
}

int64_t goat::ptx::dtypeBytes(DType dtype) {
  switch (dtype) {
  case DType::I1:
  case DType::I8:
    return 1;
  case DType::F16:
  case DType::BF16:
    return 2;
  case DType::F32:
  case DType::I32:
    return 4;
  case DType::I64:
    return 8;
  }
  llvm_unreachable("unknown dtype");
}

bool goat::ptx::isInteger(DType dtype) { return dtype >= DType::I1; }

static llvm::Error writeFile(llvm::StringRef directory, llvm::StringRef name,
                             llvm::StringRef contents) {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    stream << contents;
    stream.close();
    error = stream.error();
  }
  if (error)
    return llvm::createStringError(error, "cannot write '" + path +
                                              "': " + error.message());
  return llvm::Error::success();
}

llvm::Error goat::ptx::writeArtifact(const Artifact &artifact,
                                     llvm::StringRef directory) {
  if (std::error_code error = llvm::sys::fs::create_directories(directory))
    return llvm::createStringError(error, "cannot create directory '" +
                                              directory +
                                              "': " + error.message());
  if (llvm::Error error =
          writeFile(directory, artifact.kernel.ptx, artifact.ptx))
    return error;
  if (artifact.kernel.cubin)
    if (llvm::Error error =
            writeFile(directory, *artifact.kernel.cubin, artifact.cubin))
      return error;
  if (llvm::Error error = writeFile(directory, "source.mlir", artifact.source))
    return error;
  return writeFile(directory, "kernel.json", writeKernel(artifact.kernel));
}

static llvm::Expected<std::string> readFile(llvm::StringRef directory,
                                            llvm::StringRef name) {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   "cannot read '" + path +
                                       "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

llvm::Expected<Artifact> goat::ptx::readArtifact(llvm::StringRef directory) {
  llvm::Expected<std::string> json = readFile(directory, "kernel.json");
  if (!json)
    return json.takeError();
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, "kernel.json");
  llvm::Expected<Kernel> kernel = readKernel(*json, path);
  if (!kernel)
    return kernel.takeError();
  Artifact artifact;
  artifact.kernel = std::move(*kernel);
  llvm::Expected<std::string> ptx = readFile(directory, artifact.kernel.ptx);
  if (!ptx)
    return ptx.takeError();
  artifact.ptx = std::move(*ptx);
  llvm::Expected<std::string> source = readFile(directory, "source.mlir");
  if (!source)
    return source.takeError();
  artifact.source = std::move(*source);
  if (artifact.kernel.cubin) {
    llvm::Expected<std::string> cubin =
        readFile(directory, *artifact.kernel.cubin);
    if (!cubin)
      return cubin.takeError();
    artifact.cubin = std::move(*cubin);
  }
  return artifact;
}
