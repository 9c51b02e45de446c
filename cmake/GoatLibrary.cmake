# Wrappers so that a subdirectory's CMakeLists.txt is a list of files.

set(GOAT_CXX_FLAGS -Wall -Wextra -Wno-unused-parameter -fno-exceptions)
if(NOT LLVM_ENABLE_RTTI)
  list(APPEND GOAT_CXX_FLAGS -fno-rtti)
endif()
if(GOAT_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
# Whatever is fuzzed is compiled to say which branches it took.
if(GOAT_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# goat_add_library(NAME SOURCES a.cpp ... [LINK lib ...] [DEPENDS target ...] [NO_MLIR])
# A static library. NO_MLIR marks one that must not see MLIR (PTXSim, Layout).
function(goat_add_library name)
  cmake_parse_arguments(ARG "NO_MLIR" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_compile_options(${name} PRIVATE ${GOAT_CXX_FLAGS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(NOT ARG_NO_MLIR)
    target_link_libraries(${name} PUBLIC MLIR LLVM)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# goat_add_tool(NAME SOURCES main.cpp [LINK lib ...]): an executable in bin/.
function(goat_add_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_compile_options(${name} PRIVATE ${GOAT_CXX_FLAGS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
  set_property(GLOBAL APPEND PROPERTY GOAT_TOOLS ${name})
endfunction()

# goat_add_unittest(NAME SOURCES a.cpp ... [LINK lib ...]): a GoogleTest
# executable in unittests/, run by lit through its googletest format, which
# knows it by the end of its name.
function(goat_add_unittest name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  if(NOT name MATCHES "Tests$")
    message(FATAL_ERROR "expected a unit test's name to end in Tests but got "
      "${name}; lit would not run it")
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_compile_options(${name} PRIVATE ${GOAT_CXX_FLAGS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/unittests")
  set_property(GLOBAL APPEND PROPERTY GOAT_UNITTESTS ${name})
endfunction()
