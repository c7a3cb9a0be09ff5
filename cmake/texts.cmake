# Compiles text files into the binary: assay_embed(TARGET NAMESPACE_SYMBOL ROOT FILES…) writes one source that
# defines `std::span<const assay::EmbeddedText> SYMBOL()` with each file's path (relative to ROOT) and bytes.
function(assay_embed target symbol root)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cc)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DSYMBOL=${symbol} -DROOT=${root} "-DFILES=${ARGN}"
            -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
