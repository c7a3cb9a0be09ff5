# `cmake --install` (./dev install): the program with its docs and examples, for the system that it was built on.
# packaging/ makes packages for others.
include(GNUInstallDirs)
install(TARGETS assay RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY examples docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
