# Finds LLVM and MLIR 22 and makes sure that only their shared libraries are
# linked. Nothing else in the build names an LLVM path.
#
# Debian's MLIRConfig does not export MLIR_LINK_MLIR_DYLIB, and a build without
# it mixes static and shared MLIR without a word: executables seem to work and
# shared libraries crash. So it is set before anything is found, and libraries
# link the two targets `MLIR` and `LLVM`, nothing finer.

set(MLIR_LINK_MLIR_DYLIB ON)
set(LLVM_LINK_LLVM_DYLIB ON)
set(GOAT_LLVM_MAJOR 22)

if(NOT MLIR_DIR AND DEFINED ENV{MLIR_DIR})
  set(MLIR_DIR "$ENV{MLIR_DIR}")
endif()
if(NOT MLIR_DIR)
  list(APPEND CMAKE_PREFIX_PATH "/usr/lib/llvm-${GOAT_LLVM_MAJOR}")
endif()
find_package(MLIR CONFIG QUIET)
if(NOT MLIR_FOUND)
  message(FATAL_ERROR
    "MLIR ${GOAT_LLVM_MAJOR} was not found. On Debian 12 run `make deps`; "
    "elsewhere set MLIR_DIR to the folder that holds MLIRConfig.cmake.")
endif()
if(NOT LLVM_VERSION_MAJOR EQUAL GOAT_LLVM_MAJOR)
  message(FATAL_ERROR
    "expected LLVM ${GOAT_LLVM_MAJOR} but got ${LLVM_PACKAGE_VERSION} from "
    "${LLVM_DIR}; set MLIR_DIR to an MLIR ${GOAT_LLVM_MAJOR} installation.")
endif()
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION} from ${MLIR_DIR}")

set(GOAT_LLVM_TOOLS "${LLVM_TOOLS_BINARY_DIR}")
list(GET MLIR_INCLUDE_DIRS 0 GOAT_MLIR_INCLUDE)
# LLVMConfig names a llvm-lit that Debian does not ship.
set(LLVM_EXTERNAL_LIT "${LLVM_TOOLS_BINARY_DIR}/lit")
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# What LLVM's own flags would give us, and nothing more: its headers want no
# exceptions, and the run-time type information the library was built with.
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${LLVM_DEFINITIONS_LIST})
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
