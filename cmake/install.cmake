# `cmake --install` and the .deb hold the same files: the program, its docs, examples and completions.
include(GNUInstallDirs)
install(TARGETS assay RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY examples docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME assay)
set(CPACK_PACKAGE_VENDOR "Assay")
set(CPACK_PACKAGE_CONTACT "Assay maintainers <assay@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Evaluates LLM systems with a crash-proof engine and honest statistics")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The sandbox for programs that a model writes.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "bubblewrap, python3")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
include(CPack)
