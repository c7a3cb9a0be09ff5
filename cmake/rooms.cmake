# A room is one folder of src/ with one job, built as one static library. It links only the rooms below it
# (shared architecture, src/rooms.txt), so a wrong include also fails to link; tests/rooms_test checks the
# includes themselves.
#   assay_room(NAME ROOMS core … LIBRARIES fmt::fmt …)
function(assay_room name)
  cmake_parse_arguments(ROOM "" "" "ROOMS;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc)
  if(NOT sources)
    return()
  endif()
  add_library(assay_${name} STATIC ${sources})
  target_include_directories(assay_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  foreach(room ${ROOM_ROOMS})
    if(TARGET assay_${room})
      target_link_libraries(assay_${name} PUBLIC assay_${room})
    endif()
  endforeach()
  target_link_libraries(assay_${name} PUBLIC ${ROOM_LIBRARIES})
endfunction()
