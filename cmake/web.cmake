# What is made from web/ with npm: report.js and cases.js, which draw a report and a page of cases beside it, and
# page.js with page.css, the page of `assay serve`. What npm installs goes into the build directory, once per lock
# file. Without npm, or if its registry cannot be reached, the program is built without them: its reports are plain
# (figures and plots as tables), and its page says so. A message, never a failed build.
#   assay_web(VARIABLE)                 where report.js and cases.js are, or will be when the build has run; they may be empty.
#   assay_web_page(DIRECTORY FILES)     after it: where index.html and what it loads are; without npm a page that says so.
if(ASSAY_SANITIZE OR ASSAY_FUZZ)
  set(plots_default OFF)
else()
  set(plots_default ON)
endif()
option(ASSAY_PLOTS "draw plots in reports, and have the page (needs npm while building)" ${plots_default})

set(web_files package.json package-lock.json .npmrc build.mjs index.html)
set(report_style ${CMAKE_SOURCE_DIR}/src/report/pages/report.css)

# Builds are made on a copy beside what npm installed, so that nothing is written into the sources.
function(assay_web_copy directory)
  list(TRANSFORM web_files PREPEND ${CMAKE_SOURCE_DIR}/web/ OUTPUT_VARIABLE files)
  file(REMOVE_RECURSE ${directory}/src)
  file(COPY ${files} ${CMAKE_SOURCE_DIR}/web/src DESTINATION ${directory})
endfunction()

# Installs what the lock file names and tries the build; `failure` says what went wrong.
function(assay_web_install directory failure)
  set(${failure} "" PARENT_SCOPE)
  file(SHA256 ${CMAKE_SOURCE_DIR}/web/package-lock.json wanted)
  if(EXISTS ${directory}/installed)
    file(READ ${directory}/installed installed)
    if(installed STREQUAL wanted)
      return()
    endif()
  endif()
  find_program(ASSAY_NPM npm)
  find_program(ASSAY_NODE node)
  if(NOT ASSAY_NPM OR NOT ASSAY_NODE)
    set(${failure} "node and npm are not installed" PARENT_SCOPE)
    return()
  endif()
  message(STATUS "Installing what web/package-lock.json names")
  file(REMOVE ${directory}/installed)
  assay_web_copy(${directory})
  execute_process(
    COMMAND ${ASSAY_NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error
            --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=2000 --fetch-timeout=60000
    WORKING_DIRECTORY ${directory} TIMEOUT 300 RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
  if(status EQUAL 0)
    execute_process(COMMAND ${ASSAY_NODE} build.mjs trial ${report_style} WORKING_DIRECTORY ${directory} TIMEOUT 100
                    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
  endif()
  if(status EQUAL 0)
    file(WRITE ${directory}/installed ${wanted})
  else()
    string(REGEX MATCH "[^\n]*" first_line "${said}")
    set(${failure} "npm failed (${status}): ${first_line}" PARENT_SCOPE)
  endif()
endfunction()

function(assay_web variable)
  set(directory ${CMAKE_BINARY_DIR}/web)
  set(failure "ASSAY_PLOTS is OFF")
  if(ASSAY_PLOTS)
    assay_web_install(${directory} failure)
  endif()
  if(failure)
    message(STATUS "Reports will show plots as tables, and serve has no page: ${failure}")
    foreach(name report.js cases.js)
      if(NOT EXISTS ${directory}/without/${name})  # written again, it would be compiled again
        file(WRITE ${directory}/without/${name} "")
      endif()
    endforeach()
    set_property(GLOBAL PROPERTY ASSAY_HAS_PAGE FALSE)
    set(${variable} ${directory}/without/report.js ${directory}/without/cases.js PARENT_SCOPE)
    return()
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/src/*)
  set(made report.js cases.js page.js page.css index.html)
  list(TRANSFORM made PREPEND ${directory}/with/)
  add_custom_command(
    OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${directory}/src
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${CMAKE_SOURCE_DIR}/web/src ${directory}/src
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/web/build.mjs ${CMAKE_SOURCE_DIR}/web/index.html ${directory}
    COMMAND ${ASSAY_NODE} ${directory}/build.mjs ${directory}/with ${report_style}
    DEPENDS ${CMAKE_SOURCE_DIR}/web/build.mjs ${CMAKE_SOURCE_DIR}/web/index.html ${sources} ${report_style} ${directory}/installed
    COMMENT "Bundling the page and the report"
    VERBATIM)
  set_property(GLOBAL PROPERTY ASSAY_HAS_PAGE TRUE)
  set(${variable} ${directory}/with/report.js ${directory}/with/cases.js PARENT_SCOPE)
endfunction()

function(assay_web_page directory files)
  get_property(has_page GLOBAL PROPERTY ASSAY_HAS_PAGE)
  if(has_page)
    set(place ${CMAKE_BINARY_DIR}/web/with)
    set(names index.html page.js page.css)
  else()
    set(place ${CMAKE_SOURCE_DIR}/src/service/page/without)
    set(names index.html)
  endif()
  list(TRANSFORM names PREPEND ${place}/)
  set(${directory} ${place} PARENT_SCOPE)
  set(${files} ${names} PARENT_SCOPE)
endfunction()
