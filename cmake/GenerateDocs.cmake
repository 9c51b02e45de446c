# Prints the reference pages of docs/generated from the .td files, and the
# simulator's instructions from its tables. A script:
#   cmake -DTBLGEN=mlir-tblgen -DSOURCE=. -DMLIR_INCLUDE=... -DGOAT_SIM=goat-sim
#     -DOUT=DIR -P GenerateDocs.cmake
# The target `docs` runs it on docs/generated, and a test runs it elsewhere and
# compares. One line per page.

# page(FILE TD GENERATOR...): what GENERATOR makes of TD goes to OUT/FILE.
function(page file td)
  execute_process(
    COMMAND "${TBLGEN}" ${ARGN} -I "${SOURCE}/include" -I "${MLIR_INCLUDE}"
      "${SOURCE}/include/goat/${td}"
    OUTPUT_FILE "${OUT}/${file}"
    RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "mlir-tblgen failed on ${td}")
  endif()
endfunction()

file(MAKE_DIRECTORY "${OUT}")
page(GoatDialect.md Dialect/Goat/IR/GoatOps.td -gen-dialect-doc -dialect=goat)
page(GoatInterfaces.md Dialect/Goat/IR/GoatInterfaces.td -gen-op-interface-docs)
page(GoatTileDialect.md Dialect/GoatTile/IR/GoatTileOps.td -gen-dialect-doc -dialect=goat_tile)

# The passes of each folder that has some: Conversion/X/Passes.td is XPasses.md,
# Dialect/X/Transforms/Passes.td is XTransformsPasses.md.
file(GLOB_RECURSE passes RELATIVE "${SOURCE}/include/goat" "${SOURCE}/include/goat/Passes.td"
  "${SOURCE}/include/goat/*/Passes.td")
foreach(td IN LISTS passes)
  string(REGEX REPLACE "^(Conversion|Dialect)/|/Passes.td$" "" name "${td}")
  string(REPLACE "/" "" name "${name}")
  page(${name}Passes.md ${td} -gen-pass-doc)
endforeach()

execute_process(
  COMMAND "${GOAT_SIM}" --instructions-page
  OUTPUT_FILE "${OUT}/ptx-instructions.md"
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "goat-sim --instructions-page failed")
endif()
