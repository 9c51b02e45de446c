# Prints the reference pages of docs/generated from the .td files. A script:
#   cmake -DTBLGEN=mlir-tblgen -DSOURCE=. -DMLIR_INCLUDE=... -DOUT=DIR -P GenerateDocs.cmake
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
