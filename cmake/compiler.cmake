# One place for compiler and linker flags: warnings are errors, frames are kept for profilers.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
                    -Woverloaded-virtual -Wimplicit-fallthrough -Werror -fno-omit-frame-pointer
                    -ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -pthread)
# -g1 keeps line numbers in stack traces at a fraction of the link time of full debug information.
if(ASSAY_SANITIZE)
  # -O0 compiles in half of the time of -O1. No hardening: sanitizers find more, and see less of what it has wrapped.
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O0 -g1")
elseif(ASSAY_FUZZ)
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
elseif(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -D_FORTIFY_SOURCE=2 -fstack-protector-strong")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(-fuse-ld=lld)
endif()
if(ASSAY_SANITIZE)
  add_compile_options(-fsanitize=${ASSAY_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ASSAY_SANITIZE})
endif()
if(ASSAY_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined)
  add_link_options(-fsanitize=address,undefined)
endif()

# An assertion of Boost's that does not hold throws (src/core/exceptions/failed_assertion.cc) and does not end the process.
add_compile_definitions(BOOST_ENABLE_ASSERT_HANDLER)

find_program(CCACHE ccache)
if(CCACHE)
  # What ccache wants for precompiled headers; the flag below keeps their times out of what they are known by.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()
