# The script that draws the plots of a report, made from web/ with npm. What npm installs goes into the build
# directory, once per lock file. Without npm, or if its registry cannot be reached, the program is built without
# the script and its reports show the plots' data as tables: a message, never a failed build.
#   assay_web(VARIABLE): where plots.js is, or will be when the build has run; it may be empty.
if(ASSAY_SANITIZE OR ASSAY_FUZZ)
  set(plots_default OFF)
else()
  set(plots_default ON)
endif()
option(ASSAY_PLOTS "draw plots in reports (needs npm while building)" ${plots_default})

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
  file(COPY ${CMAKE_SOURCE_DIR}/web/package.json ${CMAKE_SOURCE_DIR}/web/package-lock.json
            ${CMAKE_SOURCE_DIR}/web/.npmrc ${CMAKE_SOURCE_DIR}/web/build.mjs ${CMAKE_SOURCE_DIR}/web/plots.js
       DESTINATION ${directory})
  execute_process(
    COMMAND ${ASSAY_NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error
            --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=2000 --fetch-timeout=60000
    WORKING_DIRECTORY ${directory} TIMEOUT 300 RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
  if(status EQUAL 0)
    execute_process(COMMAND ${ASSAY_NODE} build.mjs trial WORKING_DIRECTORY ${directory} TIMEOUT 100
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
    message(STATUS "Reports will show plots as tables: ${failure}")
    if(NOT EXISTS ${directory}/without/plots.js)  # written again, it would be compiled again
      file(WRITE ${directory}/without/plots.js "")
    endif()
    set(${variable} ${directory}/without/plots.js PARENT_SCOPE)
    return()
  endif()
  add_custom_command(
    OUTPUT ${directory}/with/plots.js
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/web/build.mjs ${CMAKE_SOURCE_DIR}/web/plots.js ${directory}
    COMMAND ${ASSAY_NODE} ${directory}/build.mjs ${directory}/with
    DEPENDS ${CMAKE_SOURCE_DIR}/web/build.mjs ${CMAKE_SOURCE_DIR}/web/plots.js ${directory}/installed
    COMMENT "Bundling plots.js"
    VERBATIM)
  set(${variable} ${directory}/with/plots.js PARENT_SCOPE)
endfunction()
