# How lit finds and runs the project's tests: .mlir and .test files are shell
# tests, GoogleTest programs are run by the suite in unittests/.
# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import glob
import importlib.util
import os
import shutil
import subprocess

import lit.formats

config.name = "goat"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "unittests", "lib"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.goat_obj_root, "test")

config.substitutions.append(("%python", '"%s"' % config.python_executable))
config.substitutions.append(("%goat_src", config.goat_src_root))
config.substitutions.append(("%goat_obj", config.goat_obj_root))
# The programs as paths, and their names.
config.substitutions.append(
    (
        "%goat_tools",
        " ".join(os.path.join(config.goat_obj_root, "bin", t) for t in config.goat_tools),
    )
)
config.substitutions.append(("%tool_names", " ".join(config.goat_tools)))
config.substitutions.append(("%llvm_tools", config.llvm_tools_dir))
config.substitutions.append(("%mlir_include", config.mlir_include_dir))
config.substitutions.append(("%cmake", '"%s"' % config.cmake_executable))

config.environment["PATH"] = os.path.pathsep.join(
    [
        os.path.join(config.goat_obj_root, "bin"),
        config.llvm_tools_dir,
        os.environ["PATH"],
    ]
)

# A test that needs what not every machine has names it in a REQUIRES line.
ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
# nvdisasm: the CUDA toolkit's, or that of the PyPI package nvidia-cuda-nvdisasm.
nvidia = importlib.util.find_spec("nvidia")
packaged = [
    os.path.join(folder, "*", "bin")
    for folder in ((nvidia and nvidia.submodule_search_locations) or [])
]
nvdisasm = os.environ.get("GOAT_NVDISASM") or shutil.which(
    "nvdisasm",
    path=os.pathsep.join(
        [os.environ["PATH"], "/usr/local/cuda/bin"]
        + [folder for pattern in packaged for folder in sorted(glob.glob(pattern))]
    ),
)
if nvdisasm:
    config.available_features.add("nvdisasm")
    config.substitutions.append(("%nvdisasm", nvdisasm))
    config.environment["GOAT_NVDISASM"] = nvdisasm
nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
if nvcc:
    config.substitutions.append(("%nvcc", nvcc))
    # The one that compiled test/PTXSim/Inputs/cuda.
    if "V13.0.88" in subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout:
        config.available_features.add("pinned-nvcc")
# Under the sanitizers a program needs their runtime as well.
if shutil.which("c++") and not config.goat_sanitize:
    config.available_features.add("plain-library")
clang_format = shutil.which("clang-format-22") or shutil.which(
    "clang-format", path=config.llvm_tools_dir
)
if clang_format:
    config.available_features.add("clang-format")
    config.substitutions.append(("%clang_format", clang_format))
